// Paths to values in custom resources, as columns of tables have them: `.spec.size`, `.items[0]`,
// `.status.conditions[?(@.type=="Ready")].status`.

import { getOwn, isJsonObject, type JsonValue } from '../base/json.ts';

/** What one step of a path leads to. */
type Step = (value: JsonValue) => Iterable<JsonValue>;

export class JsonPathError extends Error {}

/** Throws a `JsonPathError` for a text that is no path. */
export function parseJsonPath(text: string): (value: JsonValue) => Iterable<JsonValue> {
  const steps = new PathParser(text).steps();
  return (value) => walk(value, steps, 0);
}

/** The first value that a path leads to; undefined where there is none. Later ones are not looked for. */
export function firstAt(path: (value: JsonValue) => Iterable<JsonValue>, value: JsonValue): JsonValue | undefined {
  for (const found of path(value)) return found;
  return undefined;
}

function* walk(value: JsonValue, steps: readonly Step[], at: number): Iterable<JsonValue> {
  const step = steps[at];
  if (step === undefined) yield value;
  else for (const inner of step(value)) yield* walk(inner, steps, at + 1);
}

const fieldStep =
  (name: string): Step =>
  (value) => {
    const member = isJsonObject(value) ? getOwn(value, name) : undefined;
    return member === undefined ? [] : [member];
  };

const allStep: Step = (value) => {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
};

/** The value and everything in it. */
function* descendants(value: JsonValue): Iterable<JsonValue> {
  yield value;
  if (typeof value === 'object' && value !== null) for (const inner of allStep(value)) yield* descendants(inner);
}

/** Positions from the end are negative; the end of a slice is left out. */
const sliceStep =
  (from: number | undefined, to: number | undefined, every: number): Step =>
  (value) => {
    if (!Array.isArray(value)) return [];
    return value.slice(from, to).filter((_, index) => index % every === 0);
  };

const indexStep =
  (index: number): Step =>
  (value) => {
    const item = Array.isArray(value) ? value.at(index) : undefined;
    return item === undefined ? [] : [item];
  };

type Operand = (item: JsonValue) => JsonValue | undefined;

const comparisons: Readonly<Record<string, (a: JsonValue, b: JsonValue) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => isBelow(a, b),
  '<=': (a, b) => isBelow(a, b) || a === b,
  '>': (a, b) => isBelow(b, a),
  '>=': (a, b) => isBelow(b, a) || a === b,
};

function isBelow(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  return typeof a === 'number' && typeof b === 'number' && a < b;
}

function filterStep(left: Operand, operator: string | undefined, right: Operand | undefined): Step {
  const compare = operator === undefined ? undefined : comparisons[operator];
  return (value) => {
    const items = Array.isArray(value) ? value : [];
    return items.filter((item) => {
      const a = left(item);
      const b = right?.(item);
      if (a === undefined) return false;
      return compare === undefined || (b !== undefined && compare(a, b));
    });
  };
}

/** Longer paths are refused: none in use is known. */
const maxLength = 4096;

class PathParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (text.length > maxLength) throw new JsonPathError('too long');
    this.#text = text;
  }

  steps(): readonly Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      if (this.#take('..')) steps.push(descendants, ...this.#named());
      else if (this.#take('.')) steps.push(...this.#named());
      else if (this.#take('[')) steps.push(this.#bracket());
      else throw new JsonPathError(`unexpected ${JSON.stringify(this.#text[this.#at])}`);
    }
    return steps;
  }

  /** A field after a dot; none where a bracket follows, or nothing. */
  #named(): readonly Step[] {
    if (this.#take('*')) return [allStep];
    const name = this.#match(/(?:\\.|[^.[\]\\\s'"(){}])*/y);
    return name === '' ? [] : [fieldStep(name.replace(/\\(.)/gs, '$1'))];
  }

  #bracket(): Step {
    if (this.#take('?(')) return this.#filter();
    const inner = this.#match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\]'"])*/y).trim();
    this.#expect(']');
    const parts = inner.match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,'"])+/g) ?? [''];
    const steps = parts.map((part) => plainStep(part.trim()));
    return steps.length === 1 ? (steps[0] as Step) : (value) => steps.flatMap((step) => [...step(value)]);
  }

  #filter(): Step {
    const left = this.#operand();
    const operator = this.#match(/\s*(?:==|!=|<=|>=|<|>)/y).trim();
    const right = operator === '' ? undefined : this.#operand();
    this.#match(/\s*/y);
    this.#expect(')]');
    return filterStep(left, operator === '' ? undefined : operator, right);
  }

  #operand(): Operand {
    this.#match(/\s*/y);
    if (this.#take('@')) {
      const path = this.#match(/(?:\\.|\['[^']*'\]|\[-?\d+\]|[^\s=!<>()[\]])*/y);
      const steps = new PathParser(path).steps();
      return (item) => firstAt((value) => walk(value, steps, 0), item);
    }
    const literal = this.#match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\s)=!<>]+/y);
    const value = quotedText(literal) ?? plainLiteral(literal);
    return () => value;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new JsonPathError(`expected ${text}`);
  }
}

/** One of the things between brackets. */
function plainStep(text: string): Step {
  if (text === '*') return allStep;
  const quoted = quotedText(text);
  return quoted === undefined ? positions(text) : fieldStep(quoted);
}

function quotedText(text: string): string | undefined {
  const [, , inner] = /^(['"])(.*)\1$/s.exec(text) ?? [];
  return inner?.replace(/\\(.)/gs, '$1');
}

function plainLiteral(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new JsonPathError(`unexpected ${JSON.stringify(text)}`);
}

function positions(text: string): Step {
  if (/^-?\d+$/.test(text)) return indexStep(Number(text));
  const [, from = '', to = '', every = '1'] = /^(-?\d*):(-?\d*)(?::(\d+))?$/.exec(text) ?? [];
  if (!text.includes(':') || Number(every) < 1) throw new JsonPathError(`invalid array index ${text}`);
  const number = (digits: string) => (digits === '' ? undefined : Number(digits));
  return sliceStep(number(from), number(to), Number(every));
}
