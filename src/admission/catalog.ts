// Every built-in plugin, in the order in which they run, whatever the order in which options name them.

import type { Dialect, DialectRules } from '../meta/dialect.ts';
import type { AdmissionEngines } from './engines.ts';
import type { AdmissionPlugin } from './plugin.ts';
import { alwaysAdmit, alwaysDeny } from './plugins/always.ts';
import { limitPodHardAntiAffinityTopology } from './plugins/anti-affinity-topology.ts';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './plugins/certificate-rights.ts';
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts';
import { persistentVolumeClaimResize } from './plugins/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-classes.ts';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { eventRateLimit } from './plugins/event-rate-limit.ts';
import { extendedResourceToleration } from './plugins/extended-resource-toleration.ts';
import { denyServiceExternalIPs } from './plugins/external-addresses.ts';
import { imagePolicyWebhook } from './plugins/image-policy-webhook/image-policy-webhook.ts';
import { alwaysPullImages } from './plugins/image-pulls.ts';
import { limitRanger } from './plugins/limit-ranger/limit-ranger.ts';
import { mutatingAdmissionPolicy } from './plugins/mutating-admission-policy/mutating-admission-policy.ts';
import { mutatingAdmissionWebhook } from './plugins/mutating-admission-webhook/mutating-admission-webhook.ts';
import { namespaceAutoProvision, namespaceExists } from './plugins/namespace-existence.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { nodeDeclaredFeatureValidator } from './plugins/node-declared-features.ts';
import { nodeRestriction } from './plugins/node-restriction/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './plugins/owner-permissions.ts';
import { persistentVolumeLabel } from './plugins/persistent-volume-label.ts';
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './plugins/pod-groups.ts';
import { podNodeSelector } from './plugins/pod-node-selector.ts';
import { podResizeValidator } from './plugins/pod-resize-validator.ts';
import { podSecurity } from './plugins/pod-security/pod-security.ts';
import { podSecurityPolicy } from './plugins/pod-security-policy/pod-security-policy.ts';
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts';
import { podTopologyLabels } from './plugins/pod-topology-labels.ts';
import { priority } from './plugins/priority.ts';
import { resourceQuota } from './plugins/resource-quota/resource-quota.ts';
import { runtimeClass } from './plugins/runtime-class.ts';
import { securityContextDeny } from './plugins/security-context-deny.ts';
import { serviceAccount } from './plugins/service-account/service-account.ts';
import { storageInUseProtection } from './plugins/storage-in-use-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';
import { validatingAdmissionPolicy } from './plugins/validating-admission-policy/validating-admission-policy.ts';
import { validatingAdmissionWebhook } from './plugins/validating-admission-webhook/validating-admission-webhook.ts';

interface BuiltInPlugin {
  readonly name: string;
  /** Whether it runs by default. */
  readonly isOn: boolean;
  readonly create: (engines: AdmissionEngines) => AdmissionPlugin;
  /** Whether it runs before the plugin that stands before it in the list. */
  readonly comesFirst?: (rules: DialectRules) => boolean;
}

/** Where a pod must not contradict its namespace, its own tolerations are looked at before the server adds others. */
const refusesTolerations = ({ conflictingTolerations }: DialectRules): boolean => conflictingTolerations === 'refused';

const on = (name: string, create: BuiltInPlugin['create']): BuiltInPlugin => ({ name, isOn: true, create });
const off = (name: string, create: BuiltInPlugin['create']): BuiltInPlugin => ({ name, isOn: false, create });

/** SecurityContextDeny, PodSecurityPolicy and PersistentVolumeLabel are of the specification, and no longer of Kubernetes. */
export const builtInPlugins: readonly BuiltInPlugin[] = [
  off('AlwaysAdmit', alwaysAdmit),
  off('NamespaceAutoProvision', namespaceAutoProvision),
  on('NamespaceLifecycle', namespaceLifecycle),
  off('NamespaceExists', namespaceExists),
  off('SecurityContextDeny', securityContextDeny),
  off('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology),
  on('LimitRanger', limitRanger),
  on('ServiceAccount', serviceAccount),
  off('NodeRestriction', nodeRestriction),
  on('TaintNodesByCondition', taintNodesByCondition),
  off('AlwaysPullImages', alwaysPullImages),
  off('ImagePolicyWebhook', imagePolicyWebhook),
  on('PodSecurity', podSecurity),
  off('PodSecurityPolicy', podSecurityPolicy),
  off('PodNodeSelector', podNodeSelector),
  on('Priority', priority),
  on('DefaultTolerationSeconds', defaultTolerationSeconds),
  { ...off('PodTolerationRestriction', podTolerationRestriction), comesFirst: refusesTolerations },
  off('EventRateLimit', eventRateLimit),
  off('ExtendedResourceToleration', extendedResourceToleration),
  off('PersistentVolumeLabel', persistentVolumeLabel),
  on('DefaultStorageClass', defaultStorageClass),
  on('StorageObjectInUseProtection', storageInUseProtection),
  on('PodGroupProtection', podGroupProtection),
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
  on('PodGroupWorkloadExists', podGroupWorkloadExists),
  on('NodeDeclaredFeatureValidator', nodeDeclaredFeatureValidator),
  on('JobValidation', jobValidation),
  on('PodResizeValidator', podResizeValidator),
  // what others decide comes after what is built in
  on('MutatingAdmissionPolicy', mutatingAdmissionPolicy),
  on('MutatingAdmissionWebhook', mutatingAdmissionWebhook),
  on('ValidatingAdmissionPolicy', validatingAdmissionPolicy),
  on('ValidatingAdmissionWebhook', validatingAdmissionWebhook),
  on('ResourceQuota', resourceQuota),
  off('AlwaysDeny', alwaysDeny),
];

/** All plugins in the order in which they run in a dialect. */
export function pluginsIn({ rules }: Dialect): readonly BuiltInPlugin[] {
  const ordered: BuiltInPlugin[] = [];
  for (const plugin of builtInPlugins) {
    const at = plugin.comesFirst?.(rules) ? ordered.length - 1 : ordered.length;
    ordered.splice(at, 0, plugin);
  }
  return ordered;
}
