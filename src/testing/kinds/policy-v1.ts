// Types of policy/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { Condition, LabelSelector, ObjectMeta } from './meta-v1.ts';

export interface PodDisruptionBudget {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}

interface PodDisruptionBudgetSpec {
  readonly minAvailable?: number | string;
  readonly selector?: LabelSelector;
  readonly maxUnavailable?: number | string;
  readonly unhealthyPodEvictionPolicy?: string;
}

interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  readonly conditions?: readonly Condition[];
}
