// The controllers of every server.

import type { KindTypes } from '../groups/admissionregistration/v1/type-check.ts';
import type { Availability, StoredServices } from './api-availability/checks.ts';
import { apiAvailability } from './api-availability/controller.ts';
import type { ProbeApi } from './api-availability/reconcile.ts';
import { apiRegistration } from './api-registration/controller.ts';
import type { ServedApi } from './api-registration/registrations.ts';
import { bootstrapSigner } from './bootstrap-signer/controller.ts';
import { bootstrapTokenCleaner } from './bootstrap-tokens.ts';
import { certificateApprover } from './certificates/approver.ts';
import { podCertificateRequestCleaner, signingRequestCleaner } from './certificates/cleaner.ts';
import { type CertificateSigner, certificateSigningController } from './certificates/signer.ts';
import { trustBundlePublisher } from './certificates/trust-bundle-publisher.ts';
import { customResourceController } from './custom-resources/controller.ts';
import type { CustomInstances } from './custom-resources/deletion.ts';
import { disruptionController } from './disruption/controller.ts';
import { type ControllerEntry, isSelected } from './entry.ts';
import { finishedJobController } from './finished-jobs.ts';
import { flowSchemaStatus } from './flow-control/schema-status.ts';
import { standardFlowControl } from './flow-control/standard-objects.ts';
import { garbageCollector } from './garbage-collector/controller.ts';
import { claimProtection, classProtection, volumeProtection } from './in-use-protection/controller.ts';
import { namespaceController } from './namespace/controller.ts';
import { type PodGarbageParts, podGarbageCollector } from './pod-garbage/controller.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { roleAggregationController } from './role-aggregation/controller.ts';
import { serviceAccountController } from './service-account/controller.ts';
import { rootCaPublisher } from './service-account/root-ca.ts';
import { serviceRangeController } from './service-ranges/controller.ts';
import { serviceRepairController } from './service-repair/controller.ts';
import type { NodePorts } from './service-repair/node-ports.ts';
import { migratorName, storageVersionMigrator } from './storage-version-migration/controller.ts';
import { type TokenIssuer, tokenSecretController } from './token-secrets/controller.ts';
import { validatingPolicyStatus } from './validating-policy-status/controller.ts';

/** What some controllers need beyond the API. */
export interface ControllerParts {
  /** PEM of the CA that clients have to trust. */
  rootCa(): string;
  /** The objects of custom resources. */
  readonly instances: CustomInstances;
  /** Services as this server stores them, also where another one answers for them. */
  readonly services: StoredServices;
  /** Asks the servers of aggregated APIs whether they are there. */
  readonly probeApi: ProbeApi;
  /** Told of each look at an APIService, and with undefined of one that is gone. */
  onAvailability(name: string, found: Availability | undefined): void;
  /** Token Secrets are left empty without one. */
  readonly issueToken?: TokenIssuer | undefined;
  readonly certificateSigner: CertificateSigner;
  readonly nodePorts: NodePorts;
  readonly podGarbage: PodGarbageParts;
}

export interface AllParts extends ControllerParts {
  /** The group-versions that the server serves itself. */
  readonly served: readonly ServedApi[];
  readonly types: KindTypes;
}

const signerName = 'bootstrap-signer-controller';

/** Under the names that kube-controller-manager has for them. */
export const builtInControllers: readonly ControllerEntry<AllParts>[] = [
  { name: 'namespace-controller', aliases: ['namespace'], make: namespaceController },
  { name: 'garbage-collector-controller', aliases: ['garbagecollector'], make: garbageCollector },
  { name: 'serviceaccount-controller', aliases: ['serviceaccount'], make: serviceAccountController },
  {
    name: 'serviceaccount-token-controller',
    aliases: ['serviceaccount-token'],
    make: (context, { issueToken, rootCa }) => tokenSecretController(context, { issue: issueToken, rootCa }),
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    aliases: ['root-ca-cert-publisher'],
    make: (context, { rootCa }) => rootCaPublisher(context, rootCa),
  },
  {
    name: 'apiservice-registration-controller',
    aliases: ['autoregister'],
    partOfServer: true,
    make: (context, { served }) => apiRegistration(context, served),
  },
  {
    name: 'apiservice-status-available-controller',
    aliases: ['apiservice-status-available'],
    partOfServer: true,
    make: (context, { probeApi, services, onAvailability }) =>
      apiAvailability(context, { probe: probeApi, stored: services, onLook: onAvailability }),
  },
  {
    name: 'customresourcedefinition-controller',
    aliases: ['customresourcedefinition'],
    partOfServer: true,
    make: (context, { instances }) => customResourceController(context, instances),
  },
  {
    name: 'validatingadmissionpolicy-status-controller',
    aliases: ['validatingadmissionpolicy-status'],
    partOfServer: true,
    make: (context, { types }) => validatingPolicyStatus(context, types),
  },
  { name: 'flowschema-status-controller', aliases: ['flowschema-status'], partOfServer: true, make: flowSchemaStatus },
  {
    name: 'flowcontrol-bootstrap-controller',
    aliases: ['flowcontrol-bootstrap'],
    partOfServer: true,
    make: standardFlowControl,
  },
  {
    name: 'service-ip-repair-controller',
    aliases: ['service-ip-repair'],
    partOfServer: true,
    make: (context, { nodePorts }) => serviceRepairController(context, nodePorts),
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    aliases: ['csrsigning'],
    make: (context, { certificateSigner }) => certificateSigningController(context, certificateSigner),
  },
  { name: 'certificatesigningrequest-approving-controller', aliases: ['csrapproving'], make: certificateApprover },
  { name: 'certificatesigningrequest-cleaner-controller', aliases: ['csrcleaner'], make: signingRequestCleaner },
  {
    name: 'podcertificaterequest-cleaner-controller',
    aliases: [],
    gate: 'PodCertificateRequest',
    make: podCertificateRequestCleaner,
  },
  {
    name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    aliases: [],
    gate: 'ClusterTrustBundle',
    make: (context, { rootCa }) => trustBundlePublisher(context, rootCa),
  },
  {
    name: 'pod-garbage-collector-controller',
    aliases: ['podgc'],
    make: (context, { podGarbage }) => podGarbageCollector(context, podGarbage),
  },
  { name: 'service-cidr-controller', aliases: [], make: serviceRangeController },
  { name: 'disruption-controller', aliases: ['disruption'], make: disruptionController },
  { name: 'resourcequota-controller', aliases: ['resourcequota'], make: resourceQuotaController },
  {
    name: 'clusterrole-aggregation-controller',
    aliases: ['clusterrole-aggregation'],
    make: roleAggregationController,
  },
  { name: 'persistentvolumeclaim-protection-controller', aliases: ['pvc-protection'], make: claimProtection },
  { name: 'persistentvolume-protection-controller', aliases: ['pv-protection'], make: volumeProtection },
  { name: 'volumeattributesclass-protection-controller', aliases: [], make: classProtection },
  { name: 'ttl-after-finished-controller', aliases: ['ttl-after-finished'], make: finishedJobController },
  { name: migratorName, aliases: ['svm'], make: storageVersionMigrator },
  { name: 'token-cleaner-controller', aliases: ['tokencleaner'], offByDefault: true, make: bootstrapTokenCleaner },
  { name: signerName, aliases: ['bootstrapsigner'], offByDefault: true, make: bootstrapSigner },
];

/** Whether public information is signed here, and so has to be there. */
export function runsBootstrapSigner(selection: readonly string[]): boolean {
  return builtInControllers.some((entry) => entry.name === signerName && isSelected(entry, selection));
}
