// Rules of what a Job is to do; a CronJob's template follows them too.

import { type Dialect, inOwnWords } from '../../../meta/dialect.ts';
import { domainPathErrors } from '../../../meta/domain-path.ts';
import { invalidValue, notSupported, required, tooLong } from '../../../meta/field-errors.ts';
import type { Warnings } from '../../../meta/warn-each.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { defaultPodTemplate } from '../../core/v1/pod/pod-defaults.ts';
import { type PodRules, validatePodTemplate } from '../../core/v1/pod/pod-rules.ts';
import { templateWarnings } from '../../core/v1/pod/pod-warnings.ts';
import { noneNegative, type ValidationErrors } from '../../rules.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './job-policies.ts';
import type { jobSpec } from './job-type.ts';

export type JobSpec = Infer<typeof jobSpec>;

export const isIndexed = ({ completionMode }: JobSpec) => completionMode === 'Indexed';

/** Defaults that hold in templates too. */
export function defaultJobTemplate(spec: JobSpec): JobSpec {
  const { template = {}, podFailurePolicy: policy } = spec;
  return {
    ...spec,
    template: defaultPodTemplate(template),
    ...(policy ? { podFailurePolicy: defaultFailurePolicy(policy) } : {}),
  };
}

type FailurePolicy = NonNullable<JobSpec['podFailurePolicy']>;

/** A condition that is only named is one that holds. */
function defaultFailurePolicy(policy: FailurePolicy): FailurePolicy {
  if (!policy.rules) return policy;
  const rules = policy.rules.map((rule) =>
    rule.onPodConditions
      ? { ...rule, onPodConditions: rule.onPodConditions.map((one) => ({ ...one, status: one.status || 'True' })) }
      : rule,
  );
  return { ...policy, rules };
}

const amounts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

export function validateJobSpec(spec: JobSpec, at: string, rules: PodRules): ValidationErrors {
  const { completionMode, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const modes = ['NonIndexed', 'Indexed'];
  const odd = completionMode !== undefined && !modes.includes(completionMode);
  const missing = maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined;
  return [
    ...noneNegative(at, spec, amounts),
    ...(missing ? [required(`${at}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')] : []),
    ...validateManager(spec.managedBy, `${at}.managedBy`),
    ...(odd ? [notSupported(`${at}.completionMode`, completionMode, modes)] : []),
    ...(isIndexed(spec)
      ? validateIndexed(spec, at)
      : validateNotIndexed(spec, at, odd ? ['successPolicy'] : needIndexes)),
    ...(spec.podFailurePolicy ? validateFailurePolicy(spec, `${at}.podFailurePolicy`) : []),
    ...validateReplacement(spec, `${at}.podReplacementPolicy`),
    ...validatePodTemplate(spec.template, `${at}.template`, rules),
    ...validateRestart(spec, `${at}.template.spec.restartPolicy`),
  ];
}

const maxManagerLength = 63;

/** `example.com/controller`: who looks after the job instead of the built-in controller. */
function validateManager(manager: string | undefined, at: string): ValidationErrors {
  if (manager === undefined) return [];
  const length = manager.length > maxManagerLength ? [tooLong(at, maxManagerLength)] : [];
  return [...domainPathErrors(at, manager), ...length];
}

const maxIndexedParallelism = 100_000;
const maxFailed = 100_000;
const manyCompletions = 100_000;
const parallelismOfMany = 10_000;
const failedOfMany = 10_000;

function validateIndexed(spec: JobSpec, at: string): ValidationErrors {
  const { completions, parallelism = 0, maxFailedIndexes: failed = Number.NEGATIVE_INFINITY } = spec;
  const tooHigh = (name: string, value: number, detail: string) => invalidValue(`${at}.${name}`, value, detail);
  return [
    ...(completions === undefined ? [required(`${at}.completions`, 'when completion mode is Indexed')] : []),
    ...(parallelism > maxIndexedParallelism
      ? [
          tooHigh(
            'parallelism',
            parallelism,
            `must be less than or equal to ${maxIndexedParallelism} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions !== undefined && failed > completions
      ? [tooHigh('maxFailedIndexes', failed, 'must be less than or equal to completions')]
      : []),
    ...(failed > maxFailed ? [tooHigh('maxFailedIndexes', failed, `must be less than or equal to ${maxFailed}`)] : []),
    ...((completions ?? 0) > manyCompletions && spec.backoffLimitPerIndex !== undefined ? validateMany(spec, at) : []),
    ...(spec.successPolicy ? validateSuccessPolicy(spec, `${at}.successPolicy`) : []),
  ];
}

function validateMany({ parallelism = 0, maxFailedIndexes: failed }: JobSpec, at: string): ValidationErrors {
  const limit = (value: number) =>
    `must be less than or equal to ${value} when completions are above ${manyCompletions} and used with backoff limit per index`;
  return [
    ...(failed === undefined
      ? [required(`${at}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`)]
      : []),
    ...(parallelism > parallelismOfMany
      ? [invalidValue(`${at}.parallelism`, parallelism, limit(parallelismOfMany))]
      : []),
    ...((failed ?? 0) > failedOfMany ? [invalidValue(`${at}.maxFailedIndexes`, failed, limit(failedOfMany))] : []),
  ];
}

const shownNotIndexed = (name: string, value: unknown) =>
  name === 'successPolicy' ? inReferenceForm('SuccessPolicy', value) : value;

const needIndexes = ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'] as const;

function validateNotIndexed(
  spec: JobSpec,
  at: string,
  names: readonly (typeof needIndexes)[number][],
): ValidationErrors {
  return names
    .filter((name) => spec[name] !== undefined)
    .map((name) =>
      invalidValue(`${at}.${name}`, shownNotIndexed(name, spec[name]), 'requires indexed completion mode'),
    );
}

function validateReplacement(
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
  at: string,
): ValidationErrors {
  const supported = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return policy === undefined || supported.includes(policy) ? [] : [notSupported(at, policy, supported)];
}

/** A job comes to an end: its pods may not be started again for ever. */
function validateRestart({ template, podFailurePolicy }: JobSpec, at: string): ValidationErrors {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(at, policy, ['OnFailure', 'Never'])];
  if (!podFailurePolicy || policy === 'Never') return [];
  return [invalidValue(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

const manyIndexes = 100_000;
const manyAtOnce = 10_000;
const tooManyToTrack =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

/** What is odd about a job, or about the jobs of a schedule. */
export function jobSpecWarnings(spec: JobSpec, dialect: Dialect, at: string): Warnings {
  const { completions = 0, parallelism = 0, template } = spec;
  const hasTooMany = isIndexed(spec) && completions > manyIndexes && parallelism > manyAtOnce;
  return [
    ...(hasTooMany ? [`${at}: ${inOwnWords(dialect, tooManyToTrack)}`] : []),
    ...templateWarnings(template, dialect, `${at}.template`),
  ];
}
