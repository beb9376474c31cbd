// What an autoscaler recommended and did before, and the limits that follow from that: stabilization windows, and policies on the
// rate of change.

import type { HorizontalPodAutoscaler } from '../../groups/autoscaling/v2/horizontal-pod-autoscaler-type.ts';

type Spec = NonNullable<HorizontalPodAutoscaler['spec']>;
export type Behavior = NonNullable<Spec['behavior']>;
type Rules = NonNullable<Behavior['scaleUp']>;

interface Timed {
  readonly time: number;
  readonly count: number;
}

export interface ScaleRequest {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: Behavior | undefined;
  readonly now: number;
}

interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

interface Decision {
  readonly replicas: number;
  /** Reason and message of the condition AbleToScale. */
  readonly able: readonly [string, string];
  /** Status, reason and message of the condition ScalingLimited. */
  readonly limited: readonly [string, string, string];
}

const downWindowSeconds = 300;
const readyToScale = ['ReadyForNewScale', 'recommended size matches current size'] as const;
const stabilizedDown = [
  'ScaleDownStabilized',
  'recent recommendations were higher than current one, applying the highest recent recommendation',
] as const;
const stabilizedUp = [
  'ScaleUpStabilized',
  'recent recommendations were lower than current one, applying the lowest recent recommendation',
] as const;

/** What one autoscaler remembers. */
export class ScaleHistory {
  #recommendations: Timed[];
  #ups: Timed[] = [];
  #downs: Timed[] = [];

  constructor(replicas: number, now: number) {
    this.#recommendations = [{ count: replicas, time: now }];
  }

  decide(request: ScaleRequest): Decision {
    const { desired, behavior } = request;
    const stabilized = behavior === undefined ? this.#stabilizeDown(request) : this.#stabilize(request, behavior);
    const isUp = behavior !== undefined && desired >= request.current;
    const able = stabilized === desired ? readyToScale : isUp ? stabilizedUp : stabilizedDown;
    const { replicas, reason, message } =
      behavior === undefined
        ? limitByFactor({ ...request, desired: stabilized })
        : this.#limitByRules({ ...request, desired: stabilized }, behavior);
    return { replicas, able, limited: [replicas === stabilized ? 'False' : 'True', reason, message] };
  }

  /** Notes a change that was made, for policies. */
  note({ current, desired, behavior, now }: Pick<ScaleRequest, 'current' | 'desired' | 'behavior' | 'now'>): void {
    if (behavior === undefined) return;
    const isUp = desired > current;
    const rules = isUp ? behavior.scaleUp : behavior.scaleDown;
    const periods = rules?.policies?.map(({ periodSeconds = 0 }) => periodSeconds) ?? [];
    const oldest = now - Math.max(0, ...periods) * 1000;
    const keep = (changes: readonly Timed[]) => [
      ...changes.filter(({ time }) => time >= oldest),
      { count: Math.abs(desired - current), time: now },
    ];
    if (isUp) this.#ups = keep(this.#ups);
    else this.#downs = keep(this.#downs);
  }

  /** The highest recommendation of the last five minutes. */
  #stabilizeDown({ desired, now }: ScaleRequest): number {
    const cutoff = now - downWindowSeconds * 1000;
    const recent = this.#recommendations.filter(({ time }) => time >= cutoff);
    this.#recommendations = [...recent, { count: desired, time: now }];
    return Math.max(desired, ...recent.map(({ count }) => count));
  }

  #stabilize({ current, desired, now }: ScaleRequest, { scaleUp = {}, scaleDown = {} }: Behavior): number {
    const upCutoff = now - (scaleUp.stabilizationWindowSeconds ?? 0) * 1000;
    const downCutoff = now - (scaleDown.stabilizationWindowSeconds ?? downWindowSeconds) * 1000;
    const since = (cutoff: number) =>
      this.#recommendations.filter(({ time }) => time > cutoff).map(({ count }) => count);
    const lowest = Math.min(desired, ...since(upCutoff));
    const highest = Math.max(desired, ...since(downCutoff));
    const usable = this.#recommendations.filter(({ time }) => time >= Math.min(upCutoff, downCutoff));
    this.#recommendations = [...usable, { count: desired, time: now }];
    return Math.min(Math.max(current, lowest), highest);
  }

  #limitByRules(request: ScaleRequest, { scaleUp = {}, scaleDown = {} }: Behavior): Limited {
    const { current, desired, min, max } = request;
    if (desired > current) {
      const limit = Math.max(this.#limitOf(request, scaleUp, 1), current);
      const isFast = max > limit;
      if (desired > Math.min(max, limit))
        return isFast ? { replicas: limit, ...tooFastUp } : { replicas: max, ...tooMany };
    } else if (desired < current) {
      const limit = Math.min(this.#limitOf(request, scaleDown, -1), current);
      const isFast = min < limit;
      if (desired < Math.max(min, limit))
        return isFast ? { replicas: limit, ...tooFastDown } : { replicas: min, ...tooFew };
    }
    return { replicas: desired, ...inRange };
  }

  /** The number of replicas that the policies of a direction allow now. */
  #limitOf({ current, now }: ScaleRequest, { selectPolicy, policies = [] }: Rules, direction: 1 | -1): number {
    if (selectPolicy === 'Disabled') return current;
    const limits = policies.map(({ type, value = 0, periodSeconds = 0 }) => {
      const since = now - periodSeconds * 1000;
      const start = current - changeSince(this.#ups, since) + changeSince(this.#downs, since);
      if (type === 'Pods') return start + direction * value;
      const share = start * (1 + (direction * value) / 100);
      return direction === 1 ? Math.ceil(share) : Math.trunc(share);
    });
    const isMore = (selectPolicy === 'Min') !== (direction === 1);
    return isMore ? Math.max(...limits) : Math.min(...limits);
  }
}

const changeSince = (changes: readonly Timed[], since: number): number =>
  changes.filter(({ time }) => time > since).reduce((sum, { count }) => sum + count, 0);

const inRange = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooMany = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFew = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const tooFastUp = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const tooFastDown = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** Without rules, replicas may double, and may always become four. */
function limitByFactor({ current, desired, min, max }: ScaleRequest): Limited {
  const limit = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, ...tooFew };
  if (desired <= Math.min(max, limit)) return { replicas: desired, ...inRange };
  return max > limit ? { replicas: limit, ...tooFastUp } : { replicas: max, ...tooMany };
}
