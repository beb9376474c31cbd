// What a job makes of pods that failed and of indexes that succeeded, where its spec has policies for them.

import type { Job } from '../../../groups/batch/v1/job-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { readIndexes } from './indexes.ts';

type Rule = NonNullable<NonNullable<NonNullable<Job['spec']>['podFailurePolicy']>['rules']>[number];

interface FailureVerdict {
  readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  /** Why the whole job fails. */
  readonly message: string;
}

/** The first rule that a pod matches. */
export function failureVerdict({ spec }: Job, pod: Pod): FailureVerdict | undefined {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const matched = rule.onExitCodes ? matchedExit(rule, pod) : matchedCondition(rule, pod);
    if (matched === undefined) continue;
    const { action = 'Count' } = rule;
    return {
      action: action as FailureVerdict['action'],
      message: `${matched} matching ${action} rule at index ${index}`,
    };
  }
  return undefined;
}

const pathOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

function matchedExit({ onExitCodes = {} }: Rule, pod: Pod): string | undefined {
  const { containerName, operator, values = [] } = onExitCodes;
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const failed = statuses.find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return values.includes(code) === (operator === 'In');
  });
  if (failed === undefined) return undefined;
  return `Container ${failed.name} for pod ${pathOf(pod)} failed with exit code ${failed.state?.terminated?.exitCode}`;
}

function matchedCondition({ onPodConditions = [] }: Rule, pod: Pod): string | undefined {
  const matched = pod.status?.conditions?.find((condition) =>
    onPodConditions.some(({ type, status = 'True' }) => type === condition.type && status === condition.status),
  );
  return matched === undefined ? undefined : `Pod ${pathOf(pod)} has condition ${matched.type}`;
}

/** The first rule of a success policy that the succeeded indexes meet. */
export function metSuccessRule({ spec = {} }: Job, succeeded: ReadonlySet<number>): number | undefined {
  const rules = spec.successPolicy?.rules ?? [];
  if (succeeded.size === 0) return undefined;
  const met = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = readIndexes(succeededIndexes, spec.completions ?? 0);
    if (required.size === 0) return false;
    const reached = [...required].filter((index) => succeeded.has(index)).length;
    return reached === required.size || (succeededCount !== undefined && reached >= succeededCount);
  });
  return met < 0 ? undefined : met;
}
