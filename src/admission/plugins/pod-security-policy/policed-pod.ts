// A pod as policies see it: its containers with their places, and what counts for each.

import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { PodSecurityPolicy, PolicySpec } from '../../../groups/policy/v1beta1/pod-security-policy-type.ts';
import type { Dialect } from '../../../meta/dialect.ts';

export type SecurityContext = NonNullable<Container['securityContext']>;
export type PodSecurityContext = NonNullable<PodSpec['securityContext']>;

/** A policy, and what belongs to reading it. */
export interface Policed {
  readonly policy: PodSecurityPolicy;
  readonly spec: PolicySpec;
  readonly dialect: Dialect;
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

interface PlacedContainer {
  readonly at: string;
  readonly container: Container;
}

export const placedContainers = (spec: PodSpec): readonly PlacedContainer[] =>
  lists.flatMap((list) =>
    ((spec[list] ?? []) as readonly Container[]).map((container, index) => ({
      at: `spec.${list}[${index}]`,
      container,
    })),
  );

/** The same spec with other containers. */
export function mapContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  const changed: Record<string, readonly Container[]> = {};
  // null where the client sent no containers, which is refused later
  for (const list of lists) if (spec[list]) changed[list] = (spec[list] as readonly Container[]).map(change);
  return { ...spec, ...changed };
}

/** What a container says counts before what its pod says. */
export function effective<K extends 'runAsUser' | 'runAsGroup' | 'runAsNonRoot' | 'seLinuxOptions'>(
  key: K,
  own: SecurityContext | undefined,
  ofPod: PodSecurityContext | undefined,
): SecurityContext[K] {
  return own?.[key] ?? (ofPod?.[key] as SecurityContext[K]);
}

/** An object without the fields that have no value. */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
