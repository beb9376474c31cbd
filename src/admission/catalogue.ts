// Every built-in plugin, in the order in which they run, whatever the order in which somebody turns them on.

import { alwaysAdmit, alwaysDeny } from './always.ts';
import { limitPodHardAntiAffinityTopology } from './anti-affinity-topology.ts';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './certificate-rights.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { persistentVolumeClaimResize } from './claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import type { AdmissionEngines } from './engines.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { denyServiceExternalIPs } from './external-addresses.ts';
import { alwaysPullImages } from './image-pulls.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './owner-permissions.ts';
import type { AdmissionPlugin } from './plugin.ts';
import { podNodeSelector } from './pod-node-selector.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './resource-quota.ts';
import { runtimeClass } from './runtime-class.ts';
import { securityContextDeny } from './security-context-deny.ts';
import { serviceAccount } from './service-account.ts';
import { storageInUseProtection } from './storage-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface BuiltInPlugin {
  readonly name: string;
  /** Whether it runs when nobody says anything. */
  readonly isOn: boolean;
  /** Undefined for what other servers have and this one does not. */
  readonly create: ((engines: AdmissionEngines) => AdmissionPlugin) | undefined;
}

const on = (name: string, create?: BuiltInPlugin['create']): BuiltInPlugin => ({ name, isOn: true, create });
const off = (name: string, create?: BuiltInPlugin['create']): BuiltInPlugin => ({ name, isOn: false, create });

export const builtInPlugins: readonly BuiltInPlugin[] = [
  off('AlwaysAdmit', alwaysAdmit),
  off('NamespaceAutoProvision', namespaceAutoProvision),
  on('NamespaceLifecycle', namespaceLifecycle),
  off('NamespaceExists', namespaceExists),
  // of the specification, and no longer of Kubernetes
  off('SecurityContextDeny', securityContextDeny),
  off('PodSecurityPolicy'),
  off('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology),
  on('LimitRanger', limitRanger),
  on('ServiceAccount', serviceAccount),
  off('NodeRestriction', nodeRestriction),
  on('TaintNodesByCondition', taintNodesByCondition),
  off('AlwaysPullImages', alwaysPullImages),
  off('ImagePolicyWebhook'),
  on('PodSecurity', podSecurity),
  off('PodNodeSelector', podNodeSelector),
  on('Priority', priority),
  on('DefaultTolerationSeconds', defaultTolerationSeconds),
  off('PodTolerationRestriction', podTolerationRestriction),
  off('EventRateLimit', eventRateLimit),
  off('ExtendedResourceToleration', extendedResourceToleration),
  off('PersistentVolumeLabel'),
  on('DefaultStorageClass', defaultStorageClass),
  on('StorageObjectInUseProtection', storageInUseProtection),
  off('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement),
  on('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  on('RuntimeClass', runtimeClass),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', certificateSubjectRestriction),
  on('DefaultIngressClass', defaultIngressClass),
  off('DenyServiceExternalIPs', denyServiceExternalIPs),
  on('PodTopologyLabels', podTopologyLabels),
  // what others decide comes after what is built in
  on('MutatingAdmissionPolicy'),
  on('MutatingAdmissionWebhook'),
  on('ValidatingAdmissionPolicy'),
  on('ValidatingAdmissionWebhook'),
  on('ResourceQuota', resourceQuota),
  off('AlwaysDeny', alwaysDeny),
];
