// Types of authorization/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from './meta-v1.ts';

interface FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly FieldSelectorRequirement[];
}

interface LabelSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly LabelSelectorRequirement[];
}

export interface LocalSubjectAccessReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

interface NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

interface NonResourceRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
}

interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface SelfSubjectAccessReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: SelfSubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

export interface SelfSubjectRulesReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: SelfSubjectRulesReviewSpec;
  readonly status?: SubjectRulesReviewStatus;
}

interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

export interface SubjectAccessReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

interface SubjectAccessReviewStatus {
  readonly allowed?: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

interface SubjectRulesReviewStatus {
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: readonly NonResourceRule[];
  readonly incomplete?: boolean;
  readonly evaluationError?: string;
}
