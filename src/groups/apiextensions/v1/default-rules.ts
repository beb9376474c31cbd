// Defaults of a schema: values that the schema they stand in takes as they are.

import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../../base/json.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import { validateEmbedded } from '../../../schema/structural/embedded.ts';
import { prune } from '../../../schema/structural/prune.ts';
import { isEmbedded, itemsOf, propertiesOf, type Schema } from '../../../schema/structural/schema.ts';
import { validateUniqueItems } from '../../../schema/structural/unique-items.ts';
import { validateValue } from '../../../schema/structural/validate.ts';
import type { ValidationErrors } from '../../rules.ts';

const ownMeta = ['metadata', 'kind', 'apiVersion'];

/** The schema is structural, and every other rule of schemas holds. */
export function validateDefaults(schema: Schema, at: string): ValidationErrors {
  return defaultsOf(schema, at).flatMap(validateDefault);
}

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
}

/** The defaults of the schema of an object; under `additionalProperties` there are none. */
export function defaultsOf(
  schema: Schema,
  at: string,
  given: Position = { isObject: true, inMeta: false },
): readonly Default[] {
  const inMeta = given.inMeta && !isEmbedded(schema);
  const isObject = given.isObject || isEmbedded(schema);
  const items = itemsOf(schema);
  const { default: value } = schema;
  const here = { value: value as JsonValue, schema, at: `${at}.default`, position: { isObject, inMeta } };
  return [
    ...(value === undefined || value === null ? [] : [here]),
    ...(items ? defaultsOf(items, `${at}.items`, { isObject: false, inMeta }) : []),
    ...propertiesOf(schema, at).flatMap(({ name, schema: one, at: place }) =>
      defaultsOf(one, place, { isObject: false, inMeta: inMeta || (isObject && ownMeta.includes(name)) }),
    ),
  ];
}

/** The first kind of rule that a default breaks; what is unknown in it is always told. */
export function validateDefault({ value, schema, at, position }: Default): ValidationErrors {
  if (position.inMeta) return validateValue(value, schema, at);
  const isPruned = isDeepStrictEqual(prune(value, schema), value);
  const unknown = isPruned ? [] : [invalidValue(at, value, 'must not have unknown fields')];
  for (const rule of [validateEmbedded, validateValue, validateUniqueItems]) {
    const found = rule(value, schema, at);
    if (found.length > 0) return [...unknown, ...found];
  }
  return unknown;
}
