// Deletes pods without waiting for a node agent. No agent reports their end, so each is marked as failed before.

import { isConflict, isNotFound } from '../../client/client.ts';
import { withCondition } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import type { WorkOutcome } from '../work-queue.ts';

type DeletionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

export interface ForcedDeletion {
  readonly namespace: string;
  readonly reason: DeletionReason;
  readonly failed: boolean;
}

export interface DeletionParts {
  readonly context: ControllerContext;
  onDeletion(deletion: ForcedDeletion): void;
}

/** Deletes each of them; the first failure is reported when all were tried. */
export async function forceDeleteAll(
  parts: DeletionParts,
  pods: AsyncIterable<Pod>,
  reason: DeletionReason,
): Promise<WorkOutcome> {
  const failures: unknown[] = [];
  for await (const pod of pods) {
    const failure = await failureOf(() => forceDelete(parts.context, pod, reason));
    parts.onDeletion({ namespace: pod.metadata.namespace ?? '', reason, failed: failure !== undefined });
    if (failure !== undefined) failures.push(failure);
  }
  const serious = failures.find((failure) => !isConflict(failure));
  if (serious !== undefined) throw serious;
  return failures.length > 0 ? 'again' : 'done';
}

/** Undefined for a pod that is deleted already. */
async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return isNotFound(error) ? undefined : error;
  }
}

async function forceDelete(context: ControllerContext, pod: Pod, reason: DeletionReason): Promise<void> {
  const { uid, namespace, name } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const phase = pod.status?.phase;
  if (phase !== 'Succeeded' && phase !== 'Failed') await markFailed(context, path, pod, reason);
  await context.client.delete(path, { gracePeriodSeconds: 0, preconditions: { uid } });
}

/** Fails with a conflict where the pod is not as it was read. */
async function markFailed(
  { client, clock }: ControllerContext,
  path: string,
  { metadata, status = {} }: Pod,
  reason: DeletionReason,
): Promise<void> {
  const { uid, resourceVersion, generation } = metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const disrupted = { ...orphanCondition, ...observed };
  const { conditions } = reason === 'orphaned' ? withCondition(status, disrupted, formatTime(clock.now())) : status;
  const changed = { phase: 'Failed', ...observed, ...(conditions && { conditions }) };
  await client.merge(`${path}/status`, { metadata: { uid, resourceVersion }, status: changed });
}

const orphanCondition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
} as const;
