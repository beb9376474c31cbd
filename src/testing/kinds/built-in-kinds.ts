// The built-in kinds by the names of their resources, made from their data by built-in-kinds.test.ts.

import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from './admissionregistration-v1.ts';
import type { CustomResourceDefinition } from './apiextensions-v1.ts';
import type { APIService } from './apiregistration-v1.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './apps-v1.ts';
import type { SelfSubjectReview, TokenReview } from './authentication-v1.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from './authorization-v1.ts';
import type { HorizontalPodAutoscaler } from './autoscaling-v2.ts';
import type { CronJob, Job } from './batch-v1.ts';
import type { CertificateSigningRequest } from './certificates-v1.ts';
import type { Lease } from './coordination-v1.ts';
import type {
  Binding,
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from './core-v1.ts';
import type { EndpointSlice } from './discovery-v1.ts';
import type { FlowSchema, PriorityLevelConfiguration } from './flowcontrol-v1.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from './networking-v1.ts';
import type { RuntimeClass } from './node-v1.ts';
import type { PodDisruptionBudget } from './policy-v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './rbac-v1.ts';
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from './resource-v1.ts';
import type { PriorityClass } from './scheduling-v1.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from './storage-v1.ts';

/** Resources whose objects are in namespaces. */
export interface NamespacedKinds {
  readonly bindings: Binding;
  readonly configmaps: ConfigMap;
  readonly controllerrevisions: ControllerRevision;
  readonly cronjobs: CronJob;
  readonly csistoragecapacities: CSIStorageCapacity;
  readonly daemonsets: DaemonSet;
  readonly deployments: Deployment;
  readonly endpoints: Endpoints;
  readonly endpointslices: EndpointSlice;
  readonly events: Event;
  readonly horizontalpodautoscalers: HorizontalPodAutoscaler;
  readonly ingresses: Ingress;
  readonly jobs: Job;
  readonly leases: Lease;
  readonly limitranges: LimitRange;
  readonly localsubjectaccessreviews: LocalSubjectAccessReview;
  readonly networkpolicies: NetworkPolicy;
  readonly persistentvolumeclaims: PersistentVolumeClaim;
  readonly poddisruptionbudgets: PodDisruptionBudget;
  readonly pods: Pod;
  readonly podtemplates: PodTemplate;
  readonly replicasets: ReplicaSet;
  readonly replicationcontrollers: ReplicationController;
  readonly resourceclaims: ResourceClaim;
  readonly resourceclaimtemplates: ResourceClaimTemplate;
  readonly resourcequotas: ResourceQuota;
  readonly rolebindings: RoleBinding;
  readonly roles: Role;
  readonly secrets: Secret;
  readonly serviceaccounts: ServiceAccount;
  readonly services: Service;
  readonly statefulsets: StatefulSet;
}

/** Resources whose objects are in none. */
export interface ClusterKinds {
  readonly apiservices: APIService;
  readonly certificatesigningrequests: CertificateSigningRequest;
  readonly clusterrolebindings: ClusterRoleBinding;
  readonly clusterroles: ClusterRole;
  readonly componentstatuses: ComponentStatus;
  readonly csidrivers: CSIDriver;
  readonly csinodes: CSINode;
  readonly customresourcedefinitions: CustomResourceDefinition;
  readonly deviceclasses: DeviceClass;
  readonly flowschemas: FlowSchema;
  readonly ingressclasses: IngressClass;
  readonly ipaddresses: IPAddress;
  readonly mutatingadmissionpolicies: MutatingAdmissionPolicy;
  readonly mutatingadmissionpolicybindings: MutatingAdmissionPolicyBinding;
  readonly mutatingwebhookconfigurations: MutatingWebhookConfiguration;
  readonly namespaces: Namespace;
  readonly nodes: Node;
  readonly persistentvolumes: PersistentVolume;
  readonly priorityclasses: PriorityClass;
  readonly prioritylevelconfigurations: PriorityLevelConfiguration;
  readonly resourceslices: ResourceSlice;
  readonly runtimeclasses: RuntimeClass;
  readonly selfsubjectaccessreviews: SelfSubjectAccessReview;
  readonly selfsubjectreviews: SelfSubjectReview;
  readonly selfsubjectrulesreviews: SelfSubjectRulesReview;
  readonly servicecidrs: ServiceCIDR;
  readonly storageclasses: StorageClass;
  readonly subjectaccessreviews: SubjectAccessReview;
  readonly tokenreviews: TokenReview;
  readonly validatingadmissionpolicies: ValidatingAdmissionPolicy;
  readonly validatingadmissionpolicybindings: ValidatingAdmissionPolicyBinding;
  readonly validatingwebhookconfigurations: ValidatingWebhookConfiguration;
  readonly volumeattachments: VolumeAttachment;
  readonly volumeattributesclasses: VolumeAttributesClass;
}
