// The topology of a kind, whatever its type is made of.

import type { ObjectType } from '../../schema/object-type.ts';
import { structuralTopology } from './structural-topology.ts';
import { declaredTopology, type StructTopology } from './topology.ts';

/** Metadata that the server owns: no manager is recorded for it. */
const serverOwned = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
].map((name) => `metadata.${name}`);

/** Fields in `ignored` (`status`, `metadata.labels`) and below them get no owners. */
export function objectTopology(type: ObjectType, ignored: readonly string[] = []): StructTopology {
  const without = [...serverOwned, ...ignored];
  return type.is === 'struct' ? declaredTopology(type, without) : structuralTopology(type, without);
}
