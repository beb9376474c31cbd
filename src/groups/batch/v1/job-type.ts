// Type of Job: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { bool, dateTime, field, type Infer, int32, int64, listOf, string, struct } from '../../../schema/types.ts';
import { observationFields, transitionFields } from '../../condition-fields.ts';
import { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'batch/v1';

export const podFailurePolicyOnExitCodesRequirement = struct(
  home,
  'PodFailurePolicyOnExitCodesRequirement',
  'Matches a failed pod by the exit codes of its containers.',
  () => ({
    containerName: field(1, string, {
      pointer: true,
      about: 'Container to look at; unset checks every container and init container.',
    }),
    operator: field(2, string, {
      goType: 'PodFailurePolicyOnExitCodesOperator',
      always: true,
      required: true,
      enum: ['In', 'NotIn'],
      about: 'In matches when the exit code is listed; NotIn matches when it is not.',
    }),
    values: field(3, listOf(int32), {
      always: true,
      keepsEmpty: true,
      required: true,
      listType: 'set',
      about: 'Exit codes to compare with, sorted and without repeats; 0 is not allowed for In.',
    }),
  }),
);

export const podFailurePolicyOnPodConditionsPattern = struct(
  home,
  'PodFailurePolicyOnPodConditionsPattern',
  'Matches a failed pod by one of its conditions.',
  () => ({
    type: field(1, string, {
      goType: 'v1.PodConditionType',
      always: true,
      required: true,
      about: 'Pod condition type to look for, such as DisruptionTarget.',
    }),
    status: field(2, string, {
      goType: 'v1.ConditionStatus',
      always: true,
      about: 'Value the condition must have: True (the default), False or Unknown.',
    }),
  }),
);

export const podFailurePolicyRule = struct(
  home,
  'PodFailurePolicyRule',
  'One test on a failed pod and the reaction to it.',
  () => ({
    action: field(1, string, {
      goType: 'PodFailurePolicyAction',
      always: true,
      required: true,
      enum: ['Count', 'FailIndex', 'FailJob', 'Ignore'],
      about: 'Reaction to a match: FailJob, FailIndex, Ignore (do not count) or Count (count as usual).',
    }),
    onExitCodes: field(2, podFailurePolicyOnExitCodesRequirement, {
      pointer: true,
      about: 'Match by container exit code; use either this or onPodConditions.',
    }),
    onPodConditions: field(3, listOf(podFailurePolicyOnPodConditionsPattern), {
      listType: 'atomic',
      about: 'Match when the pod has any listed condition; use either this or onExitCodes.',
    }),
  }),
);

const podFailurePolicy = struct(home, 'PodFailurePolicy', 'Ordered rules that classify failed pods of a Job.', () => ({
  rules: field(1, listOf(podFailurePolicyRule), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'Rules tried in order; the first match decides, and unmatched failures count as usual. At most 20.',
  }),
}));

export const successPolicyRule = struct(
  home,
  'SuccessPolicyRule',
  'One early-success criterion; set at least one of its fields.',
  () => ({
    succeededIndexes: field(1, string, {
      pointer: true,
      about: 'Indexes that must succeed, such as "0,2-4"; with succeededCount, only these are counted.',
    }),
    succeededCount: field(2, int32, {
      pointer: true,
      about: 'How many indexes must have succeeded, counted among succeededIndexes when that is given.',
    }),
  }),
);

const successPolicy = struct(home, 'SuccessPolicy', 'Rules for declaring an Indexed Job successful early.', () => ({
  rules: field(1, listOf(successPolicyRule), {
    always: true,
    keepsEmpty: true,
    required: true,
    listType: 'atomic',
    about: 'Alternatives tried in order; the first one met ends the Job with success. At most 20.',
  }),
}));

export const jobSpec = struct(home, 'JobSpec', 'Desired execution of a Job.', () => ({
  parallelism: field(1, int32, {
    pointer: true,
    about: 'Most pods to run at the same time; default 1, and 0 holds the Job.',
  }),
  completions: field(2, int32, {
    pointer: true,
    about: 'Successful pods needed to finish; unset with parallelism set means any one success ends the work.',
  }),
  activeDeadlineSeconds: field(3, int64, {
    pointer: true,
    about: 'Seconds the Job may be active before it is stopped and marked failed.',
  }),
  podFailurePolicy: field(11, podFailurePolicy, {
    pointer: true,
    about: 'Rules deciding how particular pod failures are treated; needs restartPolicy Never.',
  }),
  successPolicy: field(16, successPolicy, {
    pointer: true,
    about: 'Rules letting an Indexed Job succeed before all indexes have finished.',
  }),
  backoffLimit: field(7, int32, {
    pointer: true,
    about: 'Pod retries before the Job is marked failed; default 6, or unlimited when backoffLimitPerIndex is set.',
  }),
  backoffLimitPerIndex: field(12, int32, {
    pointer: true,
    about: 'Retries allowed for each index; needs Indexed mode and restartPolicy Never.',
  }),
  maxFailedIndexes: field(13, int32, {
    pointer: true,
    about: 'How many indexes may fail before the whole Job fails; only used with backoffLimitPerIndex.',
  }),
  selector: field(4, labelSelector, {
    pointer: true,
    about: "Labels of the Job's pods; normally filled in by the server, so leave it out.",
  }),
  manualSelector: field(5, bool, {
    pointer: true,
    about: 'Set to true to supply your own selector and pod labels instead of generated ones.',
  }),
  template: field(6, podTemplateSpec, {
    always: true,
    required: true,
    about: 'Blueprint for the pods; its restartPolicy must be Never or OnFailure.',
  }),
  ttlSecondsAfterFinished: field(8, int32, {
    pointer: true,
    about: 'Seconds to keep the finished Job before it is deleted automatically; unset keeps it.',
  }),
  completionMode: field(9, string, {
    goType: 'CompletionMode',
    pointer: true,
    enum: ['Indexed', 'NonIndexed'],
    about: 'NonIndexed (the default) counts successes only; Indexed gives each pod its own number from 0.',
  }),
  suspend: field(10, bool, {
    pointer: true,
    about: 'When true, no pods run, and running ones are stopped until it is false again. Default false.',
  }),
  podReplacementPolicy: field(14, string, {
    goType: 'PodReplacementPolicy',
    pointer: true,
    enum: ['Failed', 'TerminatingOrFailed'],
    about: 'Replace pods at once when terminating (TerminatingOrFailed) or only when fully Failed.',
  }),
  managedBy: field(15, string, {
    pointer: true,
    about: 'Domain-prefixed name of the controller that runs this Job; unset means the built-in one.',
  }),
}));

const jobCondition = struct(home, 'JobCondition', 'One named observation about a Job.', () => ({
  ...observationFields(
    'Kind of observation, such as Complete, Failed, Suspended, SuccessCriteriaMet or FailureTarget.',
    { type: 'JobConditionType' },
  ),
  lastProbeTime: field(3, dateTime, { always: true, about: 'When this observation was last checked.' }),
  ...transitionFields(4),
}));

const uncountedTerminatedPods = struct(
  home,
  'UncountedTerminatedPods',
  "UIDs of finished pods waiting to be added to the Job's counters.",
  () => ({
    succeeded: field(1, listOf(string), {
      goType: '[]types.UID',
      listType: 'set',
      about: 'UIDs of pods that succeeded but are not counted yet.',
    }),
    failed: field(2, listOf(string), {
      goType: '[]types.UID',
      listType: 'set',
      about: 'UIDs of pods that failed but are not counted yet.',
    }),
  }),
);

const jobStatus = struct(home, 'JobStatus', 'Progress observed for a Job.', () => ({
  conditions: field(1, listOf(jobCondition), {
    listType: 'atomic',
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations; a true Complete or Failed entry means the Job is over.',
  }),
  startTime: field(2, dateTime, {
    pointer: true,
    about: 'When the controller began the Job, or resumed it after suspension.',
  }),
  completionTime: field(3, dateTime, {
    pointer: true,
    about: 'When the Job finished successfully; unset for failed Jobs.',
  }),
  active: field(4, int32, { about: 'Pods that are pending or running and not being terminated.' }),
  succeeded: field(5, int32, { about: 'Pods that ended in phase Succeeded.' }),
  failed: field(6, int32, { about: 'Pods that ended in phase Failed.' }),
  terminating: field(11, int32, {
    pointer: true,
    about: 'Pending or running pods that have been marked for deletion.',
  }),
  completedIndexes: field(7, string, {
    about: 'Indexes that succeeded, as comma-separated numbers and ranges such as "1,3-5,7".',
  }),
  failedIndexes: field(10, string, {
    pointer: true,
    about: 'Indexes given up as failed, written as numbers and ranges such as "1,3-5,7".',
  }),
  uncountedTerminatedPods: field(8, uncountedTerminatedPods, {
    pointer: true,
    about: 'Finished pods that are not yet included in the succeeded and failed counters.',
  }),
  ready: field(9, int32, {
    pointer: true,
    about: 'Active pods whose Ready condition is true and which are not terminating.',
  }),
}));

export const jobType = struct(home, 'Job', 'Runs pods until a wanted number of them finish successfully.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, jobSpec, { always: true, about: 'What to run and when the work counts as done or failed.' }),
  status: field(3, jobStatus, {
    always: true,
    about: 'Progress last reported by the Job controller; read-only for users.',
  }),
}));

export type Job = ApiObject & Infer<typeof jobType>;
