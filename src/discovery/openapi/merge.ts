// How the OpenAPI 2 documents of other servers become part of this server's: definition by definition.

import { getOwn, isJsonObject, isSameJson, type JsonValue, setOwn } from '../../base/json/json.ts';
import { eachMember } from '../chunks.ts';
import { type JsonObject, type OpenApiFragment, refPrefix } from './fragment.ts';

interface OpenApiV2 {
  readonly paths: Record<string, unknown>;
  readonly definitions: Record<string, unknown>;
}

/** Paths that are there already stay; definitions of the same name that say something else get another name. */
export async function mergeInto(whole: OpenApiV2, fragment: OpenApiFragment, kindsKey: string): Promise<void> {
  const { paths, definitions } = whole;
  const names = await newNames(definitions, fragment.definitions, kindsKey);
  await eachMember(fragment.definitions, (name, definition) => {
    const chosen = names.get(name) ?? name;
    const known = getOwn(definitions, chosen);
    if (known === undefined) setOwn(definitions, chosen, renamed(definition, names));
    else setOwn(definitions, chosen, withKindsOf(known, definition, kindsKey));
  });
  await eachMember(fragment.paths, (path, item) => {
    if (!Object.hasOwn(paths, path)) setOwn(paths, path, renamed(item, names));
  });
}

/** Of the definitions that cannot keep their name. */
async function newNames(
  known: Readonly<Record<string, unknown>>,
  added: JsonObject,
  kindsKey: string,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const isFree = (name: string) => !Object.hasOwn(known, name) && !Object.hasOwn(added, name) && !taken.has(name);
  await eachMember(added, (name, definition) => {
    const saysSame = (chosen: string) => isSameDefinition(getOwn(known, chosen), definition, kindsKey);
    if (Object.hasOwn(known, name) && !saysSame(name)) {
      let number = 2;
      const next = () => `${name}_v${number}`;
      while (Object.hasOwn(known, next()) && !saysSame(next())) number++;
      if (!Object.hasOwn(known, next())) while (!isFree(next())) number++;
      names.set(name, next());
      taken.add(next());
    }
  });
  return names;
}

/** Several kinds may share a definition: which of them does, says nothing of its content. */
function isSameDefinition(a: unknown, b: unknown, kindsKey: string): boolean {
  return isSameJson(withoutKinds(a, kindsKey), withoutKinds(b, kindsKey));
}

function withoutKinds(definition: unknown, kindsKey: string): unknown {
  if (!isJsonObject(definition) || !Object.hasOwn(definition, kindsKey)) return definition;
  const { [kindsKey]: _, ...rest } = definition;
  return rest;
}

/** A definition that both have is of the kinds of both. */
function withKindsOf(known: unknown, added: JsonValue, kindsKey: string): unknown {
  const more = isJsonObject(added) ? getOwn(added, kindsKey) : undefined;
  if (!Array.isArray(more) || !isJsonObject(known)) return known;
  const before = getOwn(known, kindsKey) ?? [];
  if (!Array.isArray(before)) return known;
  const kinds = new Map([...before, ...more].filter(isJsonObject).map((kind) => [keyOf(kind), kind]));
  if (kinds.size === before.length) return known;
  const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  return { ...known, [kindsKey]: sorted };
}

const keyOf = ({ group, version, kind }: JsonObject): string =>
  JSON.stringify([group, version, kind].map((part) => (typeof part === 'string' ? part : '')));

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
