// Every feature gate of the release: its stage, whether it is on, and whether that can be changed.

/** As metrics spell them: a gate of a stable feature has no stage. */
type GateStage = 'ALPHA' | 'BETA' | '' | 'DEPRECATED';

export interface KnownGate {
  readonly name: string;
  readonly stage: GateStage;
  readonly isOn: boolean;
  /** It stays as it is. */
  readonly isLocked: boolean;
}

interface Group extends Omit<KnownGate, 'name'> {
  readonly names: string;
}

const groups: readonly Group[] = [
  {
    stage: 'ALPHA',
    isOn: false,
    isLocked: false,
    names: `
      APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
      CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR
      CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ContainerStopSignals
      ControllerManagerReleaseLeaderElectionLockOnExit CrossNamespaceVolumeDataSource DRAListTypeAttributes
      DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims EventedPLEG GangScheduling
      GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
      InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace LoggingAlphaOptions
      ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity NativeHistograms
      PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
      PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi
      ShardedListAndWatch StorageCapacityScoring StorageVersionAPI TaintTolerationComparisonOperators
      TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport
      VolumeLimitScaling WindowsCPUAndMemoryAffinity WorkloadAwarePreemption WorkloadWithJob`,
  },
  {
    stage: 'BETA',
    isOn: false,
    isLocked: false,
    names: `
      AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
      DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet
      PodCertificateRequest SELinuxMount SchedulerAsyncAPICalls StorageVersionMigrator`,
  },
  {
    stage: 'BETA',
    isOn: true,
    isLocked: false,
    names: `
      APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
      AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
      ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz
      ComponentStatusz ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging
      DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices
      DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout
      DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles
      ExtendWebSocketsToKubelet GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance
      HostnameOverride InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
      InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
      KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot
      LoggingBetaOptions MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
      MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures
      NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist PodDeletionCost
      PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
      PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile
      ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
      RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
      SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
      StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
      StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash
      StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
      StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
      TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
      UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO WatchCacheInitializationPostStartHook WatchList
      WatchListClient WindowsGracefulNodeShutdown`,
  },
  {
    stage: '',
    isOn: true,
    isLocked: false,
    names: `
      AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion
      MutatingAdmissionPolicy`,
  },
  {
    stage: '',
    isOn: true,
    isLocked: true,
    names: `
      APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
      AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting
      CSIServiceAccountTokenSecrets ConsistentListFromCache CustomResourceFieldSelectors DRAAdminAccess
      DeclarativeValidation DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
      ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InOrderInformers InPlacePodVerticalScaling
      JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
      KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing
      LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
      NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OrderedNamespaceDeletion
      PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
      PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
      RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization
      RetryGenerateName SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints
      SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
      ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
      StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
      SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport
      VolumeAttributesClass WinDSR WinOverlay`,
  },
  {
    stage: 'DEPRECATED',
    isOn: false,
    isLocked: false,
    names: `
      AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
      DeclarativeValidationTakeover KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork`,
  },
  {
    stage: 'DEPRECATED',
    isOn: true,
    isLocked: false,
    names: `
      DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping
      StorageNamespaceIndex`,
  },
  {
    stage: 'DEPRECATED',
    isOn: false,
    isLocked: true,
    names: `
      AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC`,
  },
  {
    stage: 'DEPRECATED',
    isOn: true,
    isLocked: true,
    names: `
      AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion`,
  },
];

/** What a gate needs to be on, where it needs others. */
export const gateNeeds: Readonly<Record<string, string>> = {
  AuthorizeNodeWithSelectors: 'AuthorizeWithSelectors',
  ClusterTrustBundleProjection: 'ClusterTrustBundle',
  DRAAdminAccess: 'DynamicResourceAllocation',
  DRAConsumableCapacity: 'DynamicResourceAllocation',
  DRADeviceBindingConditions: 'DynamicResourceAllocation DRAResourceClaimDeviceStatus',
  DRADeviceTaintRules: 'DRADeviceTaints',
  DRADeviceTaints: 'DynamicResourceAllocation',
  DRAExtendedResource: 'DynamicResourceAllocation',
  DRAListTypeAttributes: 'DynamicResourceAllocation',
  DRANodeAllocatableResources: 'DynamicResourceAllocation',
  DRAPartitionableDevices: 'DynamicResourceAllocation',
  DRAPrioritizedList: 'DynamicResourceAllocation',
  DRAResourceClaimGranularStatusAuthorization: 'DynamicResourceAllocation DRAResourceClaimDeviceStatus',
  DRAResourcePoolStatus: 'DynamicResourceAllocation',
  DRASchedulerFilterTimeout: 'DynamicResourceAllocation',
  DRAWorkloadResourceClaims: 'DynamicResourceAllocation GenericWorkload',
  DeclarativeValidationTakeover: 'DeclarativeValidation',
  DisableAllocatorDualWrite: 'MultiCIDRServiceAllocator',
  ExtendWebSocketsToKubelet: 'NodeDeclaredFeatures',
  GangScheduling: 'GenericWorkload',
  GracefulNodeShutdownBasedOnPodPriority: 'GracefulNodeShutdown',
  ImageVolumeWithDigest: 'ImageVolume',
  InPlacePodLevelResourcesVerticalScaling: 'InPlacePodVerticalScaling PodLevelResources NodeDeclaredFeatures',
  InPlacePodVerticalScalingExclusiveCPUs: 'InPlacePodVerticalScaling',
  InPlacePodVerticalScalingExclusiveMemory: 'InPlacePodVerticalScaling',
  InPlacePodVerticalScalingInitContainers: 'InPlacePodVerticalScaling NodeDeclaredFeatures',
  MatchLabelKeysInPodTopologySpreadSelectorMerge: 'MatchLabelKeysInPodTopologySpread',
  PodCertificateRequest: 'AuthorizeNodeWithSelectors',
  PodLevelResourceManagers: 'PodLevelResources',
  PodLifecycleSleepActionAllowZero: 'PodLifecycleSleepAction',
  ProcMountType: 'UserNamespacesSupport',
  ResourceHealthStatus: 'DynamicResourceAllocation',
  ResourceHealthStatusMessage: 'ResourceHealthStatus',
  RestartAllContainersOnContainerExits: 'ContainerRestartRules NodeDeclaredFeatures',
  ServiceAccountTokenNodeBinding: 'ServiceAccountTokenNodeBindingValidation',
  StaleControllerConsistencyDaemonSet: 'AtomicFIFO',
  StaleControllerConsistencyJob: 'AtomicFIFO',
  StaleControllerConsistencyReplicaSet: 'AtomicFIFO',
  StaleControllerConsistencyStatefulSet: 'AtomicFIFO',
  StorageVersionAPI: 'APIServerIdentity',
  StructuredAuthenticationConfigurationEgressSelector: 'StructuredAuthenticationConfiguration',
  StructuredAuthenticationConfigurationJWKSMetrics: 'StructuredAuthenticationConfiguration',
  TopologyAwareWorkloadScheduling: 'GenericWorkload',
  UnknownVersionInteroperabilityProxy: 'APIServerIdentity',
  UserNamespacesHostNetworkSupport: 'UserNamespacesSupport NodeDeclaredFeatures',
  WindowsGracefulNodeShutdown: 'GracefulNodeShutdown',
  WorkloadAwarePreemption: 'GangScheduling',
  WorkloadWithJob: 'GenericWorkload',
};

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

let cachedGates: ReadonlyMap<string, KnownGate> | undefined;

/** Gates by name. Made on first use: a start without gates needs none. */
export function knownGates(): ReadonlyMap<string, KnownGate> {
  cachedGates ??= new Map(
    groups.flatMap(({ names, ...state }) => words(names).map((name) => [name, { name, ...state }] as const)),
  );
  return cachedGates;
}
