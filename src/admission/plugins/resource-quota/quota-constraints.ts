// What pods must say where a quota limits processor or memory: every container how much of it.

import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';

const demanded = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** Says what containers leave out; undefined when that is nothing, or when the pod states amounts for all of them. */
export function unstated(spec: PodSpec, limited: readonly string[]): string | undefined {
  if (namesOf(spec).size > 0) return undefined;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const missing = limited
    .filter((name) => demanded.has(name))
    .sort()
    .map((name) => [name, containers.filter((one) => !namesOf(one).has(name)).map((one) => one.name ?? '')] as const)
    .filter(([, names]) => names.length > 0);
  if (missing.length === 0) return undefined;
  return `must specify ${missing.map(([name, names]) => `${name} for: ${names.sort().join(',')}`).join('; ')}`;
}

/** Amounts that a container, or a pod for itself, states. */
function namesOf({ resources }: Pick<Container, 'resources'>): ReadonlySet<string> {
  const requests = Object.keys(resources?.requests ?? {});
  const limits = Object.keys(resources?.limits ?? {});
  return new Set([
    ...requests,
    ...requests.map((name) => `requests.${name}`),
    ...limits.map((name) => `limits.${name}`),
  ]);
}
