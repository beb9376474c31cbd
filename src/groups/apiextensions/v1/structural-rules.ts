// Structural schemas: what every value looks like is said once, outside of allOf, anyOf, oneOf and not.

import { isSameJson } from '../../../base/json.ts';
import { sortInSteps } from '../../../base/sort-in-steps.ts';
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
import { findingNothing, type Steps } from '../../rules-in-turns.ts';
import { patternSteps } from './pattern-rules.ts';

type Level = 'root' | 'item' | 'field';

const emptyType = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

export const validateStructural = (schema: Schema, at: string): ValidationErrors =>
  [...structuralSteps(schema, at)].flat();

/** The same in steps, the last of which tells everything. */
export function* structuralSteps(schema: Schema, at: string): Steps {
  const found: ValidationErrors[number][] = [];
  for (const some of faultSteps(schema, at)) {
    // one by one: as arguments of one call there may be too many of them
    for (const one of some) found.push(one);
    yield [];
  }
  yield yield* inOrder(found);
}

function* faultSteps(schema: Schema, at: string): Steps {
  yield* invariantSteps(schema, 'root', at);
  yield* completenessSteps(schema, schema, at, at);
  yield* patternSteps(schema, at);
}

function* inOrder(found: ValidationErrors): Steps<ValidationErrors> {
  const lines = found.map((validationError) => ({
    validationError,
    line: `${validationError.field}: ${validationError.message}`,
  }));
  const sorted = yield* findingNothing(sortInSteps(lines, (a, b) => (a.line < b.line ? -1 : 1)));
  return sorted.map(({ validationError }) => validationError);
}

/** What is wrong with a schema and those inside of it, one step a schema. */
function* invariantSteps(schema: Schema, level: Level, at: string): Steps {
  yield validateInvariants(schema, level, at);
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  if (items) yield* invariantSteps(items, 'item', `${at}.items`);
  for (const place of propertiesOf(schema, at)) yield* invariantSteps(place.schema, 'field', place.at);
  if (additional) yield* invariantSteps(additional, 'field', `${at}.additionalProperties`);
  yield* junctorSteps(schema, at, { intOrString: true });
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

function* junctorSteps(schema: Schema, at: string, { intOrString }: Exceptions): Steps {
  const [firstOfAll] = schema.allOf ?? [];
  if (!intOrString || !saysIntOrString(schema))
    for (const place of alternatives(schema, 'anyOf', at)) yield* nestedSteps(place);
  for (const [index, place] of alternatives(schema, 'allOf', at).entries())
    yield* nestedSteps(place, { intOrString: intOrString && index === 0 && saysIntOrString(firstOfAll) });
  for (const place of alternatives(schema, 'oneOf', at)) yield* nestedSteps(place);
  if (schema.not) yield* nestedSteps({ schema: schema.not, at: `${at}.not` });
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
function* nestedSteps({ schema, at }: Place, exceptions: Exceptions = { intOrString: false }): Steps {
  yield validateNested(schema, at);
  const items = itemsOf(schema);
  if (items) yield* nestedSteps({ schema: items, at: `${at}.items` });
  for (const place of propertiesOf(schema, at)) yield* nestedSteps(place);
  yield* junctorSteps(schema, at, exceptions);
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
function* completenessSteps(restricting: Schema, described: Schema, at: string, where: string): Steps {
  const { not } = restricting;
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const place of alternatives(restricting, keyword, where))
      yield* describedSteps(place.schema, described, at, place.at);
  if (not) yield* describedSteps(not, described, at, `${where}.not`);
}

function* describedSteps(restricting: Schema, described: Schema | undefined, at: string, where: string): Steps {
  if (described === undefined) {
    yield [required(at, `because it is defined in ${where}`)];
    return;
  }
  yield [];
  const items = itemsOf(restricting);
  yield* completenessSteps(restricting, described, at, where);
  if (items) yield* describedSteps(items, itemsOf(described), `${at}.items`, `${where}.items`);
  for (const { name, schema, at: place } of propertiesOf(restricting, where))
    yield* describedSteps(schema, ownProperty(described, name), `${at}.properties[${name}]`, place);
}

const ownProperty = ({ properties = {} }: Schema, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
