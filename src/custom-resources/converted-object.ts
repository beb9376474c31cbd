// What a webhook may change of an object: everything but what it is and most of its metadata.

import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../base/json.ts';
import { validateAnnotations, validateLabels } from '../meta/metadata-rules.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import { short } from './conversion-review.ts';

/** The object that is stored or shown; throws what is wrong with the converted one. */
export function acceptConverted(original: ApiObject, converted: JsonValue, apiVersion: string): ApiObject {
  if (!isJsonObject(converted)) throw new Error('it is no object');
  const { kind = '', apiVersion: received = '', metadata } = converted;
  if (received !== apiVersion)
    throw new Error(`invalid groupVersion (expected ${apiVersion}, received ${short(received)})`);
  if (kind !== original.kind) throw new Error(`invalid kind (expected ${original.kind}, received ${short(kind)})`);
  if (!isJsonObject(metadata)) throw new Error('missing metadata in converted object');
  for (const [field, name] of identity) mustMatch(name, original.metadata[field] ?? '', metadata[field] ?? '');
  return { ...converted, kind: original.kind, apiVersion, metadata: restored(original.metadata, metadata) };
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function mustMatch(name: string, wanted: string, found: JsonValue): void {
  if (wanted !== found) throw new Error(`must have the same ${name}: ${wanted} != ${short(found)}`);
}

/** Metadata as it was, with the labels and annotations of the converted object. */
function restored(original: ObjectMeta, converted: JsonObject): ObjectMeta {
  const { labels: _, annotations: __, ...kept } = original;
  const labels = textsOf(converted, 'labels', original.labels, validateLabels);
  const annotations = textsOf(converted, 'annotations', original.annotations, validateAnnotations);
  return { ...kept, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
}

type Texts = Readonly<Record<string, string>>;

function textsOf(
  metadata: JsonObject,
  field: 'labels' | 'annotations',
  original: Texts | undefined,
  check: (texts: Texts, at: string) => readonly FieldError[],
): Texts | undefined {
  const value = metadata[field];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new Error(`invalid metadata.${field} in converted object`);
  for (const key of Object.keys(value))
    if (typeof value[key] !== 'string')
      throw new Error(`metadata.${field}[${key}] must be a string in converted object`);
  const texts = value as Texts;
  const problems = isSameJson(texts, original) ? [] : check(texts, `metadata.${field}`);
  if (problems.length > 0) throw new Error(problems.map((one) => `${one.field}: ${one.message}`).join(', '));
  return texts;
}
