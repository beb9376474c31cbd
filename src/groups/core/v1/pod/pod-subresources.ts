// Parts of a pod that are written apart from it, and what can be done to one.

import { forbiddenField } from '../../../../meta/field-errors.ts';
import { withMeta } from '../../../../meta/object.ts';
import type { PartSubresource } from '../../../../schema/part-subresource.ts';
import type { SubresourceDefinition } from '../../../../schema/subresource.ts';
import { eviction as evictionType } from '../../../policy/v1/eviction.ts';
import { wholeObject } from '../../../rules.ts';
import { bindingType } from './binding-type.ts';
import type { Container } from './container-defaults.ts';
import { isMirror } from './pod-annotation-rules.ts';
import { bindPod } from './pod-binding.ts';
import { podConnections } from './pod-connect.ts';
import { evictPod } from './pod-eviction.ts';
import { validateResize } from './pod-resize-rules.ts';
import { podStatusPart } from './pod-status.ts';
import type { Pod } from './pod-type.ts';
import { validateEphemeralUpdate } from './pod-update-rules.ts';

const specOf = (object: Pod) => object.spec ?? {};

/** The pod as it was, but for the managers that own its fields from now on, and for what must not be another: validation says so. */
const withOwnersOf = ({ metadata }: Pod, old: Pod): Pod => {
  const { managedFields, uid, deletionGracePeriodSeconds } = metadata;
  return withMeta(old, { managedFields, uid, deletionGracePeriodSeconds });
};

const ephemeralContainers: PartSubresource<Pod> = {
  is: 'part',
  name: 'ephemeralcontainers',
  tables: false,
  verbs: ['get', 'patch', 'update'],
  merge(next, old) {
    const { ephemeralContainers: _, ...kept } = specOf(old);
    const { ephemeralContainers } = specOf(next);
    return {
      ...withOwnersOf(next, old),
      spec: ephemeralContainers?.length ? { ...kept, ephemeralContainers } : kept,
    };
  },
  validatesWhole: true,
  validateUpdate: (next, old, { dialect }) =>
    isMirror(old, dialect)
      ? [forbiddenField(wholeObject, 'static pods do not support ephemeral containers')]
      : validateEphemeralUpdate(specOf(next), specOf(old)),
};

/** Resources of containers that are still the same ones; anything else is left for validation to refuse. */
const resize: PartSubresource<Pod> = {
  is: 'part',
  name: 'resize',
  tables: false,
  verbs: ['get', 'patch', 'update'],
  merge(next, old) {
    const wanted = specOf(next);
    const was = specOf(old);
    if (!isSameLength(wanted.containers, was.containers)) return next;
    if (!isSameLength(wanted.initContainers, was.initContainers)) return next;
    const { resources } = wanted;
    return {
      ...withOwnersOf(next, old),
      spec: {
        ...was,
        containers: resized(wanted.containers, was.containers),
        ...(was.initContainers ? { initContainers: resized(wanted.initContainers, was.initContainers) } : {}),
        ...(resources ? { resources } : {}),
      },
    };
  },
  validatesWhole: true,
  validateUpdate: (next, old, { dialect }) => validateResize(next, old, dialect),
};

const isSameLength = (next?: readonly Container[] | null, old?: readonly Container[] | null): boolean =>
  (next ?? []).length === (old ?? []).length;

function resized(next?: readonly Container[] | null, old?: readonly Container[] | null): readonly Container[] {
  const wanted = next ?? [];
  const was = old ?? [];
  if (was.some(({ name }, i) => wanted[i]?.name !== name)) return wanted;
  return was.map((one, i) => {
    const { resources = {}, resizePolicy } = wanted[i] as Container;
    return { ...one, resources, ...(resizePolicy ? { resizePolicy } : {}) };
  });
}

export const podSubresources: readonly SubresourceDefinition<Pod>[] = [
  podConnections.attach,
  {
    is: 'action',
    name: 'binding',
    verbs: ['create'],
    shows: { group: '', version: 'v1', kind: 'Binding' },
    type: bindingType,
    action: bindPod,
  },
  ephemeralContainers,
  {
    is: 'action',
    name: 'eviction',
    verbs: ['create'],
    shows: { group: 'policy', version: 'v1', kind: 'Eviction' },
    type: evictionType,
    olderVersions: ['v1beta1'],
    action: evictPod,
  },
  podConnections.exec,
  podConnections.log,
  podConnections.portForward,
  podConnections.proxy,
  resize,
  podStatusPart,
];
