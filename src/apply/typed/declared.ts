// What a schema knows of a configuration: fields that it does not declare are left out, since no manager could own them.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import type { StructTopology, Topology } from './topology.ts';

/** The configuration without undeclared fields; the very same one where there are none. */
export function declaredPart(topology: StructTopology, config: JsonObject): JsonObject {
  return members(topology, config, typeMeta);
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
const none: ReadonlySet<string> = new Set();

function part(topology: Topology, value: JsonValue): JsonValue {
  switch (topology.is) {
    case 'list':
    case 'set':
    case 'keyed':
      return Array.isArray(value) ? items(topology.of, value) : value;
    case 'struct':
    case 'map':
      return isJsonObject(value) ? members(topology, value, none) : value;
    case 'scalar':
    case 'untyped':
      return value;
  }
}

function items(topology: Topology, list: readonly JsonValue[]): JsonValue {
  const kept = list.map((item) => part(topology, item));
  return kept.every((item, index) => item === list[index]) ? (list as JsonValue) : kept;
}

function members(
  topology: Extract<Topology, { is: 'struct' | 'map' }>,
  object: JsonObject,
  known: ReadonlySet<string>,
): JsonObject {
  const kept: JsonObject = {};
  let isSame = true;
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const type = topology.is === 'map' ? topology.of : (topology.fields.get(key)?.type ?? topology.rest);
    const next = type === undefined ? (known.has(key) ? value : undefined) : part(type, value);
    isSame &&= next === value;
    if (next !== undefined) setOwn(kept, key, next);
  }
  return isSame ? object : kept;
}
