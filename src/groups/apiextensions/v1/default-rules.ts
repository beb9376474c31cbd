// Defaults of a schema: values that the schema they stand in takes as they are.

import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../../base/json.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import { validateEmbedded } from '../../../schema/structural/embedded.ts';
import { prune } from '../../../schema/structural/prune.ts';
import { isEmbedded, itemsOf, propertiesOf, type Schema } from '../../../schema/structural/schema.ts';
import { validateUniqueItems } from '../../../schema/structural/unique-items.ts';
import { validateValue } from '../../../schema/structural/validate.ts';
import type { Findings } from '../../rules.ts';

const ownMeta = ['metadata', 'kind', 'apiVersion'];

/** The schema is structural, and every other rule of schemas holds. */
export function validateDefaults(schema: Schema, at: string): Findings {
  return validateBelow({ ...schema }, at, { isObject: true, inMeta: false });
}

interface Position {
  /** The schema describes a whole object. */
  readonly isObject: boolean;
  /** It describes a part of what every object has. */
  readonly inMeta: boolean;
}

function validateBelow(schema: Schema, at: string, { isObject, inMeta: given }: Position): Findings {
  const inMeta = given && !isEmbedded(schema);
  const whole = isObject || isEmbedded(schema);
  const items = itemsOf(schema);
  const { default: value } = schema;
  return [
    ...(value === undefined || value === null ? [] : validateDefault(value as JsonValue, schema, at, inMeta)),
    ...(items ? validateBelow(items, `${at}.items`, { isObject: false, inMeta }) : []),
    ...propertiesOf(schema, at).flatMap(({ name, schema: one, at: place }) =>
      validateBelow(one, place, { isObject: false, inMeta: inMeta || (whole && ownMeta.includes(name)) }),
    ),
  ];
}

/** The first kind of rule that a default breaks; what is unknown in it is always told. */
function validateDefault(value: JsonValue, schema: Schema, at: string, inMeta: boolean): Findings {
  const place = `${at}.default`;
  if (inMeta) return validateValue(value, schema, place);
  const isPruned = isDeepStrictEqual(prune(value, schema), value);
  const unknown = isPruned ? [] : [invalidValue(place, value, 'must not have unknown fields')];
  for (const rule of [validateEmbedded, validateValue, validateUniqueItems]) {
    const found = rule(value, schema, place);
    if (found.length > 0) return [...unknown, ...found];
  }
  return unknown;
}
