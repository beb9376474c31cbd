// What may change in a pod: through itself, and through its subresources.

import { forbiddenField, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { meansSame } from '../../../../schema/same-meaning.ts';
import type { Infer } from '../../../../schema/types.ts';
import { changes } from '../../../changes.ts';
import type { ValidationErrors } from '../../../rules.ts';
import type { toleration } from './affinity.ts';
import { ephemeralContainer } from './container.ts';
import type { Container, EphemeralContainer } from './container-defaults.ts';
import { choiceOfNodes, isGated, validateGatedChanges } from './gated-pod-changes.ts';
import { validateTolerations } from './placement-rules.ts';
import { type PodSpec, podSpec } from './pod-spec.ts';

type Toleration = Infer<typeof toleration>;

const maxInt32 = 2 ** 31 - 1;

const otherFields =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The pod itself: images, and little else. Validation errors about some fields keep others from being looked at. */
export function validatePodUpdate(next: PodSpec, old: PodSpec): ValidationErrors {
  const images: FieldError[] = [];
  for (const list of ['containers', 'initContainers'] as const) {
    if ((next[list] ?? []).length !== (old[list] ?? []).length)
      return [...images, forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    for (const wrong of validateImages(next[list] ?? [], `spec.${list}`)) images.push(wrong);
  }
  const deadline = validateDeadline(next, old);
  if (deadline.length > 0 && next.activeDeadlineSeconds !== undefined) return [...images, ...deadline];
  return [
    ...images,
    ...deadline,
    ...validateAddedTolerations(next.tolerations ?? [], old.tolerations ?? []),
    ...validateRemovedGates(next, old),
    ...(isGated(old) ? validateGatedChanges(next, old) : []),
    ...validateOtherFields(withAllowedChanges(next, old), old),
  ];
}

function validateOtherFields(next: PodSpec, old: PodSpec): ValidationErrors {
  if (meansSame(podSpec, next, old)) return [];
  return [forbiddenField('spec', `${otherFields}\n${changes('PodSpec', old, next)}`)];
}

/** compat: what is wrong with an image is found twice on update, by the rules of containers and by those of changes */
function validateImages(containers: readonly Container[], at: string): ValidationErrors {
  return findEach(containers, ({ image = '' }, i) => {
    const field = `${at}[${i}].image`;
    if (image === '') return [required(field)];
    return image === image.trim() ? [] : [invalidValue(field, image, 'must not have leading or trailing whitespace')];
  });
}

/** `next` with everything that may change as it was. */
function withAllowedChanges(next: PodSpec, old: PodSpec): PodSpec {
  const negative = (old.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1;
  return withoutUndefined({
    ...next,
    containers: withImages(next.containers, old.containers),
    initContainers: withImages(next.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...(negative ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } : {}),
    ...(isGated(old) ? choiceOfNodes(next, old) : {}),
  });
}

/** The same spec, which still knows what was given empty. */
function withoutUndefined(spec: { readonly [K in keyof PodSpec]: PodSpec[K] | undefined }): PodSpec {
  const result: Record<string, unknown> = { ...spec };
  for (const name of Object.keys(result)) if (result[name] === undefined) delete result[name];
  return result as unknown as PodSpec;
}

function withImages(
  next: readonly Container[] | undefined,
  old: readonly Container[] | undefined,
): readonly Container[] | undefined {
  return next?.map((one, i) => {
    const image = old?.[i]?.image;
    return { ...one, ...(image === undefined ? {} : { image }) };
  });
}

function validateDeadline(
  { activeDeadlineSeconds: is }: PodSpec,
  { activeDeadlineSeconds: was }: PodSpec,
): ValidationErrors {
  const at = 'spec.activeDeadlineSeconds';
  if (is === undefined)
    return was === undefined ? [] : [invalidValue(at, null, 'must not update from a positive integer to nil value')];
  if (is < 0 || is > maxInt32) return [invalidValue(at, is, `must be between 0 and ${maxInt32}, inclusive`)];
  return was !== undefined && was < is ? [invalidValue(at, is, 'must be less than or equal to previous value')] : [];
}

function validateAddedTolerations(next: readonly Toleration[], old: readonly Toleration[]): ValidationErrors {
  const textOf = ({ key, operator, value, effect }: Toleration) => JSON.stringify([key, operator, value, effect]);
  const now = new Set(next.map(textOf));
  if (old.every((was) => now.has(textOf(was)))) return validateTolerations(next, 'spec.tolerations');
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenField('spec.tolerations', detail)];
}

function validateRemovedGates(
  { schedulingGates: next = [] }: PodSpec,
  { schedulingGates: old = [] }: PodSpec,
): ValidationErrors {
  const had = new Set(old.map(({ name }) => name));
  // of gates with the same name, the last is reported
  const last = new Map(next.map(({ name = '' }, i) => [name, i]));
  return findEach(next, ({ name = '' }, i) =>
    had.has(name) || last.get(name) !== i
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
export function validateEphemeralUpdate(next: PodSpec, old: PodSpec): ValidationErrors {
  const after = new Map((next.ephemeralContainers ?? []).map((one) => [one.name, one]));
  return findEach(old.ephemeralContainers ?? [], (one) => {
    const now = after.get(one.name);
    return now !== undefined && meansSame(ephemeralContainer, now, one)
      ? []
      : [forbiddenField('spec.ephemeralContainers', wordsAbout(one, now))];
  });
}

function wordsAbout(one: EphemeralContainer, now: EphemeralContainer | undefined): string {
  const which = `existing ephemeral containers ${JSON.stringify(one.name)} may not be`;
  return now === undefined ? `${which} removed\n` : `${which} changed\n${changes('EphemeralContainer', one, now)}`;
}
