// Integers as a client wrote them: 1.0 and 1e3 are whole numbers and still no integers, which a parsed value no longer
// tells. Looked at only when a text may hold such numbers.

import type { JsonValue } from '../base/json.ts';
import { type PathPart, scanJson } from '../base/json-scan.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { cannotUnmarshal, TypeMismatch, WrittenNumber } from '../schema/type-mismatch.ts';
import type { Field, SchemaType, StructType } from '../schema/types.ts';
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

const memberOf = (value: JsonValue, part: PathPart) => (value as Record<PathPart, JsonValue>)[part] as JsonValue;

/** Ends the scan of a text. */
class Found extends Error {
  readonly unfit: Unfit;

  constructor(unfit: Unfit) {
    super();
    this.unfit = unfit;
  }
}

function firstUnfit(type: ObjectType, { fractions, seen }: Parsed, target: Target): Unfit | undefined {
  const check = (literal: string, path: readonly PathPart[]) => {
    // a schema says of a number what it is worth, not how it is written
    if (type.is !== 'struct') return throwIfInfinite(literal);
    const unfit = unfitAt(type, literal, target(path));
    if (unfit !== undefined) throw new Found(unfit);
  };
  try {
    for (const { literal, path } of seen?.fractions ?? []) check(literal, path);
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
