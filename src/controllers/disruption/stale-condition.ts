// A pod that was told that it goes, and is still there some time later, is no longer said to be going.

import { bufferOf } from '../../base/bytes.ts';
import { withCondition } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import type { StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

const type = 'DisruptionTarget';
const staleMs = 2 * 60_000;
const quotedType = Buffer.from(JSON.stringify(type));
const finalPhases: readonly unknown[] = ['Succeeded', 'Failed'];

/** Told by the bytes: few pods have such a condition, and none is parsed to find out. */
export function mayBeDisrupted({ json }: StoredChange): boolean {
  return json !== undefined && bufferOf(json).includes(quotedType);
}

export async function clearStaleCondition({ client, clock }: ControllerContext, path: string): Promise<WorkOutcome> {
  const pod = await client.find<Pod>(path);
  const since = pod && disruptedSince(pod);
  if (pod === undefined || since === undefined) return 'done';
  const now = clock.now();
  const left = since + staleMs - now;
  if (left > 0) return left;
  const { generation } = pod.metadata;
  const condition = { type, status: 'False', ...(generation && { observedGeneration: generation }) };
  const status = withCondition(pod.status ?? {}, condition, formatTime(now));
  await client.replace(`${path}/status`, { ...pod, status });
  return 'done';
}

/** The kubelet takes what time it needs to end a pod; one that has ended is left as it is. */
function disruptedSince({ metadata, status }: Pod): number | undefined {
  if (metadata.deletionTimestamp !== undefined || finalPhases.includes(status?.phase)) return undefined;
  const found = status?.conditions?.find((one) => one.type === type);
  if (found?.status !== 'True' || found.reason === 'TerminationByKubelet') return undefined;
  return Date.parse(found.lastTransitionTime ?? '') || 0;
}
