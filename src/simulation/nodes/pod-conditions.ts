// The conditions of a pod that its node writes; those of other writers are kept.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { ContainerStatus } from './container-status.ts';
import type { Phase } from './pod-phase.ts';
import type { PodPlan } from './pod-plan.ts';

type PodStatus = NonNullable<Pod['status']>;
type Condition = NonNullable<PodStatus['conditions']>[number];

interface Verdict {
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

interface Conditioned {
  readonly pod: Pod;
  readonly plan: PodPlan;
  readonly phase: Phase;
  /** By the name of the container. */
  readonly statuses: ReadonlyMap<string, ContainerStatus>;
  /** Whether the network of the pod is there. */
  readonly hasNetwork: boolean;
  /** As text. */
  readonly now: string;
}

const own = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'] as const;

export function conditionsOf(conditioned: Conditioned): readonly Condition[] {
  const { pod, hasNetwork, now } = conditioned;
  const { conditions = [] } = pod.status ?? {};
  const containersReady = containersReadiness(conditioned);
  const verdicts: Readonly<Record<(typeof own)[number], Verdict>> = {
    PodReadyToStartContainers: { isTrue: hasNetwork },
    Initialized: initialization(conditioned),
    Ready: containersReady.isTrue ? gateReadiness(pod) : containersReady,
    ContainersReady: containersReady,
    PodScheduled: { isTrue: true },
  };
  const before = new Map(conditions.map((one) => [one.type, one]));
  const others = conditions.filter(({ type }) => !(own as readonly (string | undefined)[]).includes(type));
  return [
    ...others,
    ...own.map((type) => conditionOf(type, verdicts[type], before.get(type), pod.metadata.generation, now)),
  ];
}

function conditionOf(
  type: string,
  { isTrue, reason, message }: Verdict,
  before: Condition | undefined,
  generation: number | undefined,
  now: string,
): Condition {
  const status = isTrue ? 'True' : 'False';
  const since = before?.status === status ? before.lastTransitionTime : now;
  return {
    type,
    ...(generation ? { observedGeneration: generation } : {}),
    status,
    lastProbeTime: null,
    lastTransitionTime: since,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  } as unknown as Condition;
}

const ended: Partial<Readonly<Record<Phase, string>>> = { Succeeded: 'PodCompleted', Failed: 'PodFailed' };

/** Names in a list as Go prints them. */
const listOf = (names: readonly string[]) => `[${names.join(' ')}]`;

function containersReadiness({ plan, phase, statuses }: Conditioned): Verdict {
  const reason = ended[phase];
  if (reason !== undefined) return { isTrue: false, reason };
  const unready = plan.containers
    .filter(({ role, name }) => (role === 'main' || role === 'sidecar') && statuses.get(name)?.ready !== true)
    .map(({ name }) => name);
  if (unready.length === 0) return { isTrue: true };
  return { isTrue: false, reason: 'ContainersNotReady', message: `containers with unready status: ${listOf(unready)}` };
}

function gateReadiness({ spec = {}, status = {} }: Pod): Verdict {
  const problems = (spec.readinessGates ?? []).flatMap(({ conditionType = '' }) => {
    const condition = status.conditions?.find(({ type }) => type === conditionType);
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  if (problems.length === 0) return { isTrue: true };
  return { isTrue: false, reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

function initialization({ plan, phase, statuses }: Conditioned): Verdict {
  if (phase === 'Succeeded') return { isTrue: true, reason: 'PodCompleted' };
  const hasRun = plan.containers.some(({ role, name }) => role === 'main' && statuses.get(name)?.containerID);
  if (hasRun) return { isTrue: true };
  const incomplete = plan.containers.filter(({ role, name }) => {
    const status = statuses.get(name);
    return role === 'init' ? status?.ready !== true : role === 'sidecar' && status?.started !== true;
  });
  if (incomplete.length === 0) return { isTrue: true };
  const message = `containers with incomplete status: ${listOf(incomplete.map(({ name }) => name))}`;
  return { isTrue: false, reason: 'ContainersNotInitialized', message };
}
