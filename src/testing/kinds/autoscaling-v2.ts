// Types of autoscaling/v2, made from the data of its kinds by built-in-kinds.test.ts.

import type { LabelSelector, ObjectMeta } from './meta-v1.ts';

interface ContainerResourceMetricSource {
  readonly name?: string;
  readonly target?: MetricTarget;
  readonly container?: string;
}

interface ContainerResourceMetricStatus {
  readonly name?: string;
  readonly current?: MetricValueStatus;
  readonly container?: string;
}

interface CrossVersionObjectReference {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

interface ExternalMetricSource {
  readonly metric?: MetricIdentifier;
  readonly target?: MetricTarget;
}

interface ExternalMetricStatus {
  readonly metric?: MetricIdentifier;
  readonly current?: MetricValueStatus;
}

interface HPAScalingPolicy {
  readonly type?: string;
  readonly value?: number;
  readonly periodSeconds?: number;
}

interface HPAScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly HPAScalingPolicy[];
  readonly tolerance?: string;
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}

interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules;
  readonly scaleDown?: HPAScalingRules;
}

interface HorizontalPodAutoscalerCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef?: CrossVersionObjectReference;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: HorizontalPodAutoscalerBehavior;
}

interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly MetricStatus[];
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
}

interface MetricIdentifier {
  readonly name?: string;
  readonly selector?: LabelSelector;
}

interface MetricSpec {
  readonly type?: string;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
}

interface MetricStatus {
  readonly type?: string;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly containerResource?: ContainerResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
}

interface MetricTarget {
  readonly type?: string;
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

interface MetricValueStatus {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

interface ObjectMetricSource {
  readonly describedObject?: CrossVersionObjectReference;
  readonly target?: MetricTarget;
  readonly metric?: MetricIdentifier;
}

interface ObjectMetricStatus {
  readonly metric?: MetricIdentifier;
  readonly current?: MetricValueStatus;
  readonly describedObject?: CrossVersionObjectReference;
}

interface PodsMetricSource {
  readonly metric?: MetricIdentifier;
  readonly target?: MetricTarget;
}

interface PodsMetricStatus {
  readonly metric?: MetricIdentifier;
  readonly current?: MetricValueStatus;
}

interface ResourceMetricSource {
  readonly name?: string;
  readonly target?: MetricTarget;
}

interface ResourceMetricStatus {
  readonly name?: string;
  readonly current?: MetricValueStatus;
}
