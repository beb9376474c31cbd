// Schemas that no structural schema can be made of.

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

/** What a structural schema has no place for, in a schema or in one inside of it: the first such thing, in words. */
export function findUnfitKeyword(schema: Schema): string | undefined {
  const [, name] = unfit.find(([keyword]) => !isEmpty(schema[keyword])) ?? [];
  if (name !== undefined) return `OpenAPIV3Schema '${name}' is not supported`;
  const restricted = firstOf(restrictingSchemas(schema));
  if (restricted !== undefined) return restricted;
  if (schema[marks.preserve] === false) return `internal error: '${marks.preserve}' must be true or undefined`;
  if (Array.isArray(schema.items) && schema.items.length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return firstOf(describingSchemas(schema));
}

function firstOf(schemas: readonly Schema[]): string | undefined {
  for (const schema of schemas) {
    const unfitKeyword = findUnfitKeyword(schema);
    if (unfitKeyword !== undefined) return unfitKeyword;
  }
  return undefined;
}

const restrictingSchemas = ({ not, allOf = [], anyOf = [], oneOf = [] }: Schema): readonly Schema[] => [
  ...(not ? [not] : []),
  ...allOf,
  ...anyOf,
  ...oneOf,
];

const describingSchemas = ({ items, properties = {}, additionalProperties }: Schema): readonly Schema[] => [
  ...(items !== undefined && !Array.isArray(items) ? [items as Schema] : []),
  ...Object.values(properties),
  ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
];
