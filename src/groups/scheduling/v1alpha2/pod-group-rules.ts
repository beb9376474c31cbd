// What is wrong with groups of pods and with the templates they are made from.

import { isSameJson } from '../../../base/json/json.ts';
import { duplicate, invalidValue, required, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, oneOf, repeatsIn, requiredChecked, type ValidationErrors } from '../../rules.ts';
import type {
  podGroupResourceClaim,
  podGroupSchedulingConstraints,
  podGroupSchedulingPolicy,
} from './pod-group-policy.ts';

export const disruptionModes = ['Pod', 'PodGroup'] as const;

const maxClaims = 4;
const maxTopologies = 1;
const highestPriority = 1_000_000_000;

type Claim = Infer<typeof podGroupResourceClaim>;

/** What groups and their templates have in common. */
interface GroupSpec {
  readonly schedulingPolicy?: Infer<typeof podGroupSchedulingPolicy>;
  readonly schedulingConstraints?: Infer<typeof podGroupSchedulingConstraints>;
  readonly resourceClaims?: readonly Claim[];
  readonly disruptionMode?: string;
  readonly priorityClassName?: string;
  readonly priority?: number;
}

/** Fields of features that are off are gone before this looks. */
export function validateGroup(spec: GroupSpec, at: string): ValidationErrors {
  const { disruptionMode, priorityClassName = '', priority = 0 } = spec;
  return [
    ...validatePolicy(spec.schedulingPolicy ?? {}, `${at}.schedulingPolicy`),
    ...validateConstraints(spec.schedulingConstraints ?? {}, `${at}.schedulingConstraints`),
    ...validateClaims(spec.resourceClaims ?? [], `${at}.resourceClaims`),
    ...(disruptionMode === undefined ? [] : oneOf(`${at}.disruptionMode`, disruptionMode, disruptionModes)),
    ...(priorityClassName === '' ? [] : checked(`${at}.priorityClassName`, priorityClassName, checkSubdomain)),
    ...(priority > highestPriority
      ? [invalidValue(`${at}.priority`, priority, `must be less than or equal to ${highestPriority}`)]
      : []),
  ];
}

/** One of the members is set, and only one. */
export function exactlyOne(at: string, members: Readonly<Record<string, unknown>>): ValidationErrors {
  const listed = (names: readonly string[]) => names.join(', ');
  const all = listed(Object.keys(members).map((name) => `\`${name}\``));
  const set = Object.keys(members).filter((name) => members[name] !== undefined && members[name] !== null);
  if (set.length === 0) return [invalidValue(at, '', `must specify one of: ${all}`)];
  return set.length > 1 ? [invalidValue(at, `{${listed(set)}}`, `must specify exactly one of: ${all}`)] : [];
}

/** Fields that may not change; the error names no value. */
export function fixedFields<T extends object>(
  at: string,
  next: T,
  old: T,
  names: readonly (keyof T & string)[],
): ValidationErrors {
  const changed = names.filter((name) => !isSameJson(next[name] ?? undefined, old[name] ?? undefined));
  return changed.map((name) => invalidValue(`${at}.${name}`, null, 'field is immutable'));
}

function validatePolicy({ basic, gang }: Infer<typeof podGroupSchedulingPolicy>, at: string): ValidationErrors {
  const { minCount = 0 } = gang ?? {};
  const wrongCount =
    minCount === 0
      ? required(`${at}.gang.minCount`)
      : invalidValue(`${at}.gang.minCount`, minCount, 'must be greater than or equal to 1');
  return [...exactlyOne(at, { basic, gang }), ...(gang && minCount < 1 ? [wrongCount] : [])];
}

function validateConstraints(
  { topology = [] }: Infer<typeof podGroupSchedulingConstraints>,
  at: string,
): ValidationErrors {
  if (topology.length > maxTopologies) return [tooMany(`${at}.topology`, topology.length, maxTopologies)];
  return findEach(topology, ({ key }, i) => requiredChecked(`${at}.topology[${i}].key`, key, checkQualifiedName));
}

function validateClaims(claims: readonly Claim[], at: string): ValidationErrors {
  return validateList(at, claims, ({ name, resourceClaimName, resourceClaimTemplateName }, here) => [
    ...exactlyOne(here, { resourceClaimName, resourceClaimTemplateName }),
    ...requiredChecked(`${here}.name`, name, checkLabelName),
    ...checkedClaim(`${here}.resourceClaimName`, resourceClaimName),
    ...checkedClaim(`${here}.resourceClaimTemplateName`, resourceClaimTemplateName),
  ]);
}

/** Which claims were made, for entries of the group. */
export function validateClaimStatuses(
  statuses: readonly { readonly name?: string; readonly resourceClaimName?: string }[],
  claims: readonly Claim[],
  at: string,
): ValidationErrors {
  const names = new Set(claims.map(({ name = '' }) => name));
  const unmatched = 'must match the name of an entry in `spec.resourceClaims`';
  return [
    ...findEach(statuses, ({ name = '' }, i) =>
      names.has(name) ? [] : [invalidValue(`${at}[${i}].name`, name, unmatched)],
    ),
    ...validateList(at, statuses, ({ resourceClaimName }, here) =>
      checkedClaim(`${here}.resourceClaimName`, resourceClaimName),
    ),
  ];
}

/** A short list of entries that have their own names. */
function validateList<T extends { readonly name?: string }>(
  at: string,
  entries: readonly T[],
  validate: (entry: T, at: string) => ValidationErrors,
): ValidationErrors {
  if (entries.length > maxClaims) return [tooMany(at, entries.length, maxClaims)];
  const isRepeated = repeatsIn(entries.map(({ name = '' }) => name));
  return [
    ...findEach(entries, (entry, i) => (isRepeated(i) ? [duplicate(`${at}[${i}]`, entry)] : [])),
    ...findEach(entries, (entry, i) => validate(entry, `${at}[${i}]`)),
  ];
}

const checkedClaim = (at: string, name: string | undefined): ValidationErrors =>
  name === undefined ? [] : checked(at, name, checkSubdomain);
