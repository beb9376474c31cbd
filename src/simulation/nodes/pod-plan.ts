// What a node has to do for a pod: its containers in order, and how each of them will behave.

import type { Container } from '../../groups/core/v1/pod/container-defaults.ts';
import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { Behaviour } from './behaviour.ts';
import type { SimulationRules } from './rules.ts';

/** Init containers run one after another; sidecars are those of them that go on; then all main containers run. */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

export interface ContainerPlan {
  readonly name: string;
  readonly role: ContainerRole;
  readonly image: string;
  readonly pullPolicy: string;
  readonly behaviour: Behaviour;
  readonly hasReadinessProbe: boolean;
  /** Whether the container is meant to end by itself. */
  readonly isTask: boolean;
  restartsAfter(exitCode: number): boolean;
}

export interface PodPlan {
  readonly containers: readonly ContainerPlan[];
  /** Milliseconds that the pod may run at most. */
  readonly activeMs: number | undefined;
  readonly isHostNetwork: boolean;
}

export function planOf(pod: Pod, rules: SimulationRules, ignoresAnnotations = false): PodPlan {
  const { spec = {} } = pod;
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  const plan = (container: Container, role: ContainerRole) =>
    planContainer(container, role, spec, (name, image) => {
      const target = { pod, container: name, image };
      return ignoresAnnotations ? rules.withoutAnnotations(target) : rules.behaviourOf(target);
    });
  return {
    containers: [
      ...initContainers.map((one) => plan(one, one.restartPolicy === 'Always' ? 'sidecar' : 'init')),
      ...containers.map((one) => plan(one, 'main')),
      ...ephemeralContainers.map((one) => plan(one as Container, 'ephemeral')),
    ],
    activeMs: spec.activeDeadlineSeconds === undefined ? undefined : spec.activeDeadlineSeconds * 1000,
    isHostNetwork: spec.hostNetwork === true,
  };
}

function planContainer(
  container: Container,
  role: ContainerRole,
  { restartPolicy = 'Always' }: PodSpec,
  behaviourOf: (name: string, image: string) => Behaviour,
): ContainerPlan {
  const { name = '', image = '', imagePullPolicy = 'IfNotPresent', readinessProbe } = container;
  const usual = container.restartPolicy ?? restartPolicy;
  return {
    ...{ name, role, image },
    pullPolicy: imagePullPolicy,
    behaviour: behaviourOf(name, image),
    hasReadinessProbe: readinessProbe !== undefined,
    isTask: role === 'init' || (role === 'main' && usual !== 'Always'),
    restartsAfter: (exitCode) => restarts(container, role, usual, exitCode),
  };
}

function restarts(container: Container, role: ContainerRole, policy: string, exitCode: number): boolean {
  if (role === 'ephemeral') return false;
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const isListed = (exitCodes?.values ?? []).includes(exitCode);
    if (action === 'Restart' && isListed === (exitCodes?.operator === 'In')) return true;
  }
  // an init container that succeeded is done, whatever the policy
  if (role === 'init' && exitCode === 0) return false;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
