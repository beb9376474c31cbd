// Integers as a client wrote them: 1.0 and 1e3 are whole numbers and still no integers, which a parsed value no longer
// tells. Looked at only when a text may hold such numbers.

import { type PathPart, scanJson } from '../base/json-scan.ts';
import { unfitNumber } from '../schema/decode.ts';
import type { ObjectType } from '../schema/object-type.ts';
import type { SchemaType, StructType } from '../schema/types.ts';
import type { Parsed } from './strict.ts';

const written = /^-?\d+$/;

/** Where in an object a value of a text goes; undefined for nowhere. */
export type Target = (path: readonly PathPart[]) => readonly PathPart[] | undefined;

const itself: Target = (path) => path;

/** Throws a `TypeMismatch` for the first number of a JSON text that an integer field cannot take. */
export function checkIntegers(type: ObjectType, { fractions, seen }: Parsed, target = itself): void {
  // a schema says of a number what it is worth, not how it is written
  if (type.is !== 'struct') return;
  const check = (literal: string, path: readonly PathPart[]) => checkInteger(type, literal, target(path));
  for (const { literal, path } of seen?.fractions ?? []) check(literal, path);
  if (fractions !== undefined) scanJson(fractions, { number: check });
}

function checkInteger(type: StructType, literal: string, goal: readonly PathPart[] | undefined): void {
  if (written.test(literal)) return;
  const place = goal && placeOf(type, goal);
  if (place !== undefined) throw unfitNumber(literal, `struct field ${place.field}`, place.integer);
}

const integers: Readonly<Record<string, string>> = { int32: 'int32', int64: 'int64', 'int-or-string': 'int32' };

interface Place {
  readonly field: string;
  readonly integer: string;
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
      names.push(String(part));
      type = type.fields.find(({ name }) => name === part)?.type;
    } else return undefined;
  }
  const integer = type?.is === 'scalar' ? integers[type.name] : undefined;
  return integer === undefined ? undefined : { field: `${struct}.${names.join('.')}`, integer };
}
