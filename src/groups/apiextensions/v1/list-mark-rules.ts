// How lists of custom resources merge: marks that fit the schema of their items.

import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import { itemsOf, keysOf, listTypeOf, mapTypeOf, marks, type Schema } from '../../../schema/structural/schema.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { oneOf, repeatsIn, type ValidationErrors } from '../../rules.ts';

export function validateListMarks(schema: Schema, at: string): ValidationErrors {
  const listType = listTypeOf(schema);
  return [
    ...(listType === undefined ? [] : validateListType(schema, listType, at)),
    ...validateKeysAlone(schema, listType, at),
    ...(listType === 'map' ? validateMapList(schema, at) : []),
    ...(listType === 'map' || listType === 'set' ? validateItemsOnce(schema, listType, at) : []),
  ];
}

function validateListType(schema: Schema, listType: string, at: string): ValidationErrors {
  const { type = '' } = schema;
  const detail = `must be array if ${marks.listType} is specified`;
  const found = oneOf(`${at}.${marks.listType}`, listType, ['atomic', 'set', 'map']);
  if (type === '') return [required(`${at}.type`, detail), ...found];
  if (type !== 'array') return [invalidValue(`${at}.type`, type, detail), ...found];
  return [...(listType === 'set' ? validateSetItems(itemsOf(schema), at) : []), ...found];
}

/** Members of a set are the same or not: there is nothing to merge inside them. */
function validateSetItems(items: Schema | undefined, at: string): ValidationErrors {
  const detail = `must be atomic as item of a list with ${marks.listType}=set`;
  if (items?.type === 'array' && (listTypeOf(items) ?? 'atomic') !== 'atomic')
    return [invalidValue(`${at}.items.${marks.listType}`, listTypeOf(items), detail)];
  if (items?.type === 'object' && mapTypeOf(items) !== 'atomic')
    return [invalidValue(`${at}.items.${marks.mapType}`, mapTypeOf(items), detail)];
  return [];
}

function validateKeysAlone(schema: Schema, listType: string | undefined, at: string): ValidationErrors {
  if (keysOf(schema).length === 0 || listType === 'map') return [];
  const detail = `must be map if ${marks.listMapKeys} is non-empty`;
  const place = `${at}.${marks.listType}`;
  return [listType === undefined ? required(place, detail) : invalidValue(place, listType, detail)];
}

function validateMapList(schema: Schema, at: string): ValidationErrors {
  const items = itemsOf(schema);
  const isMap = `${marks.listType} is map`;
  return [
    ...(keysOf(schema).length === 0 ? [required(`${at}.${marks.listMapKeys}`, `must not be empty if ${isMap}`)] : []),
    ...(schema.items === undefined ? [required(`${at}.items`, `must have a schema if ${isMap}`)] : []),
    ...(Array.isArray(schema.items)
      ? [
          invalidValue(
            `${at}.items`,
            inReferenceForm('JSONSchemaPropsOrArray', schema.items),
            `must only have a single schema if ${isMap}`,
          ),
        ]
      : []),
    ...(items && items.type !== 'object'
      ? [invalidValue(`${at}.items.type`, items.type ?? '', `must be object if parent array's ${isMap}`)]
      : []),
    ...(items?.type === 'object' ? validateKeys(keysOf(schema), items, at) : []),
  ];
}

function validateKeys(keys: readonly string[], { properties = {} }: Schema, at: string): ValidationErrors {
  const place = `${at}.${marks.listMapKeys}`;
  const isRepeated = repeatsIn(keys);
  return keys.flatMap((key, index) => {
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : undefined;
    const detail = `must be a scalar type if parent array's ${marks.listType} is map`;
    return [
      ...(Object.hasOwn(properties, key)
        ? []
        : [invalidValue(place, keys, 'entries must all be names of item properties')]),
      ...(type === 'array' || type === 'object'
        ? [invalidValue(`${at}.items.properties[${key}].type`, 'object', detail)]
        : []),
      ...(isRepeated(index) ? [invalidValue(place, keys, 'must not contain duplicate entries')] : []),
    ];
  });
}

/** Items are told apart by themselves or by their keys, so these have to be there. */
function validateItemsOnce(schema: Schema, listType: string, at: string): ValidationErrors {
  const items = itemsOf(schema);
  if (items === undefined) return [];
  const { properties = {} } = items;
  const needed = new Set(items.required);
  const keys = listType === 'map' ? keysOf(schema).filter((key) => Object.hasOwn(properties, key)) : [];
  const because = `this property is in ${marks.listMapKeys}, so it`;
  return [
    ...(items.nullable
      ? [forbiddenField(`${at}.items.nullable`, `cannot be nullable when ${marks.listType} is ${listType}`)]
      : []),
    ...keys.flatMap((key) => {
      const place = `${at}.items.properties[${key}]`;
      return [
        ...(needed.has(key) || properties[key]?.default !== undefined
          ? []
          : [required(`${place}.default`, `${because} must have a default or be a required property`)]),
        ...(properties[key]?.nullable ? [forbiddenField(`${place}.nullable`, `${because} cannot be nullable`)] : []),
      ];
    }),
  ];
}
