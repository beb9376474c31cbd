// Claims, volumes and classes that are in use outlive their deletion: a finalizer holds them until nothing uses them.

import { isConflict, isNotFound } from '../../client/client.ts';
import { groupName, labelKey } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext, ControllerFactory } from '../controller.ts';
import { metadataOf, only, pathOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

interface Pod extends ApiObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly volumes?: readonly {
      readonly name?: string;
      readonly persistentVolumeClaim?: { readonly claimName?: string };
      readonly ephemeral?: object;
    }[];
  };
  readonly status?: { readonly phase?: string };
}

interface Protection {
  readonly queue: string;
  readonly group?: string;
  readonly plural: string;
  /** Resources of the core group whose objects may let it go. */
  readonly users: readonly string[];
  readonly finalizer: string;
  isUsed(context: ControllerContext, object: ApiObject): Promise<boolean>;
}

/** A claim is used by pods that have a node; others can no longer be started with it. */
async function isClaimUsed({ client }: ControllerContext, { metadata }: ApiObject): Promise<boolean> {
  for await (const { items } of client.pages(`/api/v1/namespaces/${metadata.namespace}/pods`))
    if (items.some((pod) => usesClaim(pod as Pod, metadata.name ?? ''))) return true;
  return false;
}

function usesClaim({ metadata, spec = {}, status = {} }: Pod, claim: string): boolean {
  if (!spec.nodeName || status.phase === 'Failed' || status.phase === 'Succeeded') return false;
  return (spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === claim ||
      (volume.ephemeral !== undefined && `${metadata.name}-${volume.name}` === claim),
  );
}

interface ClassUser extends ApiObject {
  readonly spec?: { readonly volumeAttributesClassName?: string };
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

/** A class is used by volumes and claims that name it, also by one that is about to have it or had it before. */
async function isClassUsed({ client }: ControllerContext, { metadata: { name } }: ApiObject): Promise<boolean> {
  for (const path of ['/api/v1/persistentvolumes', '/api/v1/persistentvolumeclaims'])
    for await (const { items } of client.pages(path))
      if (items.some((item) => classesOf(item as ClassUser).includes(name))) return true;
  return false;
}

const classesOf = ({ spec = {}, status = {} }: ClassUser) => [
  spec.volumeAttributesClassName,
  status.currentVolumeAttributesClassName,
  status.modifyVolumeStatus?.targetVolumeAttributesClassName,
];

const isVolumeUsed = (volume: ApiObject) => (volume['status'] as { phase?: string } | undefined)?.phase === 'Bound';

export const claimProtection: ControllerFactory = (context) =>
  protect(context, {
    queue: 'pvcprotection',
    plural: 'persistentvolumeclaims',
    users: ['pods'],
    finalizer: labelKey(context.dialect, 'pvc-protection'),
    isUsed: isClaimUsed,
  });

export const volumeProtection: ControllerFactory = (context) =>
  protect(context, {
    queue: 'pvprotection',
    plural: 'persistentvolumes',
    users: [],
    finalizer: labelKey(context.dialect, 'pv-protection'),
    isUsed: async (_, volume) => isVolumeUsed(volume),
  });

export const classProtection: ControllerFactory = (context) =>
  protect(context, {
    queue: 'vacprotection',
    group: groupName(context.dialect, 'storage'),
    plural: 'volumeattributesclasses',
    users: ['persistentvolumes', 'persistentvolumeclaims'],
    finalizer: labelKey(context.dialect, 'vac-protection'),
    isUsed: isClassUsed,
  });

function protect(context: ControllerContext, protection: Protection): Controller {
  const queue = context.queue({
    name: protection.queue,
    workers: 2,
    work: (path) => reconcileFinalizer(context, protection, path),
  });
  /** Paths of what waits, by namespace: its users may let it go. */
  const held = new Map<string, Set<string>>();
  const isProtected = only(protection.group ?? '', protection.plural);
  const isUser = only('', ...protection.users);

  function onObject(change: StoredChange): void {
    const path = pathOf(change.resource, change);
    held.get(change.namespace)?.delete(path);
    if (change.json === undefined) return;
    const { deletionTimestamp, finalizers = [] } = metadataOf(change.json) ?? {};
    const isHeld = finalizers.includes(protection.finalizer);
    if (isHeld && deletionTimestamp !== undefined) {
      const paths = held.get(change.namespace) ?? new Set();
      held.set(change.namespace, paths.add(path));
    }
    if (isHeld === (deletionTimestamp !== undefined)) queue.add(path);
  }

  context.feed.subscribe({
    wants: (resource) => isProtected(resource) || isUser(resource),
    onChange(change) {
      if (isProtected(change.resource)) onObject(change);
      // what is in no namespace may be used from any
      else
        for (const namespace of new Set([change.namespace, '']))
          for (const path of held.get(namespace) ?? []) queue.add(path);
    },
    onRestart: () => held.clear(),
  });
  return { close: () => queue.close() };
}

async function reconcileFinalizer(
  context: ControllerContext,
  protection: Protection,
  path: string,
): Promise<WorkOutcome> {
  const { client } = context;
  const { finalizer } = protection;
  try {
    const object = await client.find(path);
    if (object === undefined) return 'done';
    const { finalizers = [], deletionTimestamp, uid, resourceVersion } = object.metadata;
    const isHeld = finalizers.includes(finalizer);
    if (isHeld !== (deletionTimestamp !== undefined)) return 'done';
    if (isHeld && (await protection.isUsed(context, object))) return 'done';
    const next = isHeld ? finalizers.filter((name) => name !== finalizer) : [...finalizers, finalizer];
    await client.merge(path, { metadata: { uid, resourceVersion, finalizers: next.length === 0 ? null : next } });
    return 'done';
  } catch (error) {
    if (isConflict(error)) return 'again';
    if (isNotFound(error)) return 'done';
    throw error;
  }
}
