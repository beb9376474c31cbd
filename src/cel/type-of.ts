// The type that a value has while an expression runs.

import { type CelType, runtimeName } from './types.ts';
import {
  DurationValue,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from './values.ts';

/** The name of the value's type. */
export function typeOf(value: Value): string {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : typeOfObject(value);
  }
}

function typeOfObject(value: Value & object): string {
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof ObjectValue) return value.type.fields.name;
  if (value instanceof UintValue) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof TimestampValue) return 'google.protobuf.Timestamp';
  if (value instanceof DurationValue) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  return value instanceof OpaqueValue ? value.type.name : 'dyn';
}

type Test = (value: Value) => boolean;

const tests: Readonly<Partial<Record<CelType['is'], Test>>> = {
  dyn: () => true,
  any: () => true,
  param: () => true,
  string: (value) => typeof value === 'string',
  int: (value) => typeof value === 'bigint',
  double: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
  list: (value) => value instanceof ListValue,
  map: (value) => value instanceof MapValue || value instanceof ObjectValue,
};

/** Whether a value may be passed where a function declares the type; the content of lists and maps is not checked. */
export function testOf(type: CelType): Test {
  const name = runtimeName(type);
  return tests[type.is] ?? ((value) => typeOf(value) === name);
}

export const fits = (type: CelType, value: Value): boolean => testOf(type)(value);
