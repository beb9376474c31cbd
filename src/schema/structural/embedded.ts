// Whole objects inside a custom resource: they say what they are, and have metadata as every object has.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { invalidValue, required } from '../../meta/field-errors.ts';
import { checkLabelValue, checkLetterFirstLabel, checkPathSegment, checkQualifiedName } from '../../meta/names.ts';
import type { FieldError } from '../../meta/status.ts';
import { additionalOf, hasEmbedded, isEmbedded, itemsOf, type Schema } from './schema.ts';

type ValidationErrors = readonly FieldError[];

/** What is wrong with the objects that a schema marks inside a value. */
export function validateEmbedded(value: JsonValue, schema: Schema, at: string): ValidationErrors {
  if (!hasEmbedded(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items ? value.flatMap((item, index) => validateEmbedded(item, items, `${at}[${index}]`)) : [];
  }
  if (!isJsonObject(value)) return [];
  const { properties = {} } = schema;
  const others = additionalOf(schema);
  return [
    ...(isEmbedded(schema) ? validateObject(value, at) : []),
    ...Object.entries(value).flatMap(([key, member]) => {
      const one = getOwn(properties, key);
      if (one !== undefined) return validateEmbedded(member, one, below(at, key));
      return others === undefined ? [] : validateEmbedded(member, others, `${at}[${key}]`);
    }),
  ];
}

const below = (at: string, key: string) => (at === '' ? key : `${at}.${key}`);

function validateObject(object: JsonObject, at: string): ValidationErrors {
  const metadata = getOwn(object, 'metadata');
  return [
    ...validateTypeName(getOwn(object, 'apiVersion'), below(at, 'apiVersion'), versionProblems),
    ...validateTypeName(getOwn(object, 'kind'), below(at, 'kind'), kindProblems),
    ...(metadata === undefined ? [] : validateMetadata(metadata, below(at, 'metadata'))),
  ];
}

function validateTypeName(value: unknown, at: string, problems: (text: string) => readonly string[]): ValidationErrors {
  if (value === undefined || value === '') return [required(at)];
  if (typeof value !== 'string') return [invalidValue(at, value, 'must be a string')];
  return problems(value).map((problem) => invalidValue(at, value, problem));
}

const versionProblems = (text: string) =>
  text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [];

function kindProblems(kind: string): readonly string[] {
  const problems = checkLetterFirstLabel(kind.toLowerCase());
  return problems.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
}

const texts = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'];

function validateMetadata(metadata: JsonValue, at: string): ValidationErrors {
  if (!isJsonObject(metadata)) return [invalidValue(at, metadata, 'must be an object')];
  const name = getOwn(metadata, 'name');
  return [
    ...texts
      .filter((key) => !['string', 'undefined'].includes(typeof getOwn(metadata, key)))
      .map((key) => invalidValue(`${at}.${key}`, metadata[key], 'must be a string')),
    ...(typeof name === 'string' && name !== ''
      ? checkPathSegment(name).map((problem) => invalidValue(`${at}.name`, name, problem))
      : []),
    ...validateTexts(metadata, 'labels', at, checkLabelValue),
    ...validateTexts(metadata, 'annotations', at, () => []),
  ];
}

function validateTexts(
  metadata: JsonObject,
  name: 'labels' | 'annotations',
  at: string,
  check: (value: string) => readonly string[],
): ValidationErrors {
  const given = getOwn(metadata, name) ?? {};
  const place = `${at}.${name}`;
  if (!isJsonObject(given)) return [invalidValue(place, given, 'must be a map of strings')];
  return Object.entries(given).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [invalidValue(`${place}[${key}]`, value, 'must be a string')];
    return [
      ...checkQualifiedName(name === 'annotations' ? key.toLowerCase() : key).map((e) => invalidValue(place, key, e)),
      ...check(value).map((e) => invalidValue(place, value, e)),
    ];
  });
}
