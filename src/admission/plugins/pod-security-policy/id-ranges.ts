// Users and groups in ranges.

import type { IdRange, PolicySpec } from '../../../groups/policy/v1beta1/pod-security-policy-type.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';

interface GroupRule {
  readonly rule?: string;
  readonly ranges?: readonly IdRange[];
}

const isWithin = (id: number, ranges: readonly IdRange[] = []) =>
  ranges.some(({ min = 0, max = 0 }) => id >= min && id <= max);

const shown = (ranges: readonly IdRange[] = []) =>
  `[${ranges.map(({ min = 0, max = 0 }) => `{${min} ${max}}`).join(' ')}]`;

/** The first id that is allowed, for what has to have one. */
export const firstId = (given: GroupRule | undefined): number | undefined =>
  given?.rule === 'MustRunAs' ? (given.ranges?.[0]?.min ?? 0) : undefined;

export function checkGroups(at: string, given: GroupRule | undefined, groups: readonly number[]): FieldError[] {
  if (given === undefined || given.rule === 'RunAsAny') return [];
  const none =
    given.rule === 'MustRunAs' && groups.length === 0
      ? [invalidValue(at, groups, 'unable to validate empty groups against required ranges')]
      : [];
  const outside = groups.filter((group) => !isWithin(group, given.ranges));
  return [
    ...none,
    ...outside.map((group) => invalidValue(at, groups, `group ${group} must be in the ranges: ${shown(given.ranges)}`)),
  ];
}

interface Runs {
  readonly runAsUser: number | undefined;
  readonly runAsNonRoot: boolean | undefined;
}

export function checkUser(at: string, given: PolicySpec['runAsUser'], runs: Runs): FieldError[] {
  if (given?.rule === 'MustRunAs') return checkRange(`${at}.runAsUser`, given.ranges, runs.runAsUser);
  return given?.rule === 'MustRunAsNonRoot' ? checkNonRoot(at, runs) : [];
}

function checkRange(at: string, ranges: readonly IdRange[] | undefined, user: number | undefined): FieldError[] {
  if (user === undefined) return [required(at)];
  return isWithin(user, ranges) ? [] : [invalidValue(at, user, `must be in the ranges: ${shown(ranges)}`)];
}

function checkNonRoot(at: string, { runAsNonRoot, runAsUser }: Runs): FieldError[] {
  if (runAsNonRoot === undefined && runAsUser === undefined) return [required(`${at}.runAsNonRoot`, 'must be true')];
  if (runAsNonRoot === false) return [invalidValue(`${at}.runAsNonRoot`, runAsNonRoot, 'must be true')];
  if (runAsUser === 0) return [invalidValue(`${at}.runAsUser`, runAsUser, 'running with the root UID is forbidden')];
  return [];
}
