// A partial object that an expression wrote, merged into the object of a request as server-side apply does it.

import { checkFit, MisfitError } from '../../../apply/typed/check.ts';
import { merge } from '../../../apply/typed/merge.ts';
import { objectTopology } from '../../../apply/typed/object-topology.ts';
import type { StructTopology, Topology } from '../../../apply/typed/topology.ts';
import type { JsonObject, JsonValue } from '../../../base/json/json.ts';
import { memoized } from '../../../base/memoized.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import { MutationError } from './mutation-error.ts';

const topologyOf = memoized((type: ObjectType): StructTopology => objectTopology(type));

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
  const atomics = atomicsIn(topology, patch, '');
  if (atomics.length > 0)
    throw failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  return merge(topology, object, patch);
}

const failed = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);

/** Where the value sets something that has one owner as a whole: what it does not name there would be lost. */
function atomicsIn(topology: Topology, value: JsonValue | undefined, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isAtomicHere(topology) ? [path] : [];
  if (Array.isArray(value)) {
    if (topology.is !== 'list' && topology.is !== 'set' && topology.is !== 'keyed') return own;
    return own.concat(value.flatMap((item, index) => atomicsIn(topology.of, item, `${path}[${index}]`)));
  }
  if (topology.is !== 'struct') return own;
  return own.concat(
    Object.entries(value).flatMap(([key, member]) => {
      const field = topology.fields.get(key);
      return field === undefined ? [] : atomicsIn(field.type, member, `${path}.${key}`);
    }),
  );
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
