// Which level of the pod security standards counts where: what labels of a namespace say, or else what is configured.

import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import type { Labels } from '../../../meta/object.ts';
import { release as own } from '../../../meta/release.ts';
import type { FieldError } from '../../../meta/status.ts';
import { baselineChecks } from './baseline.ts';
import type { Check, Violation } from './check.ts';
import { restrictedChecks } from './restricted.ts';

const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];
export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

export interface LevelVersion {
  readonly level: Level;
  /** `latest`, or a release such as `v1.30`. */
  readonly version: string;
}

export type Policy = Readonly<Record<Mode, LevelVersion>>;

export const anything: LevelVersion = { level: 'privileged', version: 'latest' };

/** Names of a level and its version, as people see them. */
export const shown = ({ level, version }: LevelVersion): string => `${level}:${version}`;

const versionForm = /^v1\.(0|[1-9][0-9]*)$/;

export const isLevel = (text: string): text is Level => (levels as readonly string[]).includes(text);
/** The largest number that the reference server reads. */
const mostMinor = 2n ** 63n - 1n;

export function isVersion(text: string): boolean {
  const minor = versionForm.exec(text)?.[1];
  return text === 'latest' || (minor !== undefined && minor.length < 20 && BigInt(minor) <= mostMinor);
}

/** Above zero where `a` is stricter than `b`, below zero where it is milder. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

export const levelProblem = `must be one of ${levels.join(', ')}`;
export const versionProblem = 'must be "latest" or "v1.x"';

export const labelsPrefix = ({ labelDomain }: Dialect): string => `pod-security.${labelDomain}/`;

interface ReadPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

/** What labels make of the defaults. An unknown level counts as the strictest. */
export function readPolicy(labels: Labels = {}, defaults: Policy, dialect: Dialect): ReadPolicy {
  const errors: FieldError[] = [];
  const read = (mode: Mode): LevelVersion => {
    const key = `${labelsPrefix(dialect)}${mode}`;
    const level = labels[key];
    const version = labels[`${key}-version`];
    if (level !== undefined && !isLevel(level)) errors.push(invalidValue(labelField(key), level, levelProblem));
    if (version !== undefined && !isVersion(version))
      errors.push(invalidValue(labelField(`${key}-version`), version, versionProblem));
    const fallback = mode === 'enforce' ? 'restricted' : 'privileged';
    return {
      level: level === undefined ? defaults[mode].level : isLevel(level) ? level : fallback,
      version: version === undefined ? defaults[mode].version : isVersion(version) ? version : 'latest',
    };
  };
  const [enforce, audit, warn] = modes.map(read) as [LevelVersion, LevelVersion, LevelVersion];
  return { policy: { enforce, audit, warn: warnsAtLeast(labels, enforce, warn, dialect) }, errors };
}

/** A namespace that asks for a level and says nothing about warnings warns of what it refuses. */
function warnsAtLeast(labels: Labels, enforce: LevelVersion, warn: LevelVersion, dialect: Dialect): LevelVersion {
  const label = (name: string) => labels[`${labelsPrefix(dialect)}${name}`];
  const asked = label('enforce');
  const isSilent = label('warn') === undefined && asked !== undefined && isLevel(asked);
  if (!isSilent || compareLevels(enforce.level, warn.level) <= 0) return warn;
  return { level: enforce.level, version: label('warn-version') === undefined ? enforce.version : warn.version };
}

const isPrivileged = ({ level }: LevelVersion) => level === 'privileged';

/** Whether nothing is ever wrong; pods that are only described are not held to what is enforced. */
export const asksNothing = ({ enforce, audit, warn }: Policy, ofPods: boolean): boolean =>
  isPrivileged(audit) && isPrivileged(warn) && (!ofPods || isPrivileged(enforce));

/** Whether two policies mean the same. */
export const isEquivalent = (one: Policy, other: Policy): boolean =>
  modes.every(
    (mode) =>
      (isPrivileged(one[mode]) && isPrivileged(other[mode])) ||
      (one[mode].level === other[mode].level && one[mode].version === other[mode].version),
  );

const labelField = (key: string) => `metadata.labels[${key}]`;

const releaseOf = (version: string): number => Math.min(Number(versionForm.exec(version)?.[1] ?? own.minor), own.minor);

/** A pod, or the description of pods to be made. */
export interface JudgedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: PodSpec;
}

/** Everything in which a pod is not up to a level. */
export function violationsOf(
  { level, version }: LevelVersion,
  { metadata, spec = {} }: JudgedPod,
  dialect: Dialect,
): readonly Violation[] {
  const release = releaseOf(version);
  const pod = { spec, annotations: metadata?.annotations ?? {}, release, dialect };
  return checksOf(level, release).flatMap((check) => check.run(pod) ?? []);
}

function checksOf(level: Level, release: number): readonly Check[] {
  const isThere = ({ since }: Check) => since <= release;
  if (level === 'privileged') return [];
  const mild = baselineChecks.filter(isThere);
  if (level === 'baseline') return mild;
  const strict = restrictedChecks.filter(isThere);
  const replaced = strict.map(({ insteadOf }) => insteadOf);
  return [...mild.filter((check) => !replaced.includes(check)), ...strict];
}

export const reasonsOf = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ');

export const detailsOf = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
