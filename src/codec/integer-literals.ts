// Integers as a client wrote them: 1.0 and 1e3 are whole numbers and still no integers, which a parsed value no longer
// tells. Looked at only when a text may hold such numbers.

import type { JsonValue } from '../base/json/json.ts';
import { type PathPart, scanJson } from '../base/json/json-scan.ts';
import type { ObjectType } from '../schema/object-type.ts';
import type { Field, SchemaType, StructType } from '../schema/types.ts';
import { cannotUnmarshal, TypeMismatch, WrittenNumber } from '../wording/type-mismatch.ts';
import type { Parsed } from './strict.ts';

const written = /^-?\d+$/;

/** Where in an object a value of a text goes; undefined for nowhere. */
export type Target = (path: readonly PathPart[]) => readonly PathPart[] | undefined;

const itself: Target = (path) => path;

/** Throws a `TypeMismatch` for the first number of a JSON text that an integer field cannot take. */
export function checkIntegers(type: ObjectType, parsed: Parsed, target = itself): void {
  const unfit = firstUnfit(type, parsed, target);
  if (unfit === undefined) return;
  const { literal, field, integer } = unfit;
  throw new TypeMismatch(cannotUnmarshal(`number ${literal}`, `struct field ${field}`, integer));
}

/** The value with the first of these numbers as it was written, so that a reader of it stumbles; undefined where there is none. */
export function withWrittenNumber(type: ObjectType, parsed: Parsed): JsonValue | undefined {
  const unfit = firstUnfit(type, parsed, itself);
  if (unfit === undefined) return undefined;
  const last = unfit.path.at(-1) as PathPart;
  const holder = unfit.path.slice(0, -1).reduce(memberOf, parsed.value) as Record<PathPart, unknown>;
  holder[last] = new WrittenNumber(unfit.literal);
  return parsed.value;
}

/** Puts amounts into the value as they are written: a number would round 12345678901234567890.5, and has no 1e400. */
export function keepAmounts(type: ObjectType, parsed: Parsed, target = itself): void {
  if (type.is !== 'struct') return;
  eachFraction(parsed, (literal, path) => {
    const goal = target(path);
    if (goal === undefined || !isAmount(type, goal)) return;
    const place = path.at(-1) as PathPart;
    const holder = heldAt(parsed.value, path.slice(0, -1));
    // of keys that repeat, another one may count
    if (typeof heldAt(holder, [place]) === 'number') (holder as Record<PathPart, unknown>)[place] = literal;
  });
}

/** What a value holds at a place; undefined where there is none. */
function heldAt(value: JsonValue | undefined, path: readonly PathPart[]): JsonValue | undefined {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = memberOf(at, part);
  }
  return at;
}

/** The first number that is too large to be one, of those that count. */
export function infiniteNumberIn(parsed: Parsed, counts: (path: readonly PathPart[]) => boolean): string | undefined {
  let found: string | undefined;
  eachFraction(parsed, (literal, path) => {
    if (found === undefined && !Number.isFinite(Number(literal)) && counts(path)) found = literal;
  });
  return found;
}

type Visit = (literal: string, path: readonly PathPart[]) => void;

/** The numbers of a text that are written with a fraction or an exponent. */
function eachFraction({ fractions }: Parsed, visit: Visit): void {
  if (fractions === undefined) return;
  scanJson(fractions, {
    number: (literal, path) => {
      if (!written.test(literal)) visit(literal, path);
    },
  });
}

function isAmount(root: StructType, path: readonly PathPart[]): boolean {
  let type: SchemaType | undefined = root;
  for (const part of path) {
    if (type?.is === 'list' || type?.is === 'map') type = type.of;
    else if (type?.is === 'struct') type = type.fields.find(({ name }) => name === part)?.type;
    else return false;
  }
  return type?.is === 'scalar' && type.name === 'quantity';
}

const memberOf = (value: JsonValue, part: PathPart) => (value as Record<PathPart, JsonValue>)[part] as JsonValue;

/** Ends the scan of a text. */
class Found extends Error {
  readonly unfit: Unfit;

  constructor(unfit: Unfit) {
    super();
    this.unfit = unfit;
  }
}

function firstUnfit(type: ObjectType, { fractions }: Parsed, target: Target): Unfit | undefined {
  const check = (literal: string, path: readonly PathPart[]) => {
    // a schema says of a number what it is worth, not how it is written
    if (type.is !== 'struct') return throwIfInfinite(literal);
    const unfit = unfitAt(type, literal, target(path));
    if (unfit !== undefined) throw new Found(unfit);
  };
  try {
    if (fractions !== undefined) scanJson(fractions, { number: check });
    return undefined;
  } catch (error) {
    if (error instanceof Found) return error.unfit;
    throw error;
  }
}

function throwIfInfinite(literal: string): void {
  if (!Number.isFinite(Number(literal)))
    throw new TypeMismatch(cannotUnmarshal(`number ${literal}`, 'value', 'float64'));
}

function unfitAt(type: StructType, literal: string, goal: readonly PathPart[] | undefined): Unfit | undefined {
  if (written.test(literal) || goal === undefined) return undefined;
  const place = placeOf(type, goal);
  return place && { ...place, literal, path: [...goal] };
}

const integers: Readonly<Record<string, string>> = { int32: 'int32', int64: 'int64', 'int-or-string': 'int32' };

interface Place {
  readonly field: string;
  readonly integer: string;
}

interface Unfit extends Place {
  readonly literal: string;
  readonly path: readonly PathPart[];
}

/** Undefined where a path leads to no integer field. */
function placeOf(root: StructType, path: readonly PathPart[]): Place | undefined {
  let type: SchemaType | undefined = root;
  let struct = root.name;
  const names: string[] = [];
  for (const part of path) {
    if (type?.is === 'list' || type?.is === 'map') type = type.of;
    else if (type?.is === 'struct') {
      struct = type.name;
      const field: Field | undefined = type.fields.find(({ name }) => name === part);
      names.push(...(field?.inlined ?? []), String(part));
      type = field?.type;
    } else return undefined;
  }
  const integer = type?.is === 'scalar' ? integers[type.name] : undefined;
  return integer === undefined ? undefined : { field: `${struct}.${names.join('.')}`, integer };
}
