// What decoding knows while it walks over a value, and how it says that a value does not fit.

import type { JsonObject } from '../base/json.ts';
import type { DecodedParts } from './decoded-parts.ts';
import type { StructType } from './types.ts';

/** A value of the wrong type; decoding stops at the first one. */
export class TypeMismatch extends Error {}

interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Where the walk stands, and what it found on the way. */
export class DecodeContext {
  /** Names of the fields the walk went through. */
  readonly path: string[] = [];
  /** The type whose fields the walk is at. */
  struct: StructType | undefined;
  /** Whether a field was met that the schema does not know. */
  metUnknown = false;
  /** Paths of lists that were given empty and are always written, as far as they lead through structs. */
  emptyLists: (readonly string[])[] | undefined;
  /** What was decoded before the walk began. */
  parts: DecodedParts | undefined;

  /** Whether a null is a value, also where a user's schema does not allow it: validation has to refuse it then. */
  readonly keepsNulls: boolean;
  readonly #typeMeta: TypeMeta | undefined;

  /** `typeMeta` is what stands before the fields of the outermost type. */
  constructor(typeMeta?: TypeMeta, keepsNulls = false) {
    this.#typeMeta = typeMeta;
    this.keepsNulls = keepsNulls;
  }

  /** What a value of a type begins with. */
  begin(): Record<string, unknown> {
    const head = this.path.length === 0 ? this.#typeMeta : undefined;
    return head === undefined ? {} : { kind: head.kind, apiVersion: head.apiVersion };
  }

  /** Leaves where the walk stood when it failed. */
  returnToStart(): void {
    this.path.length = 0;
    this.struct = undefined;
  }

  noteEmptyList(name: string): void {
    this.emptyLists ??= [];
    this.emptyLists.push([...this.path, name]);
  }

  /** How many of kind and apiVersion the outermost value has itself. */
  typeMetaFieldsOf({ kind, apiVersion }: JsonObject): number {
    if (this.path.length > 0 || this.#typeMeta === undefined) return 0;
    return (kind === undefined ? 0 : 1) + (apiVersion === undefined ? 0 : 1);
  }

  /** What the type of the field is called where that is another name for it. */
  get fieldGoType(): string | undefined {
    const name = this.path.at(-1);
    return this.struct?.fields.find((field) => field.name === name)?.goType;
  }

  /** Where a value goes, as messages say it: list positions and map keys are left out. */
  get place(): string {
    return this.path.length === 0 ? 'value' : `struct field ${this.struct?.name}.${this.path.join('.')}`;
  }
}

/**
 * `known` is a decoded value of the same type that `value` was made from: what is still the very same in both needs
 * no second decoding.
 */
export type Decoder = (value: unknown, context: DecodeContext, known?: unknown) => unknown;

const goNames: Readonly<Record<string, string>> = { boolean: 'bool', bigint: 'number' };

/** What a value is called in messages. */
export const jsonForm = (value: unknown): string =>
  Array.isArray(value) ? 'array' : (goNames[typeof value] ?? typeof value);
