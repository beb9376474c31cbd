// What is said of a strategic merge patch that makes a field something of another type.
//
// compat: values of a wrong type in a strategic merge patch are told in other words than those in a body
//
// The reference implementation does not read the result of such a patch as text: it puts its values into the fields of a type
// one after the other, in declared order, and stops at the first that does not fit.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { scalars, selfReading } from '../../schema/scalars.ts';
import type { ScalarType, SchemaType, StructType } from '../../schema/types.ts';
import { TypeMismatch } from '../type-mismatch.ts';
import { explainMismatch } from './explain-mismatch.ts';
import { goNameOf, goNameOfField, goNameOfItems } from './go-names.ts';

/** Undefined where every value fits. `name` is what messages call the type. */
export function restoreProblem(type: SchemaType, value: unknown, name = goNameOf(type)): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type.is) {
    case 'scalar':
      return selfReading.has(type.name) ? readingProblem(type, value) : scalarProblem(type, value, name);
    case 'union':
      return explainMismatch(type, value)?.message;
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
      return firstProblem(value, (item) => restoreProblem(type.of, item, goNameOfItems(name, type.of)));
    case 'map':
      if (!isJsonObject(value)) return `cannot restore map from ${kindOf(value)}`;
      return firstProblem(Object.values(value), (item) => restoreProblem(type.of, item, goNameOfItems(name, type.of)));
    case 'struct':
      if (!isJsonObject(value)) return `cannot restore struct from: ${kindOf(value)}`;
      return fieldProblem(type, value);
  }
}

function fieldProblem(type: StructType, value: JsonObject): string | undefined {
  return firstProblem(type.fields, (field) =>
    restoreProblem(field.type, value[field.name], goNameOfField(type, field)),
  );
}

function firstProblem<T>(list: readonly T[], problemOf: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const problem = problemOf(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Types that read themselves are given the value as text of its own. */
function readingProblem({ name }: ScalarType, value: unknown): string | undefined {
  try {
    scalars[name](value);
    return undefined;
  } catch (error) {
    if (error instanceof TypeMismatch) return error.message;
    throw error;
  }
}

function scalarProblem(type: ScalarType, value: unknown, name: string): string | undefined {
  const problem = readingProblem(type, value);
  if (problem === undefined || isWrapped(type, value)) return undefined;
  const kind = kindOf(value);
  if (type.name === 'bytes') return bytesProblem(kind, problem);
  const isConvertible = kind === 'int64' ? type.name === 'string' : kind === 'float64' && type.name.startsWith('int');
  return isConvertible ? `cannot convert ${kind} to ${name}` : `unrecognized type: ${goNameOf(type)}`;
}

const isWhole = (value: unknown): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value);
const isWrapped = ({ name }: ScalarType, value: unknown) => (name === 'int32' || name === 'int64') && isWhole(value);

/** What becomes of a value that fits by these rules; the same one where it fits as it is. */
export function restored(type: SchemaType, value: unknown): unknown {
  switch (type.is) {
    case 'scalar':
      return isWrapped(type, value) ? wrapped(type, value as number | bigint) : value;
    case 'union':
      return value;
    case 'list':
      return Array.isArray(value) ? restoredItems(type.of, value) : value;
    case 'map':
      return isJsonObject(value) ? restoredMembers(value, () => type.of) : value;
    case 'struct': {
      if (!isJsonObject(value)) return value;
      const types = new Map(type.fields.map((field) => [field.name, field.type]));
      return restoredMembers(value, (name) => types.get(name));
    }
  }
}

function restoredItems(type: SchemaType, list: readonly unknown[]): readonly unknown[] {
  const items = list.map((item) => restored(type, item));
  return items.every((item, index) => item === list[index]) ? list : items;
}

function restoredMembers(value: JsonObject, typeOf: (name: string) => SchemaType | undefined): JsonObject {
  let result = value;
  for (const [name, member] of Object.entries(value)) {
    const type = typeOf(name);
    const next = type === undefined ? member : (restored(type, member) as JsonValue);
    if (next === member) continue;
    if (result === value) result = { ...value };
    setOwn(result, name, next);
  }
  return result;
}

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * compat: a whole number that is too large for its field is cut off in strategic merge patches and applies
 *
 * What no 64 bits hold is the least number that they hold, of which 32 bits are zero.
 */
function wrapped({ name }: ScalarType, value: number | bigint): number | bigint {
  const whole = BigInt(value);
  const held = whole < least || whole > most ? least : whole;
  const cut = name === 'int32' ? BigInt.asIntN(32, held) : held;
  if (cut === whole) return value;
  const number = Number(cut);
  return Number.isSafeInteger(number) ? number : cut;
}

function bytesProblem(kind: string, problem: string): string {
  if (kind === 'string') return `error decoding from json: ${problem}`;
  return kind === 'slice' ? 'unrecognized type: uint8' : `cannot restore slice from ${kind}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return kinds[typeof value] ?? 'map';
}

const kinds: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', bigint: 'int64' };
