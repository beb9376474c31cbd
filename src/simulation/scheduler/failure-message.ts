// What events and conditions say of a pod that no node can take.

import type { Refusal } from './choose-node.ts';
import { type NoPreemption, type Preemption, unavailable } from './preemption.ts';

export const noNodes = 'no nodes available to schedule pods';

/** The sentences of kube-scheduler: why nodes were rejected, and why no other pod has to leave. */
export function failureMessage(nodeCount: number, refusal: Refusal, preemption: Preemption | NoPreemption): string {
  const { rejections, problem } = refusal;
  const why =
    problem === undefined
      ? unavailable(
          nodeCount,
          [...rejections.values()].map(({ reasons }) => reasons),
        )
      : `${unavailable(nodeCount, [])} ${problem}.`;
  return 'reason' in preemption ? `${why} no new claims to deallocate, preemption: ${preemption.reason}` : why;
}

/** Notes of events are no longer than this. */
const maxNoteLength = 1024;

export const shortened = (message: string): string =>
  message.length <= maxNoteLength ? message : `${message.slice(0, maxNoteLength - 4)} ...`;
