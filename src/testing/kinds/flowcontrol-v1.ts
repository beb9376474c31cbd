// Types of flowcontrol/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectMeta } from './meta-v1.ts';

interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

interface FlowDistinguisherMethod {
  readonly type?: string;
}

export interface FlowSchema {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
}

interface FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface FlowSchemaSpec {
  readonly priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

interface FlowSchemaStatus {
  readonly conditions?: readonly FlowSchemaCondition[];
}

interface GroupSubject {
  readonly name?: string;
}

interface LimitResponse {
  readonly type?: string;
  readonly queuing?: QueuingConfiguration;
}

interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly limitResponse?: LimitResponse;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

interface NonResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface PolicyRulesWithSubjects {
  readonly subjects?: readonly Subject[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
}

export interface PriorityLevelConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
}

interface PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface PriorityLevelConfigurationReference {
  readonly name?: string;
}

interface PriorityLevelConfigurationSpec {
  readonly type?: string;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly exempt?: ExemptPriorityLevelConfiguration;
}

interface PriorityLevelConfigurationStatus {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

interface QueuingConfiguration {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

interface ResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

interface ServiceAccountSubject {
  readonly namespace?: string;
  readonly name?: string;
}

interface Subject {
  readonly kind?: string;
  readonly user?: UserSubject;
  readonly group?: GroupSubject;
  readonly serviceAccount?: ServiceAccountSubject;
}

interface UserSubject {
  readonly name?: string;
}
