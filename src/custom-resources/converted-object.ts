// What a webhook may change of an object: everything but what it is and most of its metadata.

import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../base/json/json.ts';
import { validateAnnotations, validateLabels } from '../meta/metadata-rules.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import { goTypeName } from '../wording/go-format.ts';
import { kindText, short } from './conversion-review.ts';

/** The object that is stored or shown; throws what is wrong with the converted one, in kube-apiserver's words. */
export function acceptConverted(
  original: ApiObject,
  converted: JsonValue,
  { apiVersion, index }: { readonly apiVersion: string; readonly index: number },
): ApiObject {
  // compat: an error about a converted object that is no object does not name the webhook
  if (converted === null) throw new Error('unexpected end of JSON input');
  if (!isJsonObject(converted)) throw new Error(`json: cannot unmarshal ${jsonType(converted)} into ${goMap}`);
  const { kind = '', apiVersion: received = '', metadata = null } = converted;
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${short(converted)}'`);
  const webhook = `conversion webhook for ${kindText(original.apiVersion, original.kind)} returned invalid`;
  const at = `${webhook} object at index ${index}`;
  if (received !== apiVersion)
    throw new Error(`${at}: invalid groupVersion (expected ${apiVersion}, received ${short(received)})`);
  if (kind !== original.kind)
    throw new Error(`${at}: invalid kind (expected ${original.kind}, received ${short(kind)})`);
  const answered = isJsonObject(metadata) ? metadata : {};
  const difference = differenceOf(original.metadata, answered);
  if (difference !== undefined) throw new Error(`${webhook} object: ${difference}`);
  const kept = restored(original.metadata, answered);
  if ('problem' in kept) throw new Error(`${webhook} metadata: ${kept.problem}`);
  return { ...converted, kind: original.kind, apiVersion, metadata: kept };
}

const goMap = 'Go value of type map[string]interface {}';

const jsonType = (value: JsonValue): string =>
  Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'string'
        ? 'string'
        : 'number';

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function differenceOf(original: ObjectMeta, answered: JsonObject): string | undefined {
  for (const [field, name] of identity) {
    const [before = '', after = ''] = [original[field], answered[field]];
    if (before !== after) return `must have the same ${name}: ${before} != ${short(after)}`;
  }
  return undefined;
}

interface Problem {
  readonly problem: string;
}

/** Metadata as it was, with the labels and annotations of the converted object. */
function restored(original: ObjectMeta, answered: JsonObject): ObjectMeta | Problem {
  const { labels: _, annotations: __, ...kept } = original;
  let restored: ObjectMeta = kept;
  for (const part of parts) {
    const texts = textsOf(answered, part, original[part.field]);
    if (texts === undefined) continue;
    if ('problem' in texts) return texts;
    restored = { ...restored, [part.field]: texts.texts };
  }
  return restored;
}

type Texts = Readonly<Record<string, string>>;

interface Part {
  readonly field: 'labels' | 'annotations';
  /** How errors name it. */
  readonly at: string;
  check(texts: Texts, at: string): readonly FieldError[];
}

const parts: readonly Part[] = [
  { field: 'labels', at: 'metadata.labels', check: validateLabels },
  // compat: errors about annotations of a converted object name a field that does not exist
  { field: 'annotations', at: 'metadata.annotation', check: validateAnnotations },
];

function textsOf(
  metadata: JsonObject,
  { field, at, check }: Part,
  original: Texts | undefined,
): { readonly texts: Texts } | Problem | undefined {
  const value = metadata[field];
  if (value === undefined || value === null) return undefined;
  const problem = (text: string) => ({ problem: text });
  if (!isJsonObject(value))
    return problem(`invalid metadata.${field} of type ${goTypeName(value)} in converted object`);
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string')
      return problem(`metadata.${field}[${key}] must be a string, but is ${goTypeName(text)} in converted object`);
  const texts = value as Texts;
  const problems = isSameJson(texts, original) ? [] : check(texts, at);
  return problems.length > 0 ? problem(allOf(problems)) : { texts };
}

/** Several errors as one text. */
function allOf(problems: readonly FieldError[]): string {
  const messages = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  return messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]`;
}
