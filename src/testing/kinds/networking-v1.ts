// Types of networking/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { TypedLocalObjectReference } from './core-v1.ts';
import type { Condition, LabelSelector, ObjectMeta } from './meta-v1.ts';

interface HTTPIngressPath {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend?: IngressBackend;
}

interface HTTPIngressRuleValue {
  readonly paths?: readonly HTTPIngressPath[];
}

export interface IPAddress {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: IPAddressSpec;
}

interface IPAddressSpec {
  readonly parentRef?: ParentReference;
}

interface IPBlock {
  readonly cidr?: string;
  readonly except?: readonly string[];
}

export interface Ingress {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: IngressSpec;
  readonly status?: IngressStatus;
}

interface IngressBackend {
  readonly service?: IngressServiceBackend;
  readonly resource?: TypedLocalObjectReference;
}

export interface IngressClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: IngressClassSpec;
}

interface IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly scope?: string;
  readonly namespace?: string;
}

interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
}

interface IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly IngressPortStatus[];
}

interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

interface IngressPortStatus {
  readonly port?: number;
  readonly protocol?: string;
  readonly error?: string;
}

interface IngressRule {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValue;
}

interface IngressServiceBackend {
  readonly name?: string;
  readonly port?: ServiceBackendPort;
}

interface IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: IngressBackend;
  readonly tls?: readonly IngressTLS[];
  readonly rules?: readonly IngressRule[];
}

interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface NetworkPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: NetworkPolicySpec;
}

interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly from?: readonly NetworkPolicyPeer[];
}

interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: IPBlock;
}

interface NetworkPolicyPort {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector;
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  readonly egress?: readonly NetworkPolicyEgressRule[];
  readonly policyTypes?: readonly string[];
}

interface ParentReference {
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}

export interface ServiceCIDR {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
}

interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[];
}
