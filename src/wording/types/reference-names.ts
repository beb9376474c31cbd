// The fields of types that messages of the reference implementation show: their names there, in the order it has them.

/**
 * By the name of the type, a word for each field: `Name` for the field of that name that begins with a small letter, `Name=wire` for
 * another one, `Name=~wire` for an extension, `Name=^wire` for one of the struct around it; `+wire` stands for the members of a field with their names on the wire.
 * After a colon follows what it is: `s`, `i`, `b`, `q` for texts, numbers, flags and amounts, the name of a type for a struct, with `*`
 * for a pointer to one or a list, with `%` for a map. Without any it has no value of its own while it is not set.
 */
export const referenceNames: Readonly<Record<string, string>> = {
  AWSElasticBlockStoreVolumeSource: 'VolumeID:s FSType=fsType:s Partition:i ReadOnly:b',
  Affinity: 'NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity',
  AllocationResult: 'Devices:DeviceAllocationResult NodeSelector:*NodeSelector AllocationTimestamp',
  AppArmorProfile: 'Type:s LocalhostProfile',
  AuditAnnotation: 'Key:s ValueExpression:s',
  AzureDiskVolumeSource: 'DiskName:s DataDiskURI=diskURI:s CachingMode FSType=fsType ReadOnly Kind',
  AzureFilePersistentVolumeSource: 'SecretName:s ShareName:s ReadOnly:b SecretNamespace',
  AzureFileVolumeSource: 'SecretName:s ShareName:s ReadOnly:b',
  CELDeviceSelector: 'Expression:s',
  CSINodeDriver: 'Name:s NodeID:s TopologyKeys Allocatable:*VolumeNodeResources',
  CSIPersistentVolumeSource:
    'Driver:s VolumeHandle:s ReadOnly:b FSType=fsType:s VolumeAttributes ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference NodeExpandSecretRef:*SecretReference',
  CSIVolumeSource: 'Driver:s ReadOnly FSType=fsType VolumeAttributes NodePublishSecretRef:*LocalObjectReference',
  Capabilities: 'Add Drop',
  CapacityRequirements: 'Requests',
  CephFSPersistentVolumeSource: 'Monitors Path:s User:s SecretFile:s SecretRef:*SecretReference ReadOnly:b',
  CephFSVolumeSource: 'Monitors Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b',
  CinderPersistentVolumeSource: 'VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*SecretReference',
  CinderVolumeSource: 'VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference',
  ClusterTrustBundleProjection: 'Name SignerName LabelSelector Optional Path:s',
  ConfigMapEnvSource: 'Name:s Optional',
  ConfigMapKeySelector: 'Name:s Key:s Optional',
  ConfigMapProjection: 'Name:s Items:*KeyToPath Optional',
  ConfigMapVolumeSource: 'Name:s Items:*KeyToPath DefaultMode Optional',
  Container:
    'Name:s Image:s Command Args WorkingDir:s Ports:*ContainerPort EnvFrom:*EnvFromSource Env:*EnvVar Resources:ResourceRequirements ResizePolicy:*ContainerResizePolicy RestartPolicy RestartPolicyRules:*ContainerRestartRule VolumeMounts:*VolumeMount VolumeDevices:*VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b',
  ContainerPort: 'Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s',
  ContainerResizePolicy: 'ResourceName:s RestartPolicy:s',
  ContainerRestartRule: 'Action:s ExitCodes:*ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'Operator:s Values',
  CustomResourceColumnDefinition: 'Name:s Type:s Format:s Description:s Priority:i JSONPath=jsonPath:s',
  CustomResourceDefinitionVersion:
    'Name:s Served:b Storage:b Deprecated:b DeprecationWarning Schema:*CustomResourceValidation Subresources:*CustomResourceSubresources AdditionalPrinterColumns:*CustomResourceColumnDefinition SelectableFields:*SelectableField',
  CustomResourceSubresourceScale: 'SpecReplicasPath:s StatusReplicasPath:s LabelSelectorPath',
  CustomResourceSubresources: 'Status Scale:*CustomResourceSubresourceScale',
  CustomResourceValidation: 'OpenAPIV3Schema:*JSONSchemaProps',
  DaemonSetUpdateStrategy: 'Type:s RollingUpdate:*RollingUpdateDaemonSet',
  DeploymentStrategy: 'Type:s RollingUpdate:*RollingUpdateDeployment',
  DeviceAttribute:
    'IntValue=int BoolValue=bool StringValue=string VersionValue=version IntValues=ints BoolValues=bools StringValues=strings VersionValues=versions',
  DeviceAllocationConfiguration: 'Source:s Requests Opaque:*OpaqueDeviceConfiguration',
  DeviceAllocationResult: 'Results:*DeviceRequestAllocationResult Config:*DeviceAllocationConfiguration',
  DeviceClaim: 'Requests:*DeviceRequest Constraints:*DeviceConstraint Config:*DeviceClaimConfiguration',
  DeviceClaimConfiguration: 'Requests Opaque:*OpaqueDeviceConfiguration',
  DeviceConstraint: 'Requests MatchAttribute DistinctAttribute',
  DeviceRequest: 'Name:s Exactly:*ExactDeviceRequest FirstAvailable:*DeviceSubRequest',
  DeviceSelector: 'CEL=cel:*CELDeviceSelector',
  DeviceRequestAllocationResult:
    'Request:s Driver:s Pool:s Device:s AdminAccess Tolerations:*DeviceToleration BindingConditions BindingFailureConditions ShareID=shareID ConsumedCapacity',
  DeviceSubRequest:
    'Name:s DeviceClassName:s Selectors:*DeviceSelector AllocationMode:s Count:i Tolerations:*DeviceToleration Capacity:*CapacityRequirements',
  DeviceToleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds',
  DownwardAPIProjection: 'Items:*DownwardAPIVolumeFile',
  DownwardAPIVolumeFile: 'Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode',
  DownwardAPIVolumeSource: 'Items:*DownwardAPIVolumeFile DefaultMode',
  EmptyDirVolumeSource: 'Medium:s SizeLimit',
  EnvFromSource: 'Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource',
  EnvVar: 'Name:s Value:s ValueFrom:*EnvVarSource',
  EnvVarSource:
    'FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector',
  EphemeralContainer:
    'Name:s Image:s Command Args WorkingDir:s Ports:*ContainerPort EnvFrom:*EnvFromSource Env:*EnvVar Resources:ResourceRequirements ResizePolicy:*ContainerResizePolicy RestartPolicy RestartPolicyRules:*ContainerRestartRule VolumeMounts:*VolumeMount VolumeDevices:*VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b TargetContainerName:s',
  EphemeralVolumeSource: 'VolumeClaimTemplate:*PersistentVolumeClaimTemplate',
  EventSource: 'Component:s Host:s',
  ExactDeviceRequest:
    'DeviceClassName:s Selectors:*DeviceSelector AllocationMode:s Count:i AdminAccess Tolerations:*DeviceToleration Capacity:*CapacityRequirements',
  ExecAction: 'Command',
  ExternalDocumentation: 'Description:s URL=url:s',
  FCVolumeSource: 'TargetWWNs Lun FSType=fsType:s ReadOnly:b WWIDs=wwids',
  FieldSelectorAttributes: 'RawSelector:s Requirements',
  FileKeySelector: 'VolumeName:s Path:s Key:s Optional',
  FlexPersistentVolumeSource: 'Driver:s FSType=fsType:s SecretRef:*SecretReference ReadOnly:b Options',
  FlexVolumeSource: 'Driver:s FSType=fsType:s SecretRef:*LocalObjectReference ReadOnly:b Options',
  FlockerVolumeSource: 'DatasetName:s DatasetUUID:s',
  ExemptPriorityLevelConfiguration: 'NominalConcurrencyShares LendablePercent',
  FlowDistinguisherMethod: 'Type:s',
  FlowSchemaSpec:
    'PriorityLevelConfiguration:PriorityLevelConfigurationReference MatchingPrecedence:i DistinguisherMethod:*FlowDistinguisherMethod Rules:*PolicyRulesWithSubjects',
  FlowSubject: 'Kind:s User:*UserSubject Group:*GroupSubject ServiceAccount:*ServiceAccountSubject',
  GCEPersistentDiskVolumeSource: 'PDName=pdName:s FSType=fsType:s Partition:i ReadOnly:b',
  GRPCAction: 'Port:i Service',
  GitRepoVolumeSource: 'Repository:s Revision:s Directory:s',
  GlusterfsPersistentVolumeSource: 'EndpointsName=endpoints:s Path:s ReadOnly:b EndpointsNamespace',
  GlusterfsVolumeSource: 'EndpointsName=endpoints:s Path:s ReadOnly:b',
  GroupSubject: 'Name:s',
  HTTPGetAction: 'Path:s Port:i Host:s Scheme:s HTTPHeaders=httpHeaders:*HTTPHeader',
  HTTPHeader: 'Name:s Value:s',
  HostAlias: 'IP=ip:s Hostnames',
  HostPathVolumeSource: 'Path:s Type',
  ISCSIPersistentVolumeSource:
    'TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*SecretReference InitiatorName',
  ISCSIVolumeSource:
    'TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference InitiatorName',
  ImageVolumeSource: 'Reference:s PullPolicy:s',
  JSONSchemaProps:
    'ID=id:s Schema=$schema:s Ref=$ref Description:s Type:s Nullable:b Format:s Title:s Default Maximum ExclusiveMaximum:b Minimum ExclusiveMinimum:b MaxLength MinLength Pattern:s MaxItems MinItems UniqueItems:b MultipleOf Enum MaxProperties MinProperties Required Items:*JSONSchemaPropsOrArray AllOf:*JSONSchemaProps OneOf:*JSONSchemaProps AnyOf:*JSONSchemaProps Not:*JSONSchemaProps Properties:%JSONSchemaProps AdditionalProperties:*JSONSchemaPropsOrBool PatternProperties:%JSONSchemaProps Dependencies AdditionalItems:*JSONSchemaPropsOrBool Definitions ExternalDocs:*ExternalDocumentation Example XPreserveUnknownFields=~preserve-unknown-fields XEmbeddedResource=~embedded-resource:b XIntOrString=~int-or-string:b XListMapKeys=~list-map-keys XListType=~list-type XMapType=~map-type XValidations=~validations:*ValidationRule',
  KeyToPath: 'Key:s Path:s Mode',
  LabelSelectorAttributes: 'RawSelector:s Requirements',
  Lifecycle: 'PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal',
  LifecycleHandler:
    'Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction',
  LimitResponse: 'Type:s Queuing:*QueuingConfiguration',
  LimitedPriorityLevelConfiguration:
    'NominalConcurrencyShares:i LimitResponse:LimitResponse LendablePercent BorrowingLimitPercent',
  LocalObjectReference: 'Name:s',
  LocalVolumeSource: 'Path:s FSType=fsType',
  NFSVolumeSource: 'Server:s Path:s ReadOnly:b',
  NodeAddress: 'Type:s Address:s',
  NodeAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:*PreferredSchedulingTerm',
  NodeSelector: 'NodeSelectorTerms:*NodeSelectorTerm',
  NodeSelectorRequirement: 'Key:s Operator:s Values',
  NodeSelectorTerm: 'MatchExpressions:*NodeSelectorRequirement MatchFields:*NodeSelectorRequirement',
  NonResourceAttributes: 'Path:s Verb:s',
  NonResourcePolicyRule: 'Verbs NonResourceURLs=nonResourceURLs',
  ObjectFieldSelector: 'APIVersion=apiVersion:s FieldPath:s',
  ObjectReference: 'Kind:s Namespace:s Name:s UID=uid:s APIVersion=apiVersion:s ResourceVersion:s FieldPath:s',
  OpaqueDeviceConfiguration: 'Driver:s Parameters',
  ParentReference: 'Group:s Resource:s Namespace:s Name:s',
  ModifyVolumeStatus: 'TargetVolumeAttributesClassName:s Status:s',
  PersistentVolumeClaim: '+metadata Spec:PersistentVolumeClaimSpec Status:PersistentVolumeClaimStatus',
  PersistentVolumeClaimSpec:
    'AccessModes Selector Resources:VolumeResourceRequirements VolumeName:s StorageClassName VolumeMode DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName',
  PersistentVolumeClaimStatus:
    'Phase:s AccessModes Capacity Conditions AllocatedResources AllocatedResourceStatuses CurrentVolumeAttributesClassName ModifyVolumeStatus:*ModifyVolumeStatus',
  PersistentVolumeClaimTemplate: '+metadata Spec:PersistentVolumeClaimSpec',
  PersistentVolumeClaimVolumeSource: 'ClaimName:s ReadOnly:b',
  PersistentVolumeSource:
    'GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource Glusterfs:*GlusterfsPersistentVolumeSource NFS=nfs:*NFSVolumeSource RBD=rbd:*RBDPersistentVolumeSource Quobyte:*QuobyteVolumeSource ISCSI=iscsi:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC=fc:*FCVolumeSource Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource CSI=csi:*CSIPersistentVolumeSource',
  PersistentVolumeSpec:
    'Capacity GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource Glusterfs:*GlusterfsPersistentVolumeSource NFS=nfs:*NFSVolumeSource RBD=rbd:*RBDPersistentVolumeSource Quobyte:*QuobyteVolumeSource ISCSI=iscsi:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC=fc:*FCVolumeSource Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource CSI=csi:*CSIPersistentVolumeSource AccessModes ClaimRef:*ObjectReference PersistentVolumeReclaimPolicy:s StorageClassName:s MountOptions VolumeMode NodeAffinity:*VolumeNodeAffinity VolumeAttributesClassName',
  PhotonPersistentDiskVolumeSource: 'PdID:s FSType=fsType:s',
  PodAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:*PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:*WeightedPodAffinityTerm',
  PodAffinityTerm: 'LabelSelector Namespaces TopologyKey:s NamespaceSelector MatchLabelKeys MismatchLabelKeys',
  PodAntiAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:*PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:*WeightedPodAffinityTerm',
  PodCertificateProjection:
    'SignerName:s KeyType:s MaxExpirationSeconds CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations',
  PodCertificateRequestSpec:
    'SignerName:s PodName:s PodUID=podUID:s ServiceAccountName:s ServiceAccountUID=serviceAccountUID:s NodeName:s NodeUID=nodeUID:s MaxExpirationSeconds PKIXPublicKey=pkixPublicKey ProofOfPossession StubPKCS10Request UnverifiedUserAnnotations',
  PodDNSConfig: 'Nameservers Searches Options:*PodDNSConfigOption',
  PodDNSConfigOption: 'Name:s Value',
  PodDisruptionBudgetSpec: 'MinAvailable Selector MaxUnavailable UnhealthyPodEvictionPolicy',
  PodFailurePolicy: 'Rules:*PodFailurePolicyRule',
  PodFailurePolicyOnExitCodesRequirement: 'ContainerName Operator:s Values',
  PodFailurePolicyOnPodConditionsPattern: 'Type:s Status:s',
  PodFailurePolicyRule:
    'Action:s OnExitCodes:*PodFailurePolicyOnExitCodesRequirement OnPodConditions:*PodFailurePolicyOnPodConditionsPattern',
  PodOS: 'Name:s',
  PodReadinessGate: 'ConditionType:s',
  PodResourceClaim: 'Name:s ResourceClaimName ResourceClaimTemplateName',
  PodSchedulingGate: 'Name:s',
  PodSchedulingGroup: 'PodGroupName',
  PodSecurityContext:
    'HostNetwork=^hostNetwork:b HostPID=^hostPID:b HostIPC=^hostIPC:b ShareProcessNamespace=^shareProcessNamespace HostUsers=^hostUsers SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup=fsGroup FSGroupChangePolicy=fsGroupChangePolicy Sysctls:*Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy',
  PodSpec:
    'Volumes:*Volume InitContainers:*Container Containers:*Container EphemeralContainers:*EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy=dnsPolicy:s NodeSelector ServiceAccountName:s AutomountServiceAccountToken NodeName:s SecurityContext:*PodSecurityContext ImagePullSecrets:*LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN Affinity:*Affinity SchedulerName:s Tolerations:*Toleration HostAliases:*HostAlias PriorityClassName:s Priority PreemptionPolicy DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:*PodReadinessGate RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints:*TopologySpreadConstraint OS=os:*PodOS SchedulingGates:*PodSchedulingGate ResourceClaims:*PodResourceClaim Resources:*ResourceRequirements HostnameOverride SchedulingGroup:*PodSchedulingGroup',
  PodTemplateSpec: '+metadata Spec:PodSpec',
  PolicyRulesWithSubjects:
    'Subjects:*FlowSubject ResourceRules:*ResourcePolicyRule NonResourceRules:*NonResourcePolicyRule',
  PortworxVolumeSource: 'VolumeID:s FSType=fsType:s ReadOnly:b',
  PreferredSchedulingTerm: 'Weight:i Preference:NodeSelectorTerm',
  PriorityLevelConfigurationReference: 'Name:s',
  PriorityLevelConfigurationSpec:
    'Type:s Limited:*LimitedPriorityLevelConfiguration Exempt:*ExemptPriorityLevelConfiguration',
  Probe:
    'Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds',
  ProjectedVolumeSource: 'Sources:*VolumeProjection DefaultMode',
  QueuingConfiguration: 'Queues:i HandSize:i QueueLengthLimit:i',
  QuobyteVolumeSource: 'Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s',
  RBDPersistentVolumeSource:
    'CephMonitors=monitors RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*SecretReference ReadOnly:b',
  RBDVolumeSource:
    'CephMonitors=monitors RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*LocalObjectReference ReadOnly:b',
  ResourceAttributes:
    'Namespace:s Verb:s Group:s Version:s Resource:s Subresource:s Name:s FieldSelector:*FieldSelectorAttributes LabelSelector:*LabelSelectorAttributes',
  ResourceClaim: 'Name:s Request:s',
  ResourceClaimSpec: 'Devices:DeviceClaim',
  ResourceClaimTemplateSpec: '+metadata Spec:ResourceClaimSpec',
  ResourceFieldSelector: 'ContainerName:s Resource:s Divisor:q',
  ResourcePolicyRule: 'Verbs APIGroups=apiGroups Resources ClusterScope:b Namespaces',
  ResourceRequirements: 'Limits Requests Claims:*ResourceClaim',
  RollingUpdateDaemonSet: 'MaxUnavailable:i MaxSurge:i',
  RollingUpdateDeployment: 'MaxUnavailable:i MaxSurge:i',
  RollingUpdateStatefulSetStrategy: 'Partition:i MaxUnavailable',
  SELinuxOptions: 'User:s Role:s Type:s Level:s',
  ScaleIOPersistentVolumeSource:
    'Gateway:s System:s SecretRef:*SecretReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b',
  ScaleIOVolumeSource:
    'Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b',
  ScopeSelector: 'MatchExpressions:*ScopedResourceSelectorRequirement',
  ScopedResourceSelectorRequirement: 'ScopeName:s Operator:s Values',
  SeccompProfile: 'Type:s LocalhostProfile',
  SecretEnvSource: 'Name:s Optional',
  SecretKeySelector: 'Name:s Key:s Optional',
  SecretProjection: 'Name:s Items:*KeyToPath Optional',
  SecretReference: 'Name:s Namespace:s',
  SecretVolumeSource: 'SecretName:s Items:*KeyToPath DefaultMode Optional',
  SecurityContext:
    'Capabilities:*Capabilities Privileged SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile',
  SelectableField: 'JSONPath=jsonPath:s',
  ServiceAccountSubject: 'Namespace:s Name:s',
  ServiceAccountTokenProjection: 'Audience:s ExpirationSeconds:i Path:s',
  ServiceCIDRSpec: 'CIDRs=cidrs',
  ServicePort: 'Name:s Protocol:s AppProtocol Port:i TargetPort:i NodePort:i',
  SleepAction: 'Seconds:i',
  StatefulSetUpdateStrategy: 'Type:s RollingUpdate:*RollingUpdateStatefulSetStrategy',
  StorageOSPersistentVolumeSource:
    'VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*ObjectReference',
  StorageOSVolumeSource: 'VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference',
  SuccessPolicy: 'Rules:*SuccessPolicyRule',
  SuccessPolicyRule: 'SucceededIndexes SucceededCount',
  Sysctl: 'Name:s Value:s',
  TCPSocketAction: 'Port:i Host:s',
  Taint: 'Key:s Value:s Effect:s TimeAdded',
  Toleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds',
  TopologySpreadConstraint:
    'MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector MinDomains NodeAffinityPolicy NodeTaintsPolicy MatchLabelKeys',
  TypedLocalObjectReference: 'APIGroup=apiGroup Kind:s Name:s',
  TypedObjectReference: 'APIGroup=apiGroup Kind:s Name:s Namespace',
  UserSubject: 'Name:s',
  ValidationRule: 'Rule:s Message:s MessageExpression:s Reason FieldPath:s OptionalOldSelf',
  Volume:
    'Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource',
  VolumeAttachmentSource: 'PersistentVolumeName InlineVolumeSpec:*PersistentVolumeSpec',
  VolumeAttachmentSpec: 'Attacher:s Source:VolumeAttachmentSource NodeName:s',
  VolumeDevice: 'Name:s DevicePath:s',
  VolumeMount: 'Name:s ReadOnly:b RecursiveReadOnly MountPath:s SubPath:s MountPropagation SubPathExpr:s',
  VolumeNodeAffinity: 'Required:*NodeSelector',
  VolumeNodeResources: 'Count',
  VolumeProjection:
    'Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection',
  VolumeResourceRequirements: 'Limits Requests',
  VsphereVirtualDiskVolumeSource: 'VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s',
  WeightedPodAffinityTerm: 'Weight:i PodAffinityTerm:PodAffinityTerm',
  WindowsSecurityContextOptions:
    'GMSACredentialSpecName=gmsaCredentialSpecName GMSACredentialSpec=gmsaCredentialSpec RunAsUserName HostProcess',
};
