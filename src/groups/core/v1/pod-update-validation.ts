// What may change in a pod: through itself, and through its subresources.

import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../../base/json.ts';
import { lineDiff } from '../../../base/line-diff.ts';
import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Infer } from '../../../schema/types.ts';
import type { Findings } from '../../rules.ts';
import type { toleration } from './affinity.ts';
import type { Container } from './container-defaults.ts';
import { validateTolerations } from './placement-validation.ts';
import type { PodSpec } from './pod-spec.ts';

type Toleration = Infer<typeof toleration>;

const maxInt32 = 2 ** 31 - 1;

const otherFields =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The pod itself: images, and little else. Findings about some fields keep others from being looked at. */
export function validatePodUpdate(next: PodSpec, old: PodSpec): Findings {
  const images: FieldError[] = [];
  for (const list of ['containers', 'initContainers'] as const) {
    if ((next[list] ?? []).length !== (old[list] ?? []).length)
      return [...images, forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    images.push(...validateImages(next[list] ?? [], `spec.${list}`));
  }
  const deadline = validateDeadline(next, old);
  if (deadline.length > 0 && next.activeDeadlineSeconds !== undefined) return [...images, ...deadline];
  return [
    ...images,
    ...deadline,
    ...validateAddedTolerations(next.tolerations ?? [], old.tolerations ?? []),
    ...validateRemovedGates(next, old),
    ...validateOtherFields(withAllowedChanges(next, old), old),
  ];
}

/** Whoever wrote more than they meant to sees what it was. */
function validateOtherFields(next: PodSpec, old: PodSpec): Findings {
  if (isDeepStrictEqual(next, old)) return [];
  const shown = (spec: PodSpec) => stringifyJson(spec, 1);
  return [forbiddenField('spec', `${otherFields}\n${lineDiff(shown(old), shown(next))}`)];
}

/** compat: what is wrong with an image is found twice on update, by the rules of containers and by those of changes */
function validateImages(containers: readonly Container[], at: string): Findings {
  return containers.flatMap(({ image = '' }, i) => {
    const field = `${at}[${i}].image`;
    if (image === '') return [required(field)];
    return image === image.trim() ? [] : [invalidValue(field, image, 'must not have leading or trailing whitespace')];
  });
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
  if (old.every((was) => next.some((is) => matches(was, is)))) return validateTolerations(next, 'spec.tolerations');
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
  return (old.ephemeralContainers ?? []).flatMap((one) => {
    const now = after.get(one.name);
    if (isDeepStrictEqual(now, one)) return [];
    const what = now === undefined ? 'removed' : 'changed';
    return [forbiddenField(at, `existing ephemeral containers ${JSON.stringify(one.name)} may not be ${what}`)];
  });
}
