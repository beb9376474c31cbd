// What is said of a strategic merge patch that makes a field something of another type.
//
// compat: values of a wrong type in a strategic merge patch are told in other words than those in a body
//
// The reference implementation does not read the result of such a patch as text: it puts its values into the fields of a type
// one after the other, in declared order, and stops at the first that does not fit.

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { explainMismatch } from './explain-mismatch.ts';
import { goNameOf, goNameOfField, goNameOfItems } from './go-names.ts';
import { scalars, selfReading } from './scalars.ts';
import { TypeMismatch } from './type-mismatch.ts';
import type { ScalarType, SchemaType, StructType } from './types.ts';

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
  if (problem === undefined) return undefined;
  const kind = kindOf(value);
  if (type.name === 'bytes') return bytesProblem(kind, problem);
  const isConvertible = kind === 'int64' ? type.name === 'string' : kind === 'float64' && type.name.startsWith('int');
  return isConvertible ? `cannot convert ${kind} to ${name}` : `unrecognized type: ${goNameOf(type)}`;
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
