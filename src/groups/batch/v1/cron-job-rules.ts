// CronJob: defaults and what must hold.

import type { Dialect } from '../../../meta/dialect.ts';
import { invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { checkSubdomain, type NameCheck } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Warnings } from '../../../meta/warn-each.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { isNewOrChanged } from '../../core/v1/owner-warnings.ts';
import { hostNameWarnings, usedInPods } from '../../core/v1/pod/pod-warnings.ts';
import { noneNegative, requiredOneOf, type ValidationErrors } from '../../rules.ts';
import type { CronJob } from './cron-job-type.ts';
import { scheduleProblem, timeZoneProblems } from './cron-schedule.ts';
import { defaultJobTemplate, type JobSpec, jobSpecWarnings, validateJobSpec } from './job-spec-rules.ts';

type Spec = NonNullable<CronJob['spec']>;

const specOf = (object: CronJob): Spec => object.spec ?? {};

/** Jobs are named after the CronJob and the minute they are due: eleven characters more. */
const maxNameLength = 52;

export const checkCronJobName: NameCheck = (name, prefix = false) => [
  ...checkSubdomain(name, prefix),
  ...(!prefix && name.length > maxNameLength ? [`must be no more than ${maxNameLength} characters`] : []),
];

function defaults(object: CronJob): ApiObject {
  const { jobTemplate = {}, ...given } = specOf(object);
  const spec: Spec = {
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    ...given,
    concurrencyPolicy: given.concurrencyPolicy || 'Allow',
    jobTemplate: { ...jobTemplate, spec: defaultJobTemplate(jobTemplate.spec ?? {}) },
  };
  return { ...object, spec };
}

function validate(object: CronJob, context: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  return [
    ...validateSchedule(spec.schedule ?? ''),
    ...noneNegative('spec', spec, ['startingDeadlineSeconds']),
    ...validateZone(spec.timeZone),
    ...requiredOneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...validateTemplate(spec.jobTemplate?.spec ?? {}, context),
    ...noneNegative('spec', spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
  ];
}

function validateSchedule(schedule: string): ValidationErrors {
  const at = 'spec.schedule';
  if (schedule === '') return [required(at)];
  const problem = scheduleProblem(schedule);
  return [
    ...(problem === undefined ? [] : [invalidValue(at, schedule, problem)]),
    ...(schedule.includes('TZ')
      ? [invalidValue(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
      : []),
  ];
}

function validateZone(zone: string | undefined): ValidationErrors {
  const problems = zone === undefined ? [] : timeZoneProblems(zone);
  return problems.map((problem) => invalidValue('spec.timeZone', zone, problem));
}

/** Each job gets its own selector. */
function validateTemplate(spec: JobSpec, context: StrategyContext): ValidationErrors {
  const at = 'spec.jobTemplate.spec';
  return [
    ...validateJobSpec(spec, at, context),
    ...(spec.selector ? [invalidValue(`${at}.selector`, spec.selector, '`selector` will be auto-generated')] : []),
    ...(spec.manualSelector ? [notSupported(`${at}.manualSelector`, true, ['nil', 'false'])] : []),
  ];
}

const zoneAdvice = (dialect: Dialect) =>
  `cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://${dialect.labelDomain}/docs/concepts/workloads/controllers/cron-jobs/ for more details`;

function warnings(next: CronJob, old: ApiObject | undefined, { dialect }: StrategyContext): Warnings {
  const { jobTemplate, schedule = '' } = specOf(next);
  const isChanged = isNewOrChanged(next, old);
  return [
    ...(old === undefined ? hostNameWarnings(next, usedInPods) : []),
    ...(isChanged ? jobSpecWarnings(jobTemplate?.spec ?? {}, dialect, 'spec.jobTemplate.spec') : []),
    ...(old !== undefined && schedule.includes('TZ') ? [zoneAdvice(dialect)] : []),
  ];
}

export const cronJobRules: Strategy<CronJob> = { updateChecks: { meta: 0 }, defaults, validate, warnings };
