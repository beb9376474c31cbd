// The part of another server's OpenAPI 2 document that is about one group-version: a document that makes no sense is left
// out, and changes nothing that others say.

import { getOwn, isJsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { forEachInTurns } from '../../base/time/turns.ts';
import { eachMember } from '../chunks.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';

export type JsonObject = Readonly<Record<string, JsonValue>>;

export interface OpenApiFragment {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

export const refPrefix = '#/definitions/';
const maxDepth = 100;
/** Values in one path or definition: no other request is served while such a part is read. */
const maxPartValues = 10_000;

/** The paths below `prefix` and the definitions they need; undefined where there are none, or none that can be shown. */
export async function fragmentOf(document: JsonValue, prefix: string): Promise<OpenApiFragment | undefined> {
  try {
    const fragment = await cut(document, prefix);
    return Object.keys(fragment.paths).length === 0 ? undefined : fragment;
  } catch {
    return undefined;
  }
}

/**
 * Part by part; other requests are served in between.
 * compat: definitions that no path of the document needs belong to every group-version of it
 */
async function cut(document: JsonValue, prefix: string): Promise<OpenApiFragment> {
  if (!isJsonObject(document) || !isJsonObject(document['paths'])) throw new Error('no paths');
  const { paths: given, parameters } = document;
  const known = isJsonObject(document['definitions']) ? document['definitions'] : {};
  const paths: Record<string, JsonValue> = {};
  const definitions: Record<string, JsonValue> = {};
  await eachMember(given, async (path, item) => {
    if (!path.startsWith(prefix)) return;
    const whole = withParameters(item, parameters);
    await checkPart({ paths: { [path]: whole } });
    setOwn(paths, path, whole);
  });
  const needed = await definitionsOf(Object.values(paths), known);
  const used = await definitionsOf([...Object.values(given), parameters ?? null], known);
  await eachMember(known, async (name, definition) => {
    if (!needed.has(name) && used.has(name)) return;
    await checkPart({ definitions: { [name]: definition } });
    setOwn(definitions, name, definition);
  });
  return { paths, definitions };
}

/** Throws for a part that is too large, too deep, or would spoil the whole. */
async function checkPart(part: JsonObject): Promise<void> {
  measure(part, { left: maxPartValues }, 0);
  await encodeOpenApiV2({ swagger: '2.0', info: { title: '', version: '' }, ...part });
}

function measure(value: JsonValue, budget: { left: number }, depth: number): void {
  if (depth > maxDepth) throw new Error('too deep');
  if (--budget.left < 0) throw new Error('too many values');
  if (Array.isArray(value)) for (const one of value) measure(one, budget, depth + 1);
  else if (isJsonObject(value))
    for (const key of Object.keys(value)) measure(value[key] as JsonValue, budget, depth + 1);
}

const parameterPrefix = '#/parameters/';

/** Parameters that a document has in one place for all operations are written out: others may have some of the same name. */
function withParameters(item: JsonValue, known: JsonValue | undefined): JsonValue {
  if (!isJsonObject(item)) throw new Error('no path item');
  const whole = (value: JsonValue): JsonValue => {
    const ref = isJsonObject(value) ? value['$ref'] : undefined;
    if (typeof ref !== 'string' || !ref.startsWith(parameterPrefix)) return value;
    const found = isJsonObject(known) ? getOwn(known, ref.slice(parameterPrefix.length)) : undefined;
    if (found === undefined) throw new Error('no such parameter');
    return found;
  };
  const withOwn = ([key, value]: [string, JsonValue]): [string, JsonValue] => {
    if (key === 'parameters' && Array.isArray(value)) return [key, value.map(whole)];
    if (!isJsonObject(value) || !Array.isArray(value['parameters'])) return [key, value];
    return [key, { ...value, parameters: value['parameters'].map(whole) }];
  };
  return Object.fromEntries(Object.entries(item).map(withOwn));
}

/** The names of the definitions that parts refer to, directly or by other definitions. */
async function definitionsOf(parts: readonly JsonValue[], known: JsonObject): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  // in the order in which they are found; grows while it is read
  const queue: string[] = [];
  const note = (name: string) => {
    if (!names.has(name)) queue.push(name);
    names.add(name);
  };
  await forEachInTurns(parts, (part) => noteRefs(part, note));
  await forEachInTurns(queue, (name) => noteRefs(getOwn(known, name) ?? null, note));
  return names;
}

function noteRefs(value: JsonValue, note: (name: string) => void): void {
  if (Array.isArray(value)) for (const one of value) noteRefs(one, note);
  else if (isJsonObject(value))
    for (const key of Object.keys(value)) {
      const one = value[key] as JsonValue;
      if (key === '$ref' && typeof one === 'string' && one.startsWith(refPrefix)) note(one.slice(refPrefix.length));
      else noteRefs(one, note);
    }
}
