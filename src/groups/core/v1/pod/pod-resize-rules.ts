// What a resize may change: requests and limits of cpu and memory, and nothing that makes the pod another one.

import type { Dialect } from '../../../../meta/dialect.ts';
import { forbiddenField, invalidValue } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { meansSame } from '../../../../schema/same-meaning.ts';
import { type ValidationErrors, wholeObject } from '../../../rules.ts';
import { container } from './container.ts';
import type { Container } from './container-defaults.ts';
import { isMirror } from './pod-annotation-rules.ts';
import { qosClassOf } from './pod-resources.ts';
import { type PodSpec, podSpec } from './pod-spec.ts';
import type { Pod } from './pod-type.ts';
import { resourceRequirements } from './resources.ts';

const onlyResources = 'only cpu and memory resources are mutable';
const ofInitContainers = 'only cpu and memory resources for init or sidecar containers are mutable';
const restarting = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
const lists = ['initContainers', 'containers'] as const;

/** Some pods cannot be resized at all: nothing else is said about them. */
export function validateResize(next: Pod, old: Pod, dialect: Dialect): ValidationErrors {
  if (isMirror(old, dialect)) return [forbiddenField(wholeObject, 'static pods cannot be resized')];
  if (old.spec?.os?.name === 'windows') return [forbiddenField(wholeObject, 'windows pods cannot be resized')];
  const [spec, was] = [next.spec ?? {}, old.spec ?? {}];
  const validationErrors = [
    ...validateClass(next, old),
    ...(isSupported(old) ? [] : [forbiddenField('spec', 'Pod running on node without support for resize')]),
    ...validateOwnResources(spec, was),
    ...((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0
      ? [forbiddenField('spec', 'pods with node allocatable resource claims cannot be resized')]
      : []),
    ...validateEachContainer(spec, was),
  ];
  if (validationErrors.length > 0 || meansSame(podSpec, withoutCompute(spec), withoutCompute(was)))
    return validationErrors;
  return [forbiddenField('spec', onlyResources)];
}

/** What the pod states for itself. */
function validateOwnResources({ resources }: PodSpec, { resources: was }: PodSpec): ValidationErrors {
  const stated = (one: PodSpec['resources']) =>
    Object.keys(one?.requests ?? {}).length + Object.keys(one?.limits ?? {}).length > 0;
  if (!stated(resources) && !stated(was)) return [];
  if (was !== undefined && resources === undefined)
    return [forbiddenField('spec.resources', 'pod-level resources cannot be removed')];
  const same = meansSame(resourceRequirements, withoutComputeOf(resources), withoutComputeOf(was));
  return [
    ...removed(resources, was, 'spec.resources', 'pod-level resource'),
    ...(same ? [] : [forbiddenField('spec', `${onlyResources} at pod-level`)]),
  ];
}

/** Containers that are still the same ones, in their order, are compared one by one. */
function validateEachContainer(next: PodSpec, old: PodSpec): ValidationErrors {
  const moved = (['containers', 'initContainers'] as const).flatMap((list) => validateOrder(next, old, list));
  if (moved.length > 0) return moved;
  return [
    ...lists.flatMap((list) => validateKept(next, old, list)),
    ...validateContainers(next, old),
    ...validateInitContainers(next, old),
  ];
}

function validateOrder(next: PodSpec, old: PodSpec, list: (typeof lists)[number]): ValidationErrors {
  const [is, was] = [next[list] ?? [], old[list] ?? []];
  if (is.length !== was.length)
    return [forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return findEach(was, ({ name }, i) =>
    is[i]?.name === name
      ? []
      : [forbiddenField(`spec.${list}[${i}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

/** The class that was sent is shown: it is the stored one, unless containers came or went. */
function validateClass({ spec = {}, status }: Pod, old: Pod): ValidationErrors {
  const was = old.status?.qosClass ?? qosClassOf(old.spec ?? {});
  if (was === qosClassOf(spec)) return [];
  return [invalidValue('spec', status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

/** A node that can resize says what its containers have. */
function isSupported({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

/** What a resize may not take away altogether. */
function validateKept(next: PodSpec, old: PodSpec, list: (typeof lists)[number]): ValidationErrors {
  return findEach(old[list] ?? [], (was, i) =>
    removed(next[list]?.[i]?.resources, was.resources, `spec.${list}[${i}].resources`, 'resource'),
  );
}

type Resources = Container['resources'];

function removed(next: Resources, old: Resources, at: string, what: string): ValidationErrors {
  return (['requests', 'limits'] as const).flatMap((part) => {
    const kept = next?.[part] ?? {};
    const gone = Object.keys(old?.[part] ?? {}).some((name) => !Object.hasOwn(kept, name));
    return gone ? [forbiddenField(`${at}.${part}`, `${what} ${part} cannot be removed`)] : [];
  });
}

/** One validation error for each container of which something else changed. */
function validateContainers(next: PodSpec, old: PodSpec): ValidationErrors {
  return findEach(old.containers ?? [], (was, i) =>
    isOnlyResized(next.containers?.[i], was) ? [] : [forbiddenField('spec', onlyResources)],
  );
}

function validateInitContainers(next: PodSpec, old: PodSpec): ValidationErrors {
  return findEach(old.initContainers ?? [], (was, i) => {
    const is = next.initContainers?.[i];
    const restarts =
      is?.restartPolicy !== 'Always' && !(is !== undefined && meansSame(container, is, was))
        ? (is?.resizePolicy ?? [])
        : [];
    const at = `spec.initContainers[${i}]`;
    return [
      ...(isOnlyResized(is, was) ? [] : [forbiddenField(at, ofInitContainers)]),
      ...restarts
        .filter(({ restartPolicy }) => restartPolicy === 'RestartContainer')
        .map(() => forbiddenField(at, restarting)),
    ];
  });
}

const isOnlyResized = (next: Container | undefined, old: Container): boolean =>
  next !== undefined && meansSame(container, stripped(next), stripped(old));

const stripped = (one: Container): Container => ({
  ...one,
  resources: withoutComputeOf(one.resources),
  resizePolicy: one.resizePolicy ?? [],
});

function withoutCompute(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: (spec.containers ?? []).map(stripped),
    initContainers: (spec.initContainers ?? []).map(stripped),
    resources: withoutComputeOf(spec.resources),
  };
}

function withoutComputeOf(resources: Container['resources'] = {}): NonNullable<Container['resources']> {
  const others = (amounts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== 'cpu' && name !== 'memory'));
  return { ...resources, limits: others(resources.limits), requests: others(resources.requests) };
}
