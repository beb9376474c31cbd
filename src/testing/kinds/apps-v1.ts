// Types of apps/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector, ObjectMeta } from './meta-v1.ts';

export interface ControllerRevision {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly data?: unknown;
  readonly revision?: number;
}

export interface DaemonSet {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}

interface DaemonSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface DaemonSetSpec {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
}

interface DaemonSetStatus {
  readonly currentNumberScheduled?: number;
  readonly numberMisscheduled?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DaemonSetCondition[];
}

interface DaemonSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: RollingUpdateDaemonSet;
}

export interface Deployment {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

interface DeploymentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
  readonly strategy?: DeploymentStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
}

interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
  readonly collisionCount?: number;
}

interface DeploymentStrategy {
  readonly type?: string;
  readonly rollingUpdate?: RollingUpdateDeployment;
}

export interface ReplicaSet {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}

interface ReplicaSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ReplicaSetSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

interface ReplicaSetStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ReplicaSetCondition[];
}

interface RollingUpdateDaemonSet {
  readonly maxUnavailable?: number | string;
  readonly maxSurge?: number | string;
}

interface RollingUpdateDeployment {
  readonly maxUnavailable?: number | string;
  readonly maxSurge?: number | string;
}

interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number;
  readonly maxUnavailable?: number | string;
}

export interface StatefulSet {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

interface StatefulSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface StatefulSetOrdinals {
  readonly start?: number;
}

interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

interface StatefulSetSpec {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly revisionHistoryLimit?: number;
  readonly minReadySeconds?: number;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: StatefulSetOrdinals;
}

interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly StatefulSetCondition[];
  readonly availableReplicas?: number;
}

interface StatefulSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
