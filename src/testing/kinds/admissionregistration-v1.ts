// Types of admissionregistration/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { Condition, LabelSelector, ObjectMeta } from './meta-v1.ts';

interface ApplyConfiguration {
  readonly expression?: string;
}

interface AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

interface ExpressionWarning {
  readonly fieldRef?: string;
  readonly warning?: string;
}

interface JSONPatch {
  readonly expression?: string;
}

interface MatchCondition {
  readonly name?: string;
  readonly expression?: string;
}

interface MatchResources {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  readonly matchPolicy?: string;
}

export interface MutatingAdmissionPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicyBindingSpec;
}

interface MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

interface MutatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly variables?: readonly Variable[];
  readonly mutations?: readonly Mutation[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

interface MutatingWebhook {
  readonly name?: string;
  readonly clientConfig?: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
}

export interface MutatingWebhookConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly MutatingWebhook[];
}

interface Mutation {
  readonly patchType?: string;
  readonly applyConfiguration?: ApplyConfiguration;
  readonly jsonPatch?: JSONPatch;
}

interface NamedRuleWithOperations {
  readonly resourceNames?: readonly string[];
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

interface RuleWithOperations {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

export interface ValidatingAdmissionPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicySpec;
  readonly status?: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicyBindingSpec;
}

interface ValidatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly validations?: readonly Validation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly AuditAnnotation[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

interface ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeChecking;
  readonly conditions?: readonly Condition[];
}

interface ValidatingWebhook {
  readonly name?: string;
  readonly clientConfig?: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
}

export interface ValidatingWebhookConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly ValidatingWebhook[];
}

interface Validation {
  readonly expression?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

interface Variable {
  readonly name?: string;
  readonly expression?: string;
}

interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  readonly caBundle?: string;
}
