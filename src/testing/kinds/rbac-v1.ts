// Types of rbac/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { LabelSelector, ObjectMeta } from './meta-v1.ts';

interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

export interface ClusterRole {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: AggregationRule;
}

export interface ClusterRoleBinding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[];
  readonly roleRef?: RoleRef;
}

interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Role {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly rules?: readonly PolicyRule[];
}

export interface RoleBinding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[];
  readonly roleRef?: RoleRef;
}

interface RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

interface Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}
