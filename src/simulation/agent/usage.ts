// What simulated pods and nodes use, as a metrics server would show it: what rules say, or little.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { addQuantities, formatQuantity, parseQuantity, type Quantity } from '../../meta/quantity.ts';
import { formatTime } from '../../meta/time.ts';
import type { PodPlan } from '../nodes/pod-plan.ts';
import { containerStatusIn } from './container-run.ts';

export const metricsVersion = 'v1beta1';

interface Usage {
  readonly cpu: string;
  readonly memory: string;
}

const usualUsage: Usage = { cpu: '1m', memory: '8Mi' };
/** What a node uses without pods. */
const idleUsage: Usage = { cpu: '50m', memory: '256Mi' };

interface PodUsage {
  readonly metadata: object;
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

const measured = (now: number) => ({ timestamp: formatTime(now), window: '10s' });

/** Containers that run; a pod without any is not shown. */
export function usageOfPod(pod: Pod, plan: PodPlan, now: number): PodUsage | undefined {
  const containers = plan.containers
    .filter(({ name }) => containerStatusIn(pod, name)?.state?.running)
    .map(({ name, behaviour }) => ({
      name,
      usage: { cpu: behaviour.cpu ?? usualUsage.cpu, memory: behaviour.memory ?? usualUsage.memory },
    }));
  if (containers.length === 0) return undefined;
  const { name, namespace, labels, creationTimestamp } = pod.metadata;
  return { metadata: { name, namespace, labels, creationTimestamp }, ...measured(now), containers };
}

/** The sum of the pods of a node, and a little more. */
export function usageOfNode(pods: readonly PodUsage[], now: number): object {
  const all = [idleUsage, ...pods.flatMap(({ containers }) => containers.map(({ usage }) => usage))];
  return {
    ...measured(now),
    usage: { cpu: sumOf(all.map(({ cpu }) => cpu)), memory: sumOf(all.map(({ memory }) => memory)) },
  };
}

const zero: Quantity = { digits: 0n, scale: 0, format: 'decimal' };

const sumOf = (texts: readonly string[]): string =>
  formatQuantity(texts.map((text) => parseQuantity(text) ?? zero).reduce(addQuantities));
