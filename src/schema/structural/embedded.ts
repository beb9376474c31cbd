// Whole objects inside a custom resource: they say what they are, and have metadata as every object has.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { invalidValue, required } from '../../meta/field-errors.ts';
import {
  type ManagerEntry,
  validateAnnotations,
  validateFinalizers,
  validateGivenManagers,
  validateLabels,
  validateOwners,
} from '../../meta/metadata-rules.ts';
import { checkLabelName, checkLetterFirstLabel, checkPathSegment } from '../../meta/names.ts';
import type { ObjectMeta, OwnerReference } from '../../meta/object.ts';
import type { FieldError } from '../../meta/status.ts';
import { additionalOf, hasEmbedded, isEmbedded, itemsOf, type Schema } from './schema.ts';

type ValidationErrors = readonly FieldError[];

/** What is wrong with the objects that a schema marks inside a value. Their metadata was decoded before. */
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
    ...(isJsonObject(metadata) ? validateMetadata(metadata as ObjectMeta, below(at, 'metadata')) : []),
    ...validateTypeName(getOwn(object, 'apiVersion'), below(at, 'apiVersion'), versionProblems),
    ...validateTypeName(getOwn(object, 'kind'), below(at, 'kind'), kindProblems),
  ];
}

function validateTypeName(value: unknown, at: string, problems: (text: string) => readonly string[]): ValidationErrors {
  if (value === undefined) return [required(at)];
  if (typeof value !== 'string') return [invalidValue(at, value, 'must be a string')];
  const found = value === '' ? ['must not be empty'] : problems(value);
  return found.map((problem) => invalidValue(at, value, problem));
}

const versionProblems = (text: string) =>
  text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [];

function kindProblems(kind: string): readonly string[] {
  const problems = checkLetterFirstLabel(kind.toLowerCase());
  return problems.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
}

/** Types are right: metadata was decoded before, or is refused for that. */
function validateMetadata(metadata: ObjectMeta, at: string): ValidationErrors {
  const { generation = 0, labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  const managers = (metadata.managedFields ?? []) as readonly ManagerEntry[];
  return [
    ...validateNames(metadata, at),
    ...(generation < 0 ? [invalidValue(`${at}.generation`, generation, 'must be greater than or equal to 0')] : []),
    ...validateLabels(labels, `${at}.labels`),
    ...validateAnnotations(annotations, `${at}.annotations`),
    ...validateOwners(ownerReferences.map(inOrder), `${at}.ownerReferences`),
    ...validateFinalizers(finalizers, `${at}.finalizers`),
    ...validateGivenManagers(managers, `${at}.managedFields`),
  ];
}

function validateNames({ name = '', generateName = '', namespace = '' }: ObjectMeta, at: string): ValidationErrors {
  return [
    ...checkPathSegment(generateName, true).map((why) => invalidValue(`${at}.generateName`, generateName, why)),
    ...checkPathSegment(name).map((why) => invalidValue(`${at}.name`, name, why)),
    ...(namespace === '' ? [] : checkLabelName(namespace)).map((why) =>
      invalidValue(`${at}.namespace`, namespace, why),
    ),
  ];
}

/** Messages show owners with their fields in this order. */
const inOrder = ({ apiVersion, kind, name, uid, ...rest }: OwnerReference): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  ...rest,
});
