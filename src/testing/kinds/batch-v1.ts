// Types of batch/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectReference, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector, ObjectMeta } from './meta-v1.ts';

export interface CronJob {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: CronJobSpec;
  readonly status?: CronJobStatus;
}

interface CronJobSpec {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  readonly concurrencyPolicy?: string;
  readonly suspend?: boolean;
  readonly jobTemplate?: JobTemplateSpec;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
}

interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface Job {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}

interface JobCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template?: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
  readonly completionMode?: string;
  readonly suspend?: boolean;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
}

interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  readonly ready?: number;
}

interface JobTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpec;
}

interface PodFailurePolicy {
  readonly rules?: readonly PodFailurePolicyRule[];
}

interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  readonly operator?: string;
  readonly values?: readonly number[];
}

interface PodFailurePolicyOnPodConditionsPattern {
  readonly type?: string;
  readonly status?: string;
}

interface PodFailurePolicyRule {
  readonly action?: string;
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

interface SuccessPolicy {
  readonly rules?: readonly SuccessPolicyRule[];
}

interface SuccessPolicyRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}
