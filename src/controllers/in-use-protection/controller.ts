// Claims and volumes that are in use outlive their deletion: a finalizer holds them until no pod or claim uses them.

import { isConflict, isNotFound } from '../../client/client.ts';
import { labelKey } from '../../meta/dialect.ts';
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
  readonly plural: string;
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

const isVolumeUsed = (volume: ApiObject) => (volume['status'] as { phase?: string } | undefined)?.phase === 'Bound';

export const claimProtection: ControllerFactory = (context) =>
  protect(context, {
    queue: 'pvcprotection',
    plural: 'persistentvolumeclaims',
    finalizer: labelKey(context.dialect, 'pvc-protection'),
    isUsed: isClaimUsed,
  });

export const volumeProtection: ControllerFactory = (context) =>
  protect(context, {
    queue: 'pvprotection',
    plural: 'persistentvolumes',
    finalizer: labelKey(context.dialect, 'pv-protection'),
    isUsed: async (_, volume) => isVolumeUsed(volume),
  });

function protect(context: ControllerContext, protection: Protection): Controller {
  const queue = context.queue({
    name: protection.queue,
    workers: 2,
    work: (path) => reconcileFinalizer(context, protection, path),
  });
  /** Paths of what waits, by namespace: pods may let it go. */
  const held = new Map<string, Set<string>>();
  const isProtected = only('', protection.plural);

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
    wants: only('', protection.plural, 'pods'),
    onChange(change) {
      if (isProtected(change.resource)) onObject(change);
      else for (const path of held.get(change.namespace) ?? []) queue.add(path);
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
