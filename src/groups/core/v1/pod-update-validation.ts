// What may change in a pod: through itself, and through its subresources.

import { isDeepStrictEqual } from 'node:util';
import { forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import { validateIp } from '../../../meta/network-names.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, type Findings } from '../../rules.ts';
import type { toleration } from './affinity.ts';
import type { Container } from './container-defaults.ts';
import type { Pod } from './pod.ts';
import { qosClassOf } from './pod-resources.ts';
import type { PodSpec } from './pod-spec.ts';

type Toleration = Infer<typeof toleration>;
type Statuses = NonNullable<NonNullable<Pod['status']>['containerStatuses']>;

const maxInt32 = 2 ** 31 - 1;

const otherFields =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The pod itself: images, and little else. */
export function validatePodUpdate(next: PodSpec, old: PodSpec): Findings {
  for (const list of ['containers', 'initContainers'] as const) {
    if (next[list]?.length !== old[list]?.length)
      return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
  }
  return [
    ...validateDeadline(next, old),
    ...validateAddedTolerations(next.tolerations ?? [], old.tolerations ?? []),
    ...validateRemovedGates(next, old),
    ...(isDeepStrictEqual(withAllowedChanges(next, old), old) ? [] : [forbiddenField('spec', otherFields)]),
  ];
}

/** `next` with everything that may change as it was. */
function withAllowedChanges(next: PodSpec, old: PodSpec): PodSpec {
  const negative = (old.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1;
  const gated = (old.schedulingGates ?? []).length > 0;
  return withoutUndefined({
    ...next,
    containers: withImages(next.containers, old.containers),
    initContainers: withImages(next.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...(negative ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } : {}),
    ...(gated ? gatedChanges(next, old) : {}),
  });
}

const withoutUndefined = (spec: { readonly [K in keyof PodSpec]: PodSpec[K] | undefined }): PodSpec =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as PodSpec;

function withImages(
  next: readonly Container[] | undefined,
  old: readonly Container[] | undefined,
): readonly Container[] | undefined {
  return next?.map((one, i) => {
    const image = old?.[i]?.image;
    return { ...one, ...(image === undefined ? {} : { image }) };
  });
}

/** While gates hold a pod, the choice of nodes may become narrower. */
function gatedChanges(next: PodSpec, old: PodSpec): Pick<PodSpec, 'nodeSelector' | 'affinity'> {
  const wanted = next.nodeSelector ?? {};
  const kept = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => wanted[key] === value);
  return {
    ...(kept ? { nodeSelector: old.nodeSelector as Record<string, string> } : {}),
    ...(narrowsAffinity(next, old) ? { affinity: old.affinity as NonNullable<PodSpec['affinity']> } : {}),
  };
}

function narrowsAffinity(next: PodSpec, old: PodSpec): boolean {
  const { nodeAffinity: was, ...othersWere } = old.affinity ?? {};
  const { nodeAffinity: is, ...othersAre } = next.affinity ?? {};
  if (!isDeepStrictEqual(othersWere, othersAre)) return false;
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const before = was?.[required]?.nodeSelectorTerms ?? [];
  const after = is?.[required]?.nodeSelectorTerms ?? [];
  if (before.length === 0) return true;
  if (before.length !== after.length) return false;
  return before.every((term, i) =>
    (['matchExpressions', 'matchFields'] as const).every((part) => {
      const now = after[i]?.[part] ?? [];
      return (term[part] ?? []).every((one) => now.some((other) => isDeepStrictEqual(one, other)));
    }),
  );
}

function validateDeadline({ activeDeadlineSeconds: is }: PodSpec, { activeDeadlineSeconds: was }: PodSpec): Findings {
  const at = 'spec.activeDeadlineSeconds';
  if (is === undefined)
    return was === undefined ? [] : [invalidValue(at, null, 'must not update from a positive integer to nil value')];
  if (is < 0 || is > maxInt32) return [invalidValue(at, is, `must be between 0 and ${maxInt32}, inclusive`)];
  return was !== undefined && was < is ? [invalidValue(at, is, 'must be less than or equal to previous value')] : [];
}

function validateAddedTolerations(next: readonly Toleration[], old: readonly Toleration[]): Findings {
  const matches = (a: Toleration, b: Toleration) =>
    isDeepStrictEqual({ ...a, tolerationSeconds: 0 }, { ...b, tolerationSeconds: 0 });
  if (old.every((was) => next.some((is) => matches(was, is)))) return [];
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenField('spec.tolerations', detail)];
}

function validateRemovedGates(
  { schedulingGates: next = [] }: PodSpec,
  { schedulingGates: old = [] }: PodSpec,
): Findings {
  const had = new Set(old.map(({ name }) => name));
  return next.flatMap(({ name = '' }, i) =>
    had.has(name)
      ? []
      : [
          forbiddenField(
            `spec.schedulingGates[${i}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** Debugging containers are added, never changed or taken away. */
export function validateEphemeralUpdate(next: PodSpec, old: PodSpec): Findings {
  const after = new Map((next.ephemeralContainers ?? []).map((one) => [one.name, one]));
  const at = 'spec.ephemeralContainers';
  for (const one of old.ephemeralContainers ?? []) {
    const now = after.get(one.name);
    if (now === undefined)
      return [forbiddenField(at, `existing ephemeral containers ${JSON.stringify(one.name)} may not be removed`)];
    if (!isDeepStrictEqual(now, one))
      return [forbiddenField(at, `existing ephemeral containers ${JSON.stringify(one.name)} may not be changed`)];
  }
  return [];
}

const onlyResources = 'only cpu and memory resources are mutable';

/** Requests and limits of cpu and memory, and nothing else; the class of service stays. */
export function validateResize(next: Pod, old: Pod): Findings {
  const errors: FieldError[] = [];
  if (!isDeepStrictEqual(withoutCompute(next.spec ?? {}), withoutCompute(old.spec ?? {})))
    errors.push(forbiddenField('spec', onlyResources));
  const was = old.status?.qosClass ?? qosClassOf(old.spec ?? {});
  const is = qosClassOf(next.spec ?? {});
  if (was !== is) errors.push(invalidValue('metadata', is, `Pod QOS Class may not change as a result of resizing`));
  if (next.spec?.os?.name === 'windows') errors.push(forbiddenField('spec', 'windows pods cannot be resized'));
  return [...errors, ...validateKeptAmounts(next.spec ?? {}, old.spec ?? {})];
}

/** What a resize may not take away altogether. */
function validateKeptAmounts(next: PodSpec, old: PodSpec): Findings {
  return (old.containers ?? []).flatMap((was, i) => {
    const is = next.containers?.[i];
    return (['requests', 'limits'] as const).flatMap((part) => {
      const gone = Object.keys(was.resources?.[part] ?? {}).filter(
        (name) => !Object.hasOwn(is?.resources?.[part] ?? {}, name),
      );
      const at = `spec.containers[${i}].resources.${part}`;
      return gone.length === 0 ? [] : [forbiddenField(at, `resource ${part} cannot be removed`)];
    });
  });
}

function withoutCompute(spec: PodSpec): PodSpec {
  const strip = (one: Container): Container => ({
    ...one,
    resources: withoutComputeOf(one.resources),
    resizePolicy: [],
  });
  return {
    ...spec,
    containers: (spec.containers ?? []).map(strip),
    initContainers: (spec.initContainers ?? []).map((one) => (one.restartPolicy === 'Always' ? strip(one) : one)),
    resources: withoutComputeOf(spec.resources),
  };
}

function withoutComputeOf(resources: Container['resources'] = {}): NonNullable<Container['resources']> {
  const others = (amounts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== 'cpu' && name !== 'memory'));
  return { ...resources, limits: others(resources.limits), requests: others(resources.requests) };
}

const systemConditions = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'DisruptionTarget',
  'PodReadyToStartContainers',
  'PodResizePending',
  'PodResizeInProgress',
]);

export function validateStatusUpdate(next: Pod, old: Pod): Findings {
  const { status = {} } = next;
  const was = old.status ?? {};
  return [
    ...(status.qosClass === was.qosClass
      ? []
      : [invalidValue('status.qosClass', status.qosClass ?? '', 'field is immutable')]),
    ...(status.nominatedNodeName ? checked('status.nominatedNodeName', status.nominatedNodeName, checkSubdomain) : []),
    ...(status.conditions ?? []).flatMap(({ type = '' }, i) =>
      systemConditions.has(type) ? [] : checked(`status.conditions[${i}].Type`, type, checkQualifiedName),
    ),
    ...(status.podIPs ?? []).flatMap(({ ip = '' }, i) => validateIp(ip, `status.podIPs[${i}]`)),
    ...validateTransitions(status.containerStatuses ?? [], was.containerStatuses ?? [], old.spec?.restartPolicy),
  ];
}

/** What has ended for good does not run again. */
function validateTransitions(next: Statuses, old: Statuses, policy: string | undefined): Findings {
  if (policy === 'Always') return [];
  const before = new Map(old.map((one) => [one.name, one]));
  return next.flatMap(({ name, state }, i) => {
    const ended = before.get(name)?.state?.terminated;
    if (ended === undefined || state?.terminated !== undefined) return [];
    if (policy === 'OnFailure' && (ended.exitCode ?? 0) !== 0) return [];
    const at = `status.containerStatuses[${i}].state`;
    return [forbiddenField(at, 'may not be transitioned to non-terminated state')];
  });
}
