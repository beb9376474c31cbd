// The work that policies cause for one request. A policy whose work turned out to be long is remembered for a while: the next
// request that it applies to moves to the lane before any webhook is asked.

import { ExpensiveMark } from '../../base/expensive-mark.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { WorkMeter } from '../../base/time/work-meter.ts';
import type { AdmissionRequest } from '../plugin.ts';
import type { BindingObject, Hook, PolicyObject } from './policy-source.ts';
import { Selection, type SelectionEngines } from './select-invocations.ts';

const marks = new WeakMap<PolicyObject, ExpensiveMark>();

function markOf(policy: PolicyObject): ExpensiveMark {
  let mark = marks.get(policy);
  if (mark === undefined) {
    mark = new ExpensiveMark();
    marks.set(policy, mark);
  }
  return mark;
}

export class PolicyWork {
  #current: PolicyObject | undefined;
  readonly #meter: WorkMeter;

  constructor(request: AdmissionRequest) {
    this.#meter = new WorkMeter(() => {
      if (this.#current !== undefined) markOf(this.#current).mark();
      request.moveIfPossible?.();
    });
  }

  /** Where the work of a policy is counted, together with that of the policies before it. */
  of(policy: PolicyObject): WorkMeter {
    this.#current = policy;
    return this.#meter;
  }
}

/** Moves a request that an expensive policy applies to. */
export function moveIfExpensive<P extends PolicyObject, B extends BindingObject>(
  engines: SelectionEngines,
  request: AdmissionRequest,
  hooks: readonly Hook<P, B>[],
): MaybePromise<void> {
  const expensive = hooks.filter(({ policy }) => marks.get(policy)?.isMarked);
  if (expensive.length === 0) return;
  return new Selection<P, B>(engines, request).of(expensive).then((selected) => {
    if (selected.length > 0) request.moveIfPossible?.();
  });
}
