// A value that is not of its type.

/** Decoding stops at the first one it meets; `explainMismatch` says which one is told. */
export class TypeMismatch extends Error {
  /** What the value is and what it should be, where that is all that is wrong with it. */
  readonly forms: Forms | undefined;
  /** The fields that lead to it, as far as a message names them. */
  readonly path: readonly string[] | undefined;

  constructor(words: string, forms?: Forms, path?: readonly string[]) {
    super(words);
    this.forms = forms;
    this.path = path;
  }
}

interface Forms {
  /** What the value is: `string`, `number 1.5`. */
  readonly is: string;
  /** What messages call the type it should have. */
  readonly wanted: string;
}

export const wrongForm = (is: string, wanted: string): TypeMismatch =>
  new TypeMismatch(cannotUnmarshal(is, 'value', wanted), { is, wanted });

/** A value that stands alone, such as a claim of a token. */
export const notOfType = (value: unknown, wanted: string): string => cannotUnmarshal(jsonForm(value), 'value', wanted);

export const cannotUnmarshal = (is: string, place: string, wanted: string): string =>
  `json: cannot unmarshal ${is} into Go ${place} of type ${wanted}`;

/** Stands in a value for a number that is written as an integer never is: 1.0, 1e3. */
export class WrittenNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }
}

const formNames: Readonly<Record<string, string>> = { boolean: 'bool', bigint: 'number' };

/** What a value is called in messages. */
export const jsonForm = (value: unknown): string =>
  Array.isArray(value) ? 'array' : (formNames[typeof value] ?? typeof value);
