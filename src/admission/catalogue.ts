// Every built-in plugin, in the order in which they run, whatever the order in which somebody turns them on.

import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './certificate-rights.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import type { AdmissionEngines } from './engines.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import type { AdmissionPlugin } from './plugin.ts';
import { priority } from './priority.ts';
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
  on('NamespaceLifecycle', namespaceLifecycle),
  on('ServiceAccount', serviceAccount),
  on('TaintNodesByCondition', taintNodesByCondition),
  off('ImagePolicyWebhook'),
  on('Priority', priority),
  on('DefaultTolerationSeconds', defaultTolerationSeconds),
  on('StorageObjectInUseProtection', storageInUseProtection),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', certificateSubjectRestriction),
  // what others decide comes after what is built in
  on('MutatingAdmissionPolicy'),
  on('MutatingAdmissionWebhook'),
  on('ValidatingAdmissionPolicy'),
  on('ValidatingAdmissionWebhook'),
];
