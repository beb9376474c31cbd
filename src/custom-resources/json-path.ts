// Paths to values in custom resources, as columns of tables have them: `.spec.size`, `.items[0]`,
// `.status.conditions[?(@.type=="Ready")].status`.

import { getOwn, isJsonObject, type JsonValue } from '../base/json/json.ts';

export class JsonPathError extends Error {}

/** The first value that a path leads to, or undefined. Later values are not looked for. */
export interface JsonPath {
  (value: JsonValue, budget?: VisitBudget): JsonValue | undefined;
  /** Whether a step leads to several values. */
  readonly branches: boolean;
  /** The fields that the path begins with: it leads to nothing outside the value there. */
  readonly fields: readonly string[];
}

/** How many values a search may still visit; below zero once it has ended for lack of them, and found nothing. */
interface VisitBudget {
  visitsLeft: number;
}

/** Values that one path, or all paths of a table's row together, visit in one object. */
export const maxPathVisits = 20_000;

/** Throws a `JsonPathError` for a text that is no path. */
export function parseJsonPath(text: string): JsonPath {
  const steps = new PathParser(text).steps();
  const first = (value: JsonValue, budget: VisitBudget = { visitsLeft: maxPathVisits }) =>
    new Search(budget).first(value, steps);
  return Object.assign(first, { branches: steps.some(({ branches }) => branches), fields: leadingFields(steps) });
}

/** What is deeper is read as a whole. */
const maxFields = 16;

function leadingFields(steps: readonly Step[]): readonly string[] {
  const fields: string[] = [];
  for (const step of steps) {
    if (!('field' in step) || step.field === undefined || fields.length === maxFields) break;
    fields.push(step.field);
  }
  return fields;
}

/** From a value to those inside it that the step leads to. */
interface InnerStep {
  readonly branches: boolean;
  /** Set for a step to the field of an object. */
  readonly field?: string;
  readonly values: (value: JsonValue, search: Search) => readonly JsonValue[];
}

/** To the value and to all values inside it, at every depth. */
const descent = { branches: true, descends: true } as const;

type Step = InnerStep | typeof descent;

const one = (values: (value: JsonValue) => readonly JsonValue[]): InnerStep => ({ branches: false, values });
const several = (values: InnerStep['values']): InnerStep => ({ branches: true, values });

/** The search for the first value of a path in one object, and for the operands of its filters. */
class Search {
  readonly #budget: VisitBudget;

  constructor(budget: VisitBudget) {
    this.#budget = budget;
  }

  first(value: JsonValue, steps: readonly Step[]): JsonValue | undefined {
    return this.#from(value, steps, 0, new Map());
  }

  /** Counts visited values; false when the search has to end. */
  visit(count: number): boolean {
    this.#budget.visitsLeft -= count;
    return this.#budget.visitsLeft >= 0;
  }

  #from(value: JsonValue, steps: readonly Step[], at: number, seen: SeenValues): JsonValue | undefined {
    const step = steps[at];
    if (step === undefined) return value;
    if ('descends' in step) return this.#below(value, steps, at, seen);
    return this.#firstOf(step.values(value, this), (inner) => this.#from(inner, steps, at + 1, seen));
  }

  /**
   * Several descents reach one value in many ways. It leads to the same values each time, so it is visited once for
   * each of them.
   */
  #below(value: JsonValue, steps: readonly Step[], at: number, seen: SeenValues): JsonValue | undefined {
    if (!isFirstVisit(value, at, seen)) return undefined;
    const match = this.#from(value, steps, at + 1, seen);
    if (match !== undefined) return match;
    return this.#firstOf(members(value, this), (inner) => this.#below(inner, steps, at, seen));
  }

  #firstOf(values: readonly JsonValue[], find: (value: JsonValue) => JsonValue | undefined): JsonValue | undefined {
    for (const value of values) {
      const match = this.visit(1) ? find(value) : undefined;
      if (match !== undefined || this.#budget.visitsLeft < 0) return match;
    }
    return undefined;
  }
}

/** By the position of a descent: the values that it visited. */
type SeenValues = Map<number, Set<JsonValue>>;

function isFirstVisit(value: JsonValue, at: number, seen: SeenValues): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const values = seen.get(at);
  if (values === undefined) seen.set(at, new Set([value]));
  else if (values.has(value)) return false;
  else values.add(value);
  return true;
}

const fieldStep = (name: string): InnerStep => ({
  ...one((value) => {
    const member = isJsonObject(value) ? getOwn(value, name) : undefined;
    return member === undefined ? [] : [member];
  }),
  field: name,
});

/** The items of a list, or the values of an object's fields. Listing the fields is work of its own. */
function members(value: JsonValue, search: Search): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  const values = Object.values(value);
  search.visit(values.length);
  return values;
}

const allStep: InnerStep = several(members);

/** Positions from the end are negative; the end of a slice is left out. */
const sliceStep = (from: number | undefined, to: number | undefined, every: number): InnerStep =>
  several((value, search) => {
    if (!Array.isArray(value)) return [];
    const slice = value.slice(from, to);
    return search.visit(slice.length) ? slice.filter((_, index) => index % every === 0) : [];
  });

const indexStep = (index: number): InnerStep =>
  one((value) => {
    const item = Array.isArray(value) ? value.at(index) : undefined;
    return item === undefined ? [] : [item];
  });

/** Several steps from one value. A value that two of them lead to comes once. */
const unionStep = (steps: readonly InnerStep[]): InnerStep =>
  several((value, search) => {
    const all = new Set<JsonValue>();
    for (const step of steps) {
      if (!search.visit(1)) break;
      for (const inner of step.values(value, search)) all.add(inner);
    }
    return [...all];
  });

type Operand = (item: JsonValue, search: Search) => JsonValue | undefined;

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

function filterStep(left: Operand, operator: string | undefined, right: Operand | undefined): InnerStep {
  const compare = operator === undefined ? undefined : comparisons[operator];
  return several((value, search) => {
    const items = Array.isArray(value) ? value : [];
    return items.filter((item) => {
      if (!search.visit(1)) return false;
      const a = left(item, search);
      const b = right?.(item, search);
      if (a === undefined) return false;
      return compare === undefined || (b !== undefined && compare(a, b));
    });
  });
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
      if (this.#take('..')) this.#descend(steps);
      else if (this.#take('.')) steps.push(...this.#named());
      else if (this.#take('[')) steps.push(this.#bracket());
      else throw new JsonPathError(`unexpected ${JSON.stringify(this.#text[this.#at])}`);
    }
    return steps;
  }

  /** A descent from a descent leads to the same values. */
  #descend(steps: Step[]): void {
    if (steps.at(-1) !== descent) steps.push(descent);
    steps.push(...this.#named());
  }

  /** A field after a dot; none where a bracket follows, or nothing. */
  #named(): readonly Step[] {
    if (this.#take('*')) return [allStep];
    const name = this.#match(/(?:\\.|[^.[\]\\\s'"(){}])*/y);
    return name === '' ? [] : [fieldStep(name.replace(/\\(.)/gs, '$1'))];
  }

  #bracket(): InnerStep {
    if (this.#take('?(')) return this.#filter();
    const inner = this.#match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\]'"])*/y).trim();
    this.#expect(']');
    const parts = inner.match(/(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,'"])+/g) ?? [''];
    const steps = parts.map((part) => plainStep(part.trim()));
    return steps.length === 1 ? (steps[0] as InnerStep) : unionStep(steps);
  }

  #filter(): InnerStep {
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
      return (item, search) => search.first(item, steps);
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
function plainStep(text: string): InnerStep {
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

function positions(text: string): InnerStep {
  if (/^-?\d+$/.test(text)) return indexStep(Number(text));
  const [, from = '', to = '', every = '1'] = /^(-?\d*):(-?\d*)(?::(\d+))?$/.exec(text) ?? [];
  if (!text.includes(':') || Number(every) < 1) throw new JsonPathError(`invalid array index ${text}`);
  const number = (digits: string) => (digits === '' ? undefined : Number(digits));
  return sliceStep(number(from), number(to), Number(every));
}
