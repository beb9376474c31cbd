// Schemas that no structural schema can be made of.

import type { Steps } from '../../../base/steps.ts';
import { marks, type Schema } from '../../../schema/structural/schema.ts';

const unfit: readonly (readonly [keyword: string, name: string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
];

const isEmpty = (value: unknown) =>
  value === undefined || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** What a structural schema has no place for, in a schema or in one inside of it: the first such thing, in words. One step a schema. */
export function* findUnfitKeyword(schema: Schema): Steps<string | undefined> {
  yield;
  const [, name] = unfit.find(([keyword]) => !isEmpty(schema[keyword])) ?? [];
  if (name !== undefined) return `OpenAPIV3Schema '${name}' is not supported`;
  const restricted = yield* firstOf(restricting(schema));
  if (restricted !== undefined) return restricted;
  if (schema[marks.preserve] === false) return `internal error: '${marks.preserve}' must be true or undefined`;
  if (Array.isArray(schema.items) && schema.items.length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return yield* firstOf(describing(schema));
}

function* firstOf(schemas: Iterable<Schema>): Steps<string | undefined> {
  for (const one of schemas) {
    const found = yield* findUnfitKeyword(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function* restricting({ not, allOf = [], anyOf = [], oneOf = [] }: Schema): Iterable<Schema> {
  if (not) yield not;
  yield* allOf;
  yield* anyOf;
  yield* oneOf;
}

function* describing({ items, properties = {}, additionalProperties: additional }: Schema): Iterable<Schema> {
  if (items !== undefined && !Array.isArray(items)) yield items as Schema;
  yield* Object.values(properties);
  if (typeof additional === 'object') yield additional;
}
