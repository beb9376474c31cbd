// Structural schemas: what every value looks like is said once, outside of allOf, anyOf, oneOf and not.

import { isDeepStrictEqual } from 'node:util';
import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import {
  additionalOf,
  alternatives,
  isEmbedded,
  isIntOrString,
  itemsOf,
  marks,
  type Place,
  preserves,
  propertiesOf,
  type Schema,
} from '../../../schema/structural/schema.ts';
import type { ValidationErrors } from '../../rules.ts';
import { hasManyPatterns, patternSteps } from './pattern-rules.ts';

type Level = 'root' | 'item' | 'field';

const emptyType = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

export const validateStructural = (schema: Schema, at: string): ValidationErrors =>
  [...structuralSteps(schema, at)].flat();

/** The same in steps, the last of which tells everything. */
export function* structuralSteps(schema: Schema, at: string): Generator<ValidationErrors> {
  const found = [...validateInvariants(schema, 'root', at)];
  yield [];
  found.push(...validateCompleteness(schema, schema, at, at));
  yield [];
  if (!hasManyPatterns(schema)) found.push(...[...patternSteps(schema, at)].flat());
  yield inOrder(found);
}

function inOrder(found: ValidationErrors): ValidationErrors {
  const lines = found.map((validationError) => ({
    validationError,
    line: `${validationError.field}: ${validationError.message}`,
  }));
  return lines.sort((a, b) => (a.line < b.line ? -1 : 1)).map(({ validationError }) => validationError);
}

function validateInvariants(schema: Schema, level: Level, at: string): ValidationErrors {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  return [
    ...(schema.type === 'array' && items === undefined ? [required(`${at}.items`, 'must be specified')] : []),
    ...(items ? validateInvariants(items, 'item', `${at}.items`) : []),
    ...propertiesOf(schema, at).flatMap((place) => validateInvariants(place.schema, 'field', place.at)),
    ...(schema.additionalProperties !== undefined && level === 'root'
      ? [forbiddenField(`${at}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(additional ? validateInvariants(additional, 'field', `${at}.additionalProperties`) : []),
    ...validateMarks(schema, at),
    ...validateJunctors(schema, at, { intOrString: true }),
    ...validateType(schema, level, at),
    ...validateEmbedded(schema, at),
    ...validateMetadata(schema, level, at),
  ];
}

function validateMarks(schema: Schema, at: string): ValidationErrors {
  if (!isIntOrString(schema)) return [];
  const detail = `must be false if ${marks.intOrString} is true`;
  return [
    ...(preserves(schema) ? [invalidValue(`${at}.${marks.preserve}`, true, detail)] : []),
    ...(isEmbedded(schema) ? [invalidValue(`${at}.${marks.embedded}`, true, detail)] : []),
  ];
}

function validateType(schema: Schema, level: Level, at: string): ValidationErrors {
  const { type = '' } = schema;
  const detail = `must be object if ${marks.embedded} is true`;
  if (isEmbedded(schema) && type !== 'object')
    return [type === '' ? required(`${at}.type`, detail) : invalidValue(`${at}.type`, type, detail)];
  if (type === '' && !isIntOrString(schema) && !preserves(schema)) return [required(`${at}.type`, emptyType[level])];
  return level === 'root' && type !== '' && type !== 'object'
    ? [invalidValue(`${at}.type`, type, 'must be object at the root')]
    : [];
}

function validateEmbedded(schema: Schema, at: string): ValidationErrors {
  if (!isEmbedded(schema)) return [];
  const isEmpty = !preserves(schema) && Object.keys(schema.properties ?? {}).length === 0;
  return [
    ...(schema.additionalProperties === undefined
      ? []
      : [forbiddenField(`${at}.additionalProperties`, `must not be used if ${marks.embedded} is set`)]),
    ...(isEmpty
      ? [required(`${at}.properties`, `must not be empty if ${marks.embedded} is true without ${marks.preserve}`)]
      : []),
  ];
}

const metadataAdvice =
  'must not specify anything other than name and generateName, but metadata is implicitly specified';

/** What every object has looks the same everywhere; only names may be restricted. */
function validateMetadata(schema: Schema, level: Level, at: string): ValidationErrors {
  const { properties = {} } = schema;
  const isObject = level === 'root' || isEmbedded(schema);
  const typed = (name: string, type: string) => {
    const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject || found === undefined || found.type === type) return [];
    return [invalidValue(`${at}.properties[${name}].type`, found.type ?? '', `must be ${type}`)];
  };
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined;
  return [
    ...typed('kind', 'string'),
    ...typed('apiVersion', 'string'),
    ...typed('metadata', 'object'),
    ...(level === 'root' && metadata && !restrictsNamesOnly(metadata)
      ? [forbiddenField(`${at}.properties[metadata]`, metadataAdvice)]
      : []),
  ];
}

function restrictsNamesOnly({ type: _, default: __, properties = {}, ...rest }: Schema): boolean {
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

interface Exceptions {
  /** The one place where types may stand in an `anyOf`: to say "an integer or a string". */
  readonly intOrString: boolean;
}

const integerOrString = [{ type: 'integer' }, { type: 'string' }];
const saysIntOrString = (schema: Schema | undefined) => isDeepStrictEqual(schema?.anyOf, integerOrString);

function validateJunctors(schema: Schema, at: string, { intOrString }: Exceptions): ValidationErrors {
  const [firstOfAll] = schema.allOf ?? [];
  return [
    ...(intOrString && saysIntOrString(schema) ? [] : alternatives(schema, 'anyOf', at).flatMap(nested)),
    ...alternatives(schema, 'allOf', at).flatMap((place, index) =>
      validateNested(place, { intOrString: intOrString && index === 0 && saysIntOrString(firstOfAll) }),
    ),
    ...alternatives(schema, 'oneOf', at).flatMap(nested),
    ...(schema.not ? nested({ schema: schema.not, at: `${at}.not` }) : []),
  ];
}

const nested = (place: Place) => validateNested(place, { intOrString: false });

const keywordsOutside: readonly (readonly [string, 'empty' | 'undefined' | 'false'])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['externalDocs', 'undefined'],
  [marks.preserve, 'false'],
  [marks.embedded, 'false'],
  [marks.intOrString, 'false'],
  [marks.listMapKeys, 'empty'],
  [marks.listType, 'undefined'],
  [marks.mapType, 'undefined'],
  [marks.validations, 'empty'],
];

/** Under a junctor values are restricted, not described. */
function validateNested({ schema, at }: Place, exceptions: Exceptions): ValidationErrors {
  const items = itemsOf(schema);
  return [
    ...validateJunctors(schema, at, exceptions),
    ...(items ? nested({ schema: items, at: `${at}.items` }) : []),
    ...propertiesOf(schema, at).flatMap(nested),
    ...keywordsOutside
      .filter(([keyword]) => isSet(schema[keyword]))
      .map(([keyword, state]) => forbiddenField(`${at}.${keyword}`, `must be ${state} to be structural`)),
    ...(Object.hasOwn(schema.properties ?? {}, 'metadata')
      ? [forbiddenField(`${at}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ];
}

const isSet = (value: unknown) =>
  value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Whatever is restricted under a junctor is described outside of it. */
function validateCompleteness(restricting: Schema, described: Schema, at: string, where: string): ValidationErrors {
  const { not } = restricting;
  return (['allOf', 'anyOf', 'oneOf'] as const)
    .flatMap((keyword) => alternatives(restricting, keyword, where))
    .concat(not ? [{ schema: not, at: `${where}.not` }] : [])
    .flatMap((place) => validateDescribed(place.schema, described, at, place.at));
}

function validateDescribed(
  restricting: Schema,
  described: Schema | undefined,
  at: string,
  where: string,
): ValidationErrors {
  if (described === undefined) return [required(at, `because it is defined in ${where}`)];
  const items = itemsOf(restricting);
  return [
    ...validateCompleteness(restricting, described, at, where),
    ...(items ? validateDescribed(items, itemsOf(described), `${at}.items`, `${where}.items`) : []),
    ...propertiesOf(restricting, where).flatMap((place) =>
      validateDescribed(place.schema, ownProperty(described, place.name), `${at}.properties[${place.name}]`, place.at),
    ),
  ];
}

const ownProperty = ({ properties = {} }: Schema, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
