// Structural schemas: what every value looks like is said once, outside of allOf, anyOf, oneOf and not.

import { isSameJson } from '../../../base/json/json.ts';
import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
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
import { validatePatterns } from './pattern-rules.ts';

type Level = 'root' | 'item' | 'field';

const emptyType = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** The errors of a schema and those inside of it, sorted by their texts. */
export function validateStructural(schema: Schema, at: string): ValidationErrors {
  const errors: FieldError[] = [];
  checkInvariants(schema, 'root', at, errors);
  checkCompleteness(schema, schema, at, at, errors);
  return sortByText([...errors, ...validatePatterns(schema, at)]);
}

function sortByText(errors: ValidationErrors): ValidationErrors {
  const lines = errors.map((error) => ({ error, line: `${error.field}: ${error.message}` }));
  lines.sort((a, b) => (a.line < b.line ? -1 : a.line > b.line ? 1 : 0));
  return lines.map(({ error }) => error);
}

function checkInvariants(schema: Schema, level: Level, at: string, errors: FieldError[]): void {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  errors.push(...validateInvariants(schema, level, at));
  if (items) checkInvariants(items, 'item', `${at}.items`, errors);
  for (const place of propertiesOf(schema, at)) checkInvariants(place.schema, 'field', place.at, errors);
  if (additional) checkInvariants(additional, 'field', `${at}.additionalProperties`, errors);
  checkJunctors(schema, at, { intOrString: true }, errors);
}

function validateInvariants(schema: Schema, level: Level, at: string): ValidationErrors {
  return [
    ...(schema.type === 'array' && itemsOf(schema) === undefined ? [required(`${at}.items`, 'must be specified')] : []),
    ...(schema.additionalProperties !== undefined && level === 'root'
      ? [forbiddenField(`${at}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...validateMarks(schema, at),
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
const saysIntOrString = (schema: Schema | undefined) => isSameJson(schema?.anyOf, integerOrString);

function checkJunctors(schema: Schema, at: string, { intOrString }: Exceptions, errors: FieldError[]): void {
  const [firstOfAll] = schema.allOf ?? [];
  const none = { intOrString: false };
  if (!intOrString || !saysIntOrString(schema))
    for (const place of alternatives(schema, 'anyOf', at)) checkNested(place, none, errors);
  for (const [index, place] of alternatives(schema, 'allOf', at).entries()) {
    const isException = intOrString && index === 0 && saysIntOrString(firstOfAll);
    checkNested(place, { intOrString: isException }, errors);
  }
  for (const place of alternatives(schema, 'oneOf', at)) checkNested(place, none, errors);
  if (schema.not) checkNested({ schema: schema.not, at: `${at}.not` }, none, errors);
}

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
function checkNested({ schema, at }: Place, exceptions: Exceptions, errors: FieldError[]): void {
  const items = itemsOf(schema);
  const none = { intOrString: false };
  errors.push(...validateNested(schema, at));
  if (items) checkNested({ schema: items, at: `${at}.items` }, none, errors);
  for (const place of propertiesOf(schema, at)) checkNested(place, none, errors);
  checkJunctors(schema, at, exceptions, errors);
}

function validateNested(schema: Schema, at: string): ValidationErrors {
  return [
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
function checkCompleteness(
  restricting: Schema,
  described: Schema,
  at: string,
  where: string,
  errors: FieldError[],
): void {
  const { not } = restricting;
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const place of alternatives(restricting, keyword, where))
      checkDescribed(place.schema, described, at, place.at, errors);
  if (not) checkDescribed(not, described, at, `${where}.not`, errors);
}

function checkDescribed(
  restricting: Schema,
  described: Schema | undefined,
  at: string,
  where: string,
  errors: FieldError[],
): void {
  if (described === undefined) {
    errors.push(required(at, `because it is defined in ${where}`));
    return;
  }
  const items = itemsOf(restricting);
  checkCompleteness(restricting, described, at, where, errors);
  if (items) checkDescribed(items, itemsOf(described), `${at}.items`, `${where}.items`, errors);
  for (const { name, schema, at: place } of propertiesOf(restricting, where))
    checkDescribed(schema, ownProperty(described, name), `${at}.properties[${name}]`, place, errors);
}

const ownProperty = ({ properties = {} }: Schema, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
