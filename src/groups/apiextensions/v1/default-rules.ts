// Defaults of a schema: values that the schema they stand in takes as they are.

import { isSameJson, type JsonObject, type JsonValue } from '../../../base/json/json.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import { decoderOf } from '../../../schema/decode.ts';
import { validateEmbedded } from '../../../schema/structural/embedded.ts';
import { decodeEmbedded, EmbeddedMismatch } from '../../../schema/structural/embedded-meta.ts';
import { prune } from '../../../schema/structural/prune.ts';
import { isEmbedded, itemsOf, marks, propertiesOf, type Schema } from '../../../schema/structural/schema.ts';
import { validateDefaultValue } from '../../../schema/structural/validate.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import type { ValidationErrors } from '../../rules.ts';

const ownMeta = ['metadata', 'kind', 'apiVersion'];

/** A default and the schema that it stands in. */
export interface Default {
  readonly value: JsonValue;
  readonly schema: Schema;
  readonly at: string;
  readonly position: Position;
}

interface Position {
  /** The schema describes a whole object. */
  readonly isObject: boolean;
  /** It describes a part of what every object has. */
  readonly inMeta: boolean;
  /** The schema of the whole object that it stands in, and that object around a value. */
  readonly root: Schema;
  around(value: JsonValue): JsonValue;
}

/** Whole objects say what they are; metadata alone is no object. */
const madeUp = { apiVersion: 'validation/v1', kind: 'Validation' };

/** The defaults of the schema of an object; under `additionalProperties` there may be none. */
export function defaultsIn(schema: Schema, at: string): readonly Default[] {
  const defaults: Default[] = [];
  const position = { isObject: true, inMeta: false, root: {}, around: (value: JsonValue) => value };
  collectDefaults(schema, at, position, defaults);
  return defaults;
}

function collectDefaults(schema: Schema, at: string, given: Position, defaults: Default[]): void {
  const position = given.isObject || isEmbedded(schema) ? wholeObject(schema) : given;
  const { isObject, inMeta, root, around } = position;
  const items = itemsOf(schema);
  const { default: value } = schema;
  const below = { isObject: false, root };
  if (value !== undefined && value !== null)
    defaults.push({ value: value as JsonValue, schema: isObject ? root : schema, at: `${at}.default`, position });
  if (items) {
    const position = { ...below, inMeta, around: (item: JsonValue) => around([item]) };
    collectDefaults(items, `${at}.items`, position, defaults);
  }
  for (const { name, schema: one, at: place } of propertiesOf(schema, at)) {
    const isMeta = inMeta || (isObject && ownMeta.includes(name));
    const position = { ...below, inMeta: isMeta, around: (member: JsonValue) => around({ [name]: member }) };
    collectDefaults(one, place, position, defaults);
  }
}

const wholeObject = (schema: Schema): Position => ({
  isObject: true,
  inMeta: false,
  root: isEmbedded(schema) ? schema : { ...schema, [marks.embedded]: true },
  around: (value) => ({ ...madeUp, ...(value as JsonObject) }),
});

function validateInMeta(value: JsonValue, schema: Schema, at: string, { root, around }: Position): ValidationErrors {
  const whole = around(value);
  const wrong = embeddedTypes(whole, root, '');
  const problems = wrong.length > 0 ? wrong : validateEmbedded(whole, root, '');
  if (problems.length === 0) return validateDefaultValue(value, schema, at);
  const words = problems.map(({ field, message }) => `${field.replace(/^\./, '')}: ${message}`);
  const shown = words.length === 1 ? words[0] : `[${words.join(', ')}]`;
  return [invalidValue(at, value, `must result in valid metadata: ${shown}`)];
}

function embeddedTypes(value: JsonValue, schema: Schema, at: string): ValidationErrors {
  try {
    decodeEmbedded(value, schema, decoderOf(objectMeta), at);
    return [];
  } catch (error) {
    if (error instanceof EmbeddedMismatch) return [error.problem];
    throw error;
  }
}

/** The first kind of rule that a default breaks; what is unknown in it is always told. */
export function validateDefault({ value, schema, at, position }: Default): ValidationErrors {
  if (position.inMeta) return validateInMeta(value, schema, at, position);
  const isPruned = isSameJson(prune(value, schema), value);
  const unknown = isPruned ? [] : [invalidValue(at, value, 'must not have unknown fields')];
  for (const rule of [embeddedTypes, validateEmbedded, validateDefaultValue]) {
    const found = rule(value, schema, at);
    if (found.length > 0) return [...unknown, ...found];
  }
  return unknown;
}
