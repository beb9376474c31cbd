// The part of another server's OpenAPI 2 document that is about one group-version, and how it becomes part of this
// server's: a document that makes no sense is left out, and changes nothing that others say.

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { YieldTimer } from '../../base/yield-timer.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';

type JsonObject = Readonly<Record<string, JsonValue>>;

export interface OpenApiFragment {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

interface OpenApiV2 {
  readonly paths: Record<string, unknown>;
  readonly definitions: Record<string, unknown>;
}

const refPrefix = '#/definitions/';
const maxDepth = 100;
/** Values in one path or definition, and in all of them: more would keep other clients waiting. */
const maxPartValues = 5000;
const maxValues = 20_000;

/** The paths below `prefix` and the definitions they need; undefined where there are none, or none that can be shown. */
export async function fragmentOf(document: JsonValue, prefix: string): Promise<OpenApiFragment | undefined> {
  try {
    const fragment = await cut(document, prefix);
    return Object.keys(fragment.paths).length === 0 ? undefined : fragment;
  } catch {
    return undefined;
  }
}

/** Part by part, with chances for other work between them. */
async function cut(document: JsonValue, prefix: string): Promise<OpenApiFragment> {
  if (!isJsonObject(document) || !isJsonObject(document['paths'])) throw new Error('no paths');
  const { paths: given, definitions: known, parameters } = document;
  const pace = new YieldTimer();
  const paths: Record<string, JsonValue> = {};
  const definitions = new Map<string, JsonValue>();
  const budget = { left: maxValues };
  const names: string[] = [];
  for (const [path, item] of Object.entries(given)) {
    if (!path.startsWith(prefix)) continue;
    paths[path] = withParameters(item, parameters);
    await checkPart({ paths: { [path]: paths[path] } }, budget, names);
    if (pace.isDue) await pace.rest();
  }
  for (const name of names) {
    if (definitions.has(name) || !isJsonObject(known) || !Object.hasOwn(known, name)) continue;
    const definition = known[name] as JsonValue;
    definitions.set(name, definition);
    await checkPart({ definitions: { [name]: definition } }, budget, names);
    if (pace.isDue) await pace.rest();
  }
  return { paths, definitions: Object.fromEntries(definitions) };
}

interface Budget {
  left: number;
}

/** Adds the definitions that a part needs to `names`; throws for one that is too large, too deep, or would spoil the whole. */
async function checkPart(part: JsonObject, budget: Budget, names: string[]): Promise<void> {
  const own = { left: Math.min(maxPartValues, budget.left) };
  const before = own.left;
  noteRefs(part, own, names, 0);
  budget.left -= before - own.left;
  await encodeOpenApiV2({ swagger: '2.0', info: { title: '', version: '' }, ...part });
}

const parameterPrefix = '#/parameters/';

/** Parameters that a document has in one place for all operations are written out: others may have some of the same name. */
function withParameters(item: JsonValue, known: JsonValue | undefined): JsonValue {
  if (!isJsonObject(item)) throw new Error('no path item');
  const whole = (value: JsonValue): JsonValue => {
    const ref = isJsonObject(value) ? value['$ref'] : undefined;
    if (typeof ref !== 'string' || !ref.startsWith(parameterPrefix)) return value;
    const name = ref.slice(parameterPrefix.length);
    if (!isJsonObject(known) || !Object.hasOwn(known, name)) throw new Error('no such parameter');
    return known[name] as JsonValue;
  };
  const withOwn = ([key, value]: [string, JsonValue]): [string, JsonValue] => {
    if (key === 'parameters' && Array.isArray(value)) return [key, value.map(whole)];
    if (!isJsonObject(value) || !Array.isArray(value['parameters'])) return [key, value];
    return [key, { ...value, parameters: value['parameters'].map(whole) }];
  };
  return Object.fromEntries(Object.entries(item).map(withOwn));
}

function noteRefs(value: JsonValue, budget: Budget, names: string[], depth: number): void {
  if (depth > maxDepth) throw new Error('too deep');
  if (--budget.left < 0) throw new Error('too many values');
  if (Array.isArray(value)) for (const one of value) noteRefs(one, budget, names, depth + 1);
  else if (isJsonObject(value))
    for (const [key, one] of Object.entries(value)) {
      if (key === '$ref' && typeof one === 'string' && one.startsWith(refPrefix))
        names.push(one.slice(refPrefix.length));
      else noteRefs(one, budget, names, depth + 1);
    }
}

/** Paths that are there already stay; definitions of the same name that say something else get another name. */
export function mergeInto({ paths, definitions }: OpenApiV2, fragment: OpenApiFragment): void {
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(fragment.definitions)) {
    const chosen = freeName(name, definition, definitions);
    if (chosen !== name) names.set(name, chosen);
  }
  for (const [name, definition] of Object.entries(fragment.definitions)) {
    const chosen = names.get(name) ?? name;
    if (!Object.hasOwn(definitions, chosen)) definitions[chosen] = renamed(definition, names);
  }
  for (const [path, item] of Object.entries(fragment.paths))
    if (!Object.hasOwn(paths, path)) paths[path] = renamed(item, names);
}

function freeName(name: string, definition: JsonValue, taken: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(definition);
  let chosen = name;
  for (let number = 2; Object.hasOwn(taken, chosen) && JSON.stringify(taken[chosen]) !== text; number++)
    chosen = `${name}_v${number}`;
  return chosen;
}

function renamed(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((one) => renamed(one, names));
  if (!isJsonObject(value)) return value;
  const change = ([key, one]: [string, JsonValue]): [string, JsonValue] => {
    if (key !== '$ref' || typeof one !== 'string' || !one.startsWith(refPrefix)) return [key, renamed(one, names)];
    const name = one.slice(refPrefix.length);
    return [key, `${refPrefix}${names.get(name) ?? name}`];
  };
  return Object.fromEntries(Object.entries(value).map(change));
}
