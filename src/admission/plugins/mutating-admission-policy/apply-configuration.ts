// A partial object that an expression wrote, merged into the object of a request as server-side apply does it.

import { checkFit, MisfitError } from '../../../apply/typed/check.ts';
import { merging } from '../../../apply/typed/merge.ts';
import { objectTopology } from '../../../apply/typed/object-topology.ts';
import type { StructTopology, Topology } from '../../../apply/typed/topology.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { atOnce } from '../../../base/steps.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import { MutationError } from './mutation-error.ts';

const topologies = new WeakMap<ObjectType, StructTopology>();

function topologyOf(type: ObjectType): StructTopology {
  let topology = topologies.get(type);
  if (topology === undefined) {
    topology = objectTopology(type);
    topologies.set(type, topology);
  }
  return topology;
}

/** What the object becomes, before defaults. */
export function applyConfiguration(object: ApiObject, written: JsonObject, type: ObjectType): JsonObject {
  const { apiVersion, kind } = object;
  const patch = { ...written, apiVersion, kind };
  const topology = topologyOf(type);
  try {
    checkFit(topology, patch);
  } catch (error) {
    if (!(error instanceof MisfitError)) throw error;
    throw failed(`failed to convert patch object to typed object: ${error.message}`);
  }
  const atomics = [...atomicsIn(topology, patch, '')];
  if (atomics.length > 0)
    throw failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  return atOnce(merging(topology, object, patch));
}

const failed = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);

/** Where the value sets something that has one owner as a whole: what it does not name there would be lost. */
function* atomicsIn(topology: Topology, value: JsonValue | undefined, path: string): Iterable<string> {
  if (Array.isArray(value)) yield* atomicsInList(topology, value, path);
  else if (isJsonObject(value)) yield* atomicsInObject(topology, value, path);
}

function* atomicsInObject(topology: Topology, value: JsonObject, path: string): Iterable<string> {
  if (isAtomicHere(topology)) yield path;
  if (topology.is !== 'struct') return;
  for (const [key, member] of Object.entries(value)) {
    const field = topology.fields.get(key);
    if (field !== undefined) yield* atomicsIn(field.type, member, `${path}.${key}`);
  }
}

function* atomicsInList(topology: Topology, list: readonly JsonValue[], path: string): Iterable<string> {
  if (isAtomicHere(topology)) yield path;
  if (topology.is !== 'list' && topology.is !== 'set' && topology.is !== 'keyed') return;
  for (const [index, item] of list.entries()) yield* atomicsIn(topology.of, item, `${path}[${index}]`);
}

function isAtomicHere(topology: Topology): boolean {
  switch (topology.is) {
    case 'struct':
    case 'map':
      return topology.atomic;
    case 'list':
      return true;
    case 'scalar':
      return topology.accepts === 'anything';
    default:
      return false;
  }
}
