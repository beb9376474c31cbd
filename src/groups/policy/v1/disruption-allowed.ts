// The condition of a budget that says whether another pod may go.

import { formatTime } from '../../../meta/time.ts';
import type { PodDisruptionBudget } from './pod-disruption-budget.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
  readonly message: string;
}

export const disruptionAllowed = 'DisruptionAllowed';

/** The condition stays where it is among the others, and keeps its time unless its status changes. */
export function withDisruptionAllowed(status: Status, { isAllowed, reason, message }: Verdict, now: number): Status {
  const { conditions = [], observedGeneration = 0 } = status;
  const old = conditions.find(({ type }) => type === disruptionAllowed);
  const state = isAllowed ? 'True' : 'False';
  const condition = {
    type: disruptionAllowed,
    status: state,
    ...(observedGeneration > 0 ? { observedGeneration } : {}),
    lastTransitionTime: (old?.status === state ? old.lastTransitionTime : undefined) ?? formatTime(now),
    reason,
    message,
  };
  const next =
    old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
  return { ...status, conditions: next };
}

/** The verdict that follows from what is left of a budget. */
export function verdictOf({ disruptionsAllowed = 0 }: Status): Verdict {
  const isAllowed = disruptionsAllowed > 0;
  return { isAllowed, reason: isAllowed ? 'SufficientPods' : 'InsufficientPods', message: '' };
}
