// Job: what a report of progress may say. A rule is asked only when one of the things it is about changes, so that
// one wrong value does not stop reports about everything else.

import { isSameJson } from '../../../base/json/json.ts';
import { duplicate, invalidAt, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import { noneNegative, type ValidationErrors } from '../../rules.ts';
import { mergeStatus, statusOnly } from '../../subresources.ts';
import { firstShared, parseIndexes } from './job-indexes.ts';
import { labelledAsPods } from './job-rules.ts';
import { isIndexed } from './job-spec-rules.ts';
import type { Job } from './job-type.ts';

type Status = NonNullable<Job['status']>;

const specOf = (job: Job) => job.spec ?? {};
const statusOf = (job: Job): Status => job.status ?? {};

const has = (job: Job, type: string) =>
  (statusOf(job).conditions ?? []).some((one) => one.type === type && one.status === 'True');
const isComplete = (job: Job) => has(job, 'Complete');
const isFailed = (job: Job) => has(job, 'Failed');
const isFinished = (job: Job) => isComplete(job) || isFailed(job);

/** What a rule is about: fields of the status, and what conditions say. */
const aspects = {
  finished: isFinished,
  complete: isComplete,
  failed: isFailed,
  failureTarget: (job: Job) => has(job, 'FailureTarget'),
  successCriteria: (job: Job) => has(job, 'SuccessCriteriaMet'),
  active: (job: Job) => statusOf(job).active ?? 0,
  ready: (job: Job) => statusOf(job).ready,
  terminating: (job: Job) => statusOf(job).terminating,
  startTime: (job: Job) => statusOf(job).startTime,
  completionTime: (job: Job) => statusOf(job).completionTime,
  completedIndexes: (job: Job) => statusOf(job).completedIndexes ?? '',
  failedIndexes: (job: Job) => statusOf(job).failedIndexes,
  uncounted: (job: Job) => statusOf(job).uncountedTerminatedPods,
} as const;

type Aspect = keyof typeof aspects;

interface StatusRule {
  /** None: the rule always holds. */
  readonly about: readonly Aspect[];
  /** What is wrong with the new status, if anything. */
  broken(job: Job, old: Job): FieldError | undefined;
}

const conditions = 'status.conditions';

const exclude = (about: readonly Aspect[], first: string, second: string, detail: string): StatusRule => ({
  about,
  broken: (job) => (has(job, first) && has(job, second) ? invalidAt(conditions, detail) : undefined),
});

const demand = (about: readonly Aspect[], first: string, second: string, detail: string): StatusRule => ({
  about,
  broken: (job) => (has(job, first) && !has(job, second) ? invalidAt(conditions, detail) : undefined),
});

const conditionRules: readonly StatusRule[] = [
  exclude(['complete', 'failed'], 'Complete', 'Failed', 'cannot set Complete=True and Failed=true conditions'),
  exclude(
    ['complete', 'failureTarget'],
    'Complete',
    'FailureTarget',
    'cannot set Complete=True and FailureTarget=true conditions',
  ),
  demand(
    ['failed', 'failureTarget'],
    'Failed',
    'FailureTarget',
    'cannot set Failed=True condition without the FailureTarget=true condition',
  ),
  demand(
    ['complete', 'successCriteria'],
    'Complete',
    'SuccessCriteriaMet',
    'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  ),
  exclude([], 'SuccessCriteriaMet', 'Failed', 'cannot set SuccessCriteriaMet=True and Failed=true conditions'),
  exclude(
    [],
    'SuccessCriteriaMet',
    'FailureTarget',
    'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
  ),
  {
    about: [],
    broken: (job) =>
      specOf(job).successPolicy && isComplete(job) && !has(job, 'SuccessCriteriaMet')
        ? invalidAt(conditions, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')
        : undefined,
  },
];

const timeRules: readonly StatusRule[] = [
  {
    about: ['complete', 'completionTime'],
    broken(job) {
      const { completionTime } = statusOf(job);
      if (!completionTime || isComplete(job)) return undefined;
      const detail = 'cannot set completionTime when there is no Complete=True condition';
      return invalidValue('status.completionTime', completionTime, detail);
    },
  },
  {
    about: ['complete', 'completionTime'],
    broken: (job) =>
      isComplete(job) && !statusOf(job).completionTime
        ? required('status.completionTime', 'completionTime is required for Complete jobs')
        : undefined,
  },
  {
    about: ['startTime', 'completionTime'],
    broken(job) {
      const { startTime, completionTime } = statusOf(job);
      if (!startTime || !completionTime || Date.parse(completionTime) >= Date.parse(startTime)) return undefined;
      return invalidValue('status.completionTime', completionTime, 'completionTime cannot be set before startTime');
    },
  },
  {
    about: ['finished', 'startTime'],
    broken(job) {
      const { suspend, completions } = specOf(job);
      if (statusOf(job).startTime || !isFinished(job) || (suspend && completions === 0)) return undefined;
      return required('status.startTime', 'startTime is required for finished job');
    },
  },
  {
    about: ['startTime'],
    broken: (job, old) =>
      statusOf(old).startTime && !specOf(job).suspend
        ? invalidValue(
            'status.startTime',
            statusOf(job).startTime ?? null,
            'field is immutable for unsuspended job once set',
          )
        : undefined,
  },
  {
    about: ['completionTime'],
    broken(job, old) {
      const { completionTime } = statusOf(job);
      if (!completionTime || !statusOf(old).completionTime) return undefined;
      return invalidValue('status.completionTime', completionTime, 'field is immutable');
    },
  },
];

const podRules: readonly StatusRule[] = [
  {
    about: ['finished', 'active'],
    broken(job) {
      const { active = 0 } = statusOf(job);
      if (active === 0 || !isFinished(job)) return undefined;
      return invalidValue('status.active', active, 'active>0 is invalid for finished job');
    },
  },
  {
    about: ['finished', 'terminating'],
    broken(job) {
      const { terminating = 0 } = statusOf(job);
      if (terminating === 0 || !isFinished(job)) return undefined;
      return invalidValue('status.terminating', terminating, 'terminating>0 is invalid for finished job');
    },
  },
  {
    about: ['ready', 'active'],
    broken(job) {
      const { ready, active = 0 } = statusOf(job);
      return ready !== undefined && ready > active
        ? invalidValue('status.ready', ready, 'cannot set more ready pods than active')
        : undefined;
    },
  },
  {
    about: ['finished', 'uncounted'],
    broken(job) {
      const pods = statusOf(job).uncountedTerminatedPods;
      if (!isFinished(job) || (pods?.succeeded ?? []).length + (pods?.failed ?? []).length === 0) return undefined;
      const detail = 'uncountedTerminatedPods needs to be empty for finished job';
      return invalidValue('status.uncountedTerminatedPods', pods, detail);
    },
  },
];

const indexRules: readonly StatusRule[] = [
  {
    about: ['completedIndexes'],
    broken(job) {
      const { completedIndexes = '' } = statusOf(job);
      return unreadable(job, completedIndexes, 'completedIndexes');
    },
  },
  {
    about: ['failedIndexes'],
    broken(job) {
      const { failedIndexes } = statusOf(job);
      if (failedIndexes === undefined || specOf(job).backoffLimitPerIndex === undefined) return undefined;
      return unreadable(job, failedIndexes, 'failedIndexes');
    },
  },
  {
    about: ['completedIndexes'],
    broken(job) {
      const { completedIndexes = '' } = statusOf(job);
      if (completedIndexes === '' || isIndexed(specOf(job))) return undefined;
      const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
      return invalidValue('status.completedIndexes', completedIndexes, detail);
    },
  },
  {
    about: ['failedIndexes'],
    broken(job) {
      const { failedIndexes } = statusOf(job);
      if (failedIndexes === undefined || specOf(job).backoffLimitPerIndex !== undefined) return undefined;
      const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
      return invalidValue('status.failedIndexes', failedIndexes, detail);
    },
  },
  {
    about: ['failedIndexes', 'completedIndexes'],
    broken(job) {
      const { completedIndexes = '', failedIndexes } = statusOf(job);
      const { completions } = specOf(job);
      if (failedIndexes === undefined || completions === undefined) return undefined;
      const shared = firstShared(parseIndexes(completedIndexes, completions), parseIndexes(failedIndexes, completions));
      if (shared === undefined) return undefined;
      const detail = `failedIndexes and completedIndexes overlap at index: ${shared}`;
      return invalidValue('status.failedIndexes', failedIndexes, detail);
    },
  },
];

function unreadable(job: Job, text: string, name: string): FieldError | undefined {
  const { completions } = specOf(job);
  if (completions === undefined) return undefined;
  const parsed = parseIndexes(text, completions);
  return 'wrong' in parsed ? invalidValue(`status.${name}`, text, `error parsing ${name}: ${parsed.wrong}`) : undefined;
}

/** Pods that are counted may not be uncounted again, and a job that has ended stays so. */
const historyRules: readonly StatusRule[] = [
  {
    about: [],
    broken(job, old) {
      const { failed = 0 } = statusOf(job);
      return failed < (statusOf(old).failed ?? 0)
        ? invalidValue('status.failed', failed, 'cannot decrease the failed counter')
        : undefined;
    },
  },
  {
    about: [],
    broken(job, old) {
      const { succeeded = 0 } = statusOf(job);
      const spec = specOf(job);
      // jobs with as many pods as indexes can shrink
      if (isIndexed(spec) && spec.completions === spec.parallelism) return undefined;
      return succeeded < (statusOf(old).succeeded ?? 0)
        ? invalidValue('status.succeeded', succeeded, 'cannot decrease the succeeded counter')
        : undefined;
    },
  },
  ...['Failed', 'Complete', 'FailureTarget'].map(
    (type): StatusRule => ({
      about: [],
      broken: (job, old) =>
        has(old, type) && !has(job, type)
          ? invalidAt(conditions, `cannot disable the terminal ${type}=True condition`)
          : undefined,
    }),
  ),
  {
    about: [],
    broken: (job, old) =>
      has(old, 'SuccessCriteriaMet') && !has(job, 'SuccessCriteriaMet')
        ? invalidAt(conditions, 'cannot disable the SuccessCriteriaMet=True condition')
        : undefined,
  },
  {
    about: [],
    broken: (job, old) =>
      isComplete(old) && !has(old, 'SuccessCriteriaMet') && has(job, 'SuccessCriteriaMet')
        ? invalidAt(conditions, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions')
        : undefined,
  },
];

const rules: readonly StatusRule[] = [...conditionRules, ...timeRules, ...podRules, ...indexRules, ...historyRules];

function validateStatus(job: Job, old: Job): ValidationErrors {
  const changed = (aspect: Aspect) => !isSameJson(aspects[aspect](job), aspects[aspect](old));
  const asked = rules.filter(({ about }) => about.length === 0 || about.some(changed));
  return [
    ...noneNegative('status', statusOf(job), ['active', 'succeeded', 'failed', 'ready', 'terminating']),
    ...validateUncounted(statusOf(job)),
    ...asked.flatMap((rule) => rule.broken(job, old) ?? []),
  ];
}

function validateUncounted({ uncountedTerminatedPods: pods }: Status): ValidationErrors {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((name) =>
    findEach(pods?.[name] ?? [], (uid, index) => {
      const at = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === '') return [invalidValue(at, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

export const jobStatusPart: PartSubresource<Job> = {
  ...statusOnly,
  // a write of the status need not say what the labels follow from
  merge: (next, old) => labelledAsPods(mergeStatus(next, old)),
  validateUpdate: validateStatus,
};
