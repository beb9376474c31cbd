// The type that a value has while an expression runs.

import { type CelType, isDynamic, runtimeName } from './types.ts';
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

/** Whether the value may be passed where a function declares the type; what is inside of lists and maps is not looked at. */
export function fits(type: CelType, value: Value): boolean {
  switch (type.is) {
    case 'string':
      return typeof value === 'string';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
    default:
      return fitsOther(type, value);
  }
}

function fitsOther(type: CelType, value: Value): boolean {
  if (isDynamic(type) || type.is === 'param') return true;
  return typeOf(value) === runtimeName(type) || (type.is === 'map' && value instanceof ObjectValue);
}
