// Types of core/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { Condition, LabelSelector, ObjectMeta } from './meta-v1.ts';

interface AWSElasticBlockStoreVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAntiAffinity;
}

interface AppArmorProfile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

interface AttachedVolume {
  readonly name?: string;
  readonly devicePath?: string;
}

interface AzureDiskVolumeSource {
  readonly diskName?: string;
  readonly diskURI?: string;
  readonly cachingMode?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly kind?: string;
}

interface AzureFilePersistentVolumeSource {
  readonly secretName?: string;
  readonly shareName?: string;
  readonly readOnly?: boolean;
  readonly secretNamespace?: string;
}

interface AzureFileVolumeSource {
  readonly secretName?: string;
  readonly shareName?: string;
  readonly readOnly?: boolean;
}

export interface Binding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly target?: ObjectReference;
}

interface CSIPersistentVolumeSource {
  readonly driver?: string;
  readonly volumeHandle?: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly controllerPublishSecretRef?: SecretReference;
  readonly nodeStageSecretRef?: SecretReference;
  readonly nodePublishSecretRef?: SecretReference;
  readonly controllerExpandSecretRef?: SecretReference;
  readonly nodeExpandSecretRef?: SecretReference;
}

interface CSIVolumeSource {
  readonly driver?: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly nodePublishSecretRef?: LocalObjectReference;
}

interface Capabilities {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

interface CephFSPersistentVolumeSource {
  readonly monitors?: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

interface CephFSVolumeSource {
  readonly monitors?: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

interface CinderPersistentVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
}

interface CinderVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

interface ClientIPConfig {
  readonly timeoutSeconds?: number;
}

interface ClusterTrustBundleProjection {
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: LabelSelector;
  readonly optional?: boolean;
  readonly path?: string;
}

interface ComponentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
  readonly error?: string;
}

export interface ComponentStatus {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly conditions?: readonly ComponentCondition[];
}

export interface ConfigMap {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

interface ConfigMapEnvSource {
  readonly name?: string;
  readonly optional?: boolean;
}

interface ConfigMapKeySelector {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

interface ConfigMapNodeConfigSource {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly kubeletConfigKey?: string;
}

interface ConfigMapProjection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

interface ConfigMapVolumeSource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly ContainerPort[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
}

interface ContainerExtendedResourceRequest {
  readonly containerName?: string;
  readonly resourceName?: string;
  readonly requestName?: string;
}

interface ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

interface ContainerPort {
  readonly name?: string;
  readonly hostPort?: number;
  readonly containerPort?: number;
  readonly protocol?: string;
  readonly hostIP?: string;
}

interface ContainerResizePolicy {
  readonly resourceName?: string;
  readonly restartPolicy?: string;
}

interface ContainerRestartRule {
  readonly action?: string;
  readonly exitCodes?: ContainerRestartRuleOnExitCodes;
}

interface ContainerRestartRuleOnExitCodes {
  readonly operator?: string;
  readonly values?: readonly number[];
}

interface ContainerState {
  readonly waiting?: ContainerStateWaiting;
  readonly running?: ContainerStateRunning;
  readonly terminated?: ContainerStateTerminated;
}

interface ContainerStateRunning {
  readonly startedAt?: string;
}

interface ContainerStateTerminated {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

interface ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly started?: boolean;
  readonly allocatedResources?: Readonly<Record<string, string>>;
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly VolumeMountStatus[];
  readonly user?: ContainerUser;
  readonly allocatedResourcesStatus?: readonly ResourceStatus[];
  readonly stopSignal?: string;
}

interface ContainerUser {
  readonly linux?: LinuxContainerUser;
}

interface DaemonEndpoint {
  readonly Port?: number;
}

interface DownwardAPIProjection {
  readonly items?: readonly DownwardAPIVolumeFile[];
}

interface DownwardAPIVolumeFile {
  readonly path?: string;
  readonly fieldRef?: ObjectFieldSelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly mode?: number;
}

interface DownwardAPIVolumeSource {
  readonly items?: readonly DownwardAPIVolumeFile[];
  readonly defaultMode?: number;
}

interface EmptyDirVolumeSource {
  readonly medium?: string;
  readonly sizeLimit?: string;
}

interface EndpointAddress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

interface EndpointPort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface Endpoints {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly subsets?: readonly EndpointSubset[];
}

interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: ConfigMapEnvSource;
  readonly secretRef?: SecretEnvSource;
}

interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

interface EnvVarSource {
  readonly fieldRef?: ObjectFieldSelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly configMapKeyRef?: ConfigMapKeySelector;
  readonly secretKeyRef?: SecretKeySelector;
  readonly fileKeyRef?: FileKeySelector;
}

interface EphemeralContainer {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly ContainerPort[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly targetContainerName?: string;
}

interface EphemeralVolumeSource {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

export interface Event {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly involvedObject?: ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: EventSource;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly count?: number;
  readonly type?: string;
  readonly eventTime?: string;
  readonly series?: EventSeries;
  readonly action?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

interface EventSeries {
  readonly count?: number;
  readonly lastObservedTime?: string;
}

interface EventSource {
  readonly component?: string;
  readonly host?: string;
}

interface ExecAction {
  readonly command?: readonly string[];
}

interface FCVolumeSource {
  readonly targetWWNs?: readonly string[];
  readonly lun?: number;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly wwids?: readonly string[];
}

interface FileKeySelector {
  readonly volumeName?: string;
  readonly path?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

interface FlexPersistentVolumeSource {
  readonly driver?: string;
  readonly fsType?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
}

interface FlexVolumeSource {
  readonly driver?: string;
  readonly fsType?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
}

interface FlockerVolumeSource {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

interface GCEPersistentDiskVolumeSource {
  readonly pdName?: string;
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

interface GRPCAction {
  readonly port?: number;
  readonly service?: string;
}

interface GitRepoVolumeSource {
  readonly repository?: string;
  readonly revision?: string;
  readonly directory?: string;
}

interface GlusterfsPersistentVolumeSource {
  readonly endpoints?: string;
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly endpointsNamespace?: string;
}

interface GlusterfsVolumeSource {
  readonly endpoints?: string;
  readonly path?: string;
  readonly readOnly?: boolean;
}

interface HTTPGetAction {
  readonly path?: string;
  readonly port?: number | string;
  readonly host?: string;
  readonly scheme?: string;
  readonly httpHeaders?: readonly HTTPHeader[];
}

interface HTTPHeader {
  readonly name?: string;
  readonly value?: string;
}

interface HostAlias {
  readonly ip?: string;
  readonly hostnames?: readonly string[];
}

interface HostIP {
  readonly ip?: string;
}

interface HostPathVolumeSource {
  readonly path?: string;
  readonly type?: string;
}

interface ISCSIPersistentVolumeSource {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: number;
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: SecretReference;
  readonly initiatorName?: string;
}

interface ISCSIVolumeSource {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: number;
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly initiatorName?: string;
}

interface ImageVolumeSource {
  readonly reference?: string;
  readonly pullPolicy?: string;
}

interface ImageVolumeStatus {
  readonly imageRef?: string;
}

interface KeyToPath {
  readonly key?: string;
  readonly path?: string;
  readonly mode?: number;
}

interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
  readonly stopSignal?: string;
}

interface LifecycleHandler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly sleep?: SleepAction;
}

export interface LimitRange {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: LimitRangeSpec;
}

interface LimitRangeItem {
  readonly type?: string;
  readonly max?: Readonly<Record<string, string>>;
  readonly min?: Readonly<Record<string, string>>;
  readonly default?: Readonly<Record<string, string>>;
  readonly defaultRequest?: Readonly<Record<string, string>>;
  readonly maxLimitRequestRatio?: Readonly<Record<string, string>>;
}

interface LimitRangeSpec {
  readonly limits?: readonly LimitRangeItem[];
}

interface LinuxContainerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly supplementalGroups?: readonly number[];
}

interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
  readonly ports?: readonly PortStatus[];
}

interface LoadBalancerStatus {
  readonly ingress?: readonly LoadBalancerIngress[];
}

interface LocalObjectReference {
  readonly name?: string;
}

interface LocalVolumeSource {
  readonly path?: string;
  readonly fsType?: string;
}

interface ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string;
  readonly status?: string;
}

interface NFSVolumeSource {
  readonly server?: string;
  readonly path?: string;
  readonly readOnly?: boolean;
}

export interface Namespace {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: NamespaceSpec;
  readonly status?: NamespaceStatus;
}

interface NamespaceCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface NamespaceSpec {
  readonly finalizers?: readonly string[];
}

interface NamespaceStatus {
  readonly phase?: string;
  readonly conditions?: readonly NamespaceCondition[];
}

export interface Node {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

interface NodeAddress {
  readonly type?: string;
  readonly address?: string;
}

interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

interface NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName?: string;
  readonly containers?: readonly string[];
  readonly resources?: Readonly<Record<string, string>>;
}

interface NodeCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource;
}

interface NodeConfigStatus {
  readonly assigned?: NodeConfigSource;
  readonly active?: NodeConfigSource;
  readonly lastKnownGood?: NodeConfigSource;
  readonly error?: string;
}

interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint;
}

interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean;
}

interface NodeRuntimeHandler {
  readonly name?: string;
  readonly features?: NodeRuntimeHandlerFeatures;
}

interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

interface NodeSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly configSource?: NodeConfigSource;
  readonly externalID?: string;
}

interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly phase?: string;
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly NodeAddress[];
  readonly daemonEndpoints?: NodeDaemonEndpoints;
  readonly nodeInfo?: NodeSystemInfo;
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly AttachedVolume[];
  readonly config?: NodeConfigStatus;
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly features?: NodeFeatures;
  readonly declaredFeatures?: readonly string[];
}

interface NodeSwapStatus {
  readonly capacity?: number;
}

interface NodeSystemInfo {
  readonly machineID?: string;
  readonly systemUUID?: string;
  readonly bootID?: string;
  readonly kernelVersion?: string;
  readonly osImage?: string;
  readonly containerRuntimeVersion?: string;
  readonly kubeletVersion?: string;
  readonly kubeProxyVersion?: string;
  readonly operatingSystem?: string;
  readonly architecture?: string;
  readonly swap?: NodeSwapStatus;
}

interface ObjectFieldSelector {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
}

export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

export interface PersistentVolume {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
  readonly status?: PersistentVolumeStatus;
}

export interface PersistentVolumeClaim {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: PersistentVolumeClaimStatus;
}

interface PersistentVolumeClaimCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: LabelSelector;
  readonly resources?: VolumeResourceRequirements;
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly dataSource?: TypedLocalObjectReference;
  readonly dataSourceRef?: TypedObjectReference;
  readonly volumeAttributesClassName?: string;
}

interface PersistentVolumeClaimStatus {
  readonly phase?: string;
  readonly accessModes?: readonly string[];
  readonly capacity?: Readonly<Record<string, string>>;
  readonly conditions?: readonly PersistentVolumeClaimCondition[];
  readonly allocatedResources?: Readonly<Record<string, string>>;
  readonly allocatedResourceStatuses?: Readonly<Record<string, string>>;
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: ModifyVolumeStatus;
}

interface PersistentVolumeClaimTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpec;
}

interface PersistentVolumeClaimVolumeSource {
  readonly claimName?: string;
  readonly readOnly?: boolean;
}

export interface PersistentVolumeSpec {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly hostPath?: HostPathVolumeSource;
  readonly glusterfs?: GlusterfsPersistentVolumeSource;
  readonly nfs?: NFSVolumeSource;
  readonly rbd?: RBDPersistentVolumeSource;
  readonly iscsi?: ISCSIPersistentVolumeSource;
  readonly cinder?: CinderPersistentVolumeSource;
  readonly cephfs?: CephFSPersistentVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly flexVolume?: FlexPersistentVolumeSource;
  readonly azureFile?: AzureFilePersistentVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOPersistentVolumeSource;
  readonly local?: LocalVolumeSource;
  readonly storageos?: StorageOSPersistentVolumeSource;
  readonly csi?: CSIPersistentVolumeSource;
  readonly accessModes?: readonly string[];
  readonly claimRef?: ObjectReference;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly storageClassName?: string;
  readonly mountOptions?: readonly string[];
  readonly volumeMode?: string;
  readonly nodeAffinity?: VolumeNodeAffinity;
  readonly volumeAttributesClassName?: string;
}

interface PersistentVolumeStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly lastPhaseTransitionTime?: string;
}

interface PhotonPersistentDiskVolumeSource {
  readonly pdID?: string;
  readonly fsType?: string;
}

export interface Pod {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

interface PodCertificateProjection {
  readonly signerName?: string;
  readonly keyType?: string;
  readonly maxExpirationSeconds?: number;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: Readonly<Record<string, string>>;
}

interface PodCondition {
  readonly type?: string;
  readonly observedGeneration?: number;
  readonly status?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly PodDNSConfigOption[];
}

interface PodDNSConfigOption {
  readonly name?: string;
  readonly value?: string;
}

interface PodExtendedResourceClaimStatus {
  readonly requestMappings?: readonly ContainerExtendedResourceRequest[];
  readonly resourceClaimName?: string;
}

interface PodIP {
  readonly ip?: string;
}

interface PodOS {
  readonly name?: string;
}

interface PodReadinessGate {
  readonly conditionType?: string;
}

interface PodResourceClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

interface PodResourceClaimStatus {
  readonly name?: string;
  readonly resourceClaimName?: string;
}

interface PodSchedulingGate {
  readonly name?: string;
}

interface PodSchedulingGroup {
  readonly podGroupName?: string;
}

interface PodSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: string;
  readonly fsGroup?: number;
  readonly sysctls?: readonly Sysctl[];
  readonly fsGroupChangePolicy?: string;
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
  readonly seLinuxChangePolicy?: string;
}

interface PodSpec {
  readonly volumes?: readonly Volume[];
  readonly initContainers?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly dnsPolicy?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSecurityContext;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly affinity?: Affinity;
  readonly schedulerName?: string;
  readonly tolerations?: readonly Toleration[];
  readonly hostAliases?: readonly HostAlias[];
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly dnsConfig?: PodDNSConfig;
  readonly readinessGates?: readonly PodReadinessGate[];
  readonly runtimeClassName?: string;
  readonly enableServiceLinks?: boolean;
  readonly preemptionPolicy?: string;
  readonly overhead?: Readonly<Record<string, string>>;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly setHostnameAsFQDN?: boolean;
  readonly os?: PodOS;
  readonly hostUsers?: boolean;
  readonly schedulingGates?: readonly PodSchedulingGate[];
  readonly resourceClaims?: readonly PodResourceClaim[];
  readonly resources?: ResourceRequirements;
  readonly hostnameOverride?: string;
  readonly schedulingGroup?: PodSchedulingGroup;
}

interface PodStatus {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly conditions?: readonly PodCondition[];
  readonly message?: string;
  readonly reason?: string;
  readonly nominatedNodeName?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly HostIP[];
  readonly podIP?: string;
  readonly podIPs?: readonly PodIP[];
  readonly startTime?: string;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly qosClass?: string;
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly resize?: string;
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[];
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  readonly allocatedResources?: Readonly<Record<string, string>>;
  readonly resources?: ResourceRequirements;
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[];
}

export interface PodTemplate {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly template?: PodTemplateSpec;
}

export interface PodTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpec;
}

interface PortStatus {
  readonly port?: number;
  readonly protocol?: string;
  readonly error?: string;
}

interface PortworxVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

interface PreferredSchedulingTerm {
  readonly weight?: number;
  readonly preference?: NodeSelectorTerm;
}

interface Probe {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly grpc?: GRPCAction;
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

interface ProjectedVolumeSource {
  readonly sources?: readonly VolumeProjection[];
  readonly defaultMode?: number;
}

interface QuobyteVolumeSource {
  readonly registry?: string;
  readonly volume?: string;
  readonly readOnly?: boolean;
  readonly user?: string;
  readonly group?: string;
  readonly tenant?: string;
}

interface RBDPersistentVolumeSource {
  readonly monitors?: readonly string[];
  readonly image?: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

interface RBDVolumeSource {
  readonly monitors?: readonly string[];
  readonly image?: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

export interface ReplicationController {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ReplicationControllerSpec;
  readonly status?: ReplicationControllerStatus;
}

interface ReplicationControllerCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ReplicationControllerSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector?: Readonly<Record<string, string>>;
  readonly template?: PodTemplateSpec;
}

interface ReplicationControllerStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ReplicationControllerCondition[];
}

interface ResourceClaim {
  readonly name?: string;
  readonly request?: string;
}

interface ResourceFieldSelector {
  readonly containerName?: string;
  readonly resource?: string;
  readonly divisor?: string;
}

interface ResourceHealth {
  readonly resourceID?: string;
  readonly health?: string;
  readonly message?: string;
}

export interface ResourceQuota {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceQuotaSpec;
  readonly status?: ResourceQuotaStatus;
}

interface ResourceQuotaSpec {
  readonly hard?: Readonly<Record<string, string>>;
  readonly scopes?: readonly string[];
  readonly scopeSelector?: ScopeSelector;
}

interface ResourceQuotaStatus {
  readonly hard?: Readonly<Record<string, string>>;
  readonly used?: Readonly<Record<string, string>>;
}

interface ResourceRequirements {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly claims?: readonly ResourceClaim[];
}

interface ResourceStatus {
  readonly name?: string;
  readonly resources?: readonly ResourceHealth[];
}

interface SELinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

interface ScaleIOPersistentVolumeSource {
  readonly gateway?: string;
  readonly system?: string;
  readonly secretRef?: SecretReference;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

interface ScaleIOVolumeSource {
  readonly gateway?: string;
  readonly system?: string;
  readonly secretRef?: LocalObjectReference;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[];
}

interface ScopedResourceSelectorRequirement {
  readonly scopeName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface SeccompProfile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

export interface Secret {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly type?: string;
}

interface SecretEnvSource {
  readonly name?: string;
  readonly optional?: boolean;
}

interface SecretKeySelector {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

interface SecretProjection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

interface SecretVolumeSource {
  readonly secretName?: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

interface SecurityContext {
  readonly capabilities?: Capabilities;
  readonly privileged?: boolean;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: string;
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
}

export interface Service {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceSpec;
  readonly status?: ServiceStatus;
}

export interface ServiceAccount {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly secrets?: readonly ObjectReference[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly automountServiceAccountToken?: boolean;
}

interface ServiceAccountTokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path?: string;
}

interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

interface ServiceSpec {
  readonly ports?: readonly ServicePort[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly type?: string;
  readonly externalIPs?: readonly string[];
  readonly sessionAffinity?: string;
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: string;
  readonly healthCheckNodePort?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly loadBalancerClass?: string;
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
}

interface ServiceStatus {
  readonly loadBalancer?: LoadBalancerStatus;
  readonly conditions?: readonly Condition[];
}

interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig;
}

interface SleepAction {
  readonly seconds?: number;
}

interface StorageOSPersistentVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: ObjectReference;
}

interface StorageOSVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

interface Sysctl {
  readonly name?: string;
  readonly value?: string;
}

interface TCPSocketAction {
  readonly port?: number | string;
  readonly host?: string;
}

interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface TopologySelectorLabelRequirement {
  readonly key?: string;
  readonly values?: readonly string[];
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[];
}

interface TopologySpreadConstraint {
  readonly maxSkew?: number;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

interface TypedObjectReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface Volume {
  readonly name?: string;
  readonly hostPath?: HostPathVolumeSource;
  readonly emptyDir?: EmptyDirVolumeSource;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly gitRepo?: GitRepoVolumeSource;
  readonly secret?: SecretVolumeSource;
  readonly nfs?: NFSVolumeSource;
  readonly iscsi?: ISCSIVolumeSource;
  readonly glusterfs?: GlusterfsVolumeSource;
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  readonly rbd?: RBDVolumeSource;
  readonly flexVolume?: FlexVolumeSource;
  readonly cinder?: CinderVolumeSource;
  readonly cephfs?: CephFSVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly downwardAPI?: DownwardAPIVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly azureFile?: AzureFileVolumeSource;
  readonly configMap?: ConfigMapVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly projected?: ProjectedVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOVolumeSource;
  readonly storageos?: StorageOSVolumeSource;
  readonly csi?: CSIVolumeSource;
  readonly ephemeral?: EphemeralVolumeSource;
  readonly image?: ImageVolumeSource;
}

interface VolumeDevice {
  readonly name?: string;
  readonly devicePath?: string;
}

interface VolumeMount {
  readonly name?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly mountPath?: string;
  readonly subPath?: string;
  readonly mountPropagation?: string;
  readonly subPathExpr?: string;
}

interface VolumeMountStatus {
  readonly name?: string;
  readonly mountPath?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly volumeStatus?: VolumeStatus;
}

interface VolumeNodeAffinity {
  readonly required?: NodeSelector;
}

interface VolumeProjection {
  readonly secret?: SecretProjection;
  readonly downwardAPI?: DownwardAPIProjection;
  readonly configMap?: ConfigMapProjection;
  readonly serviceAccountToken?: ServiceAccountTokenProjection;
  readonly clusterTrustBundle?: ClusterTrustBundleProjection;
  readonly podCertificate?: PodCertificateProjection;
}

interface VolumeResourceRequirements {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
}

interface VolumeStatus {
  readonly image?: ImageVolumeStatus;
}

interface VsphereVirtualDiskVolumeSource {
  readonly volumePath?: string;
  readonly fsType?: string;
  readonly storagePolicyName?: string;
  readonly storagePolicyID?: string;
}

interface WeightedPodAffinityTerm {
  readonly weight?: number;
  readonly podAffinityTerm?: PodAffinityTerm;
}

interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: boolean;
}
