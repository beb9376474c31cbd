// What is known about a pod.

import { dateTime, field, int64, listOf, mapOf, quantity, string, struct } from '../../../../schema/types.ts';
import { transitionFields } from '../../../condition-fields.ts';
import { containerStatus } from './container-status.ts';
import { resourceRequirements } from './resources.ts';
import { mostAmounts } from './rounded-amounts.ts';

const home = 'core/v1';

export const podCondition = struct(home, 'PodCondition', 'One named check on the state of a pod.', () => ({
  type: field(1, string, {
    goType: 'PodConditionType',
    always: true,
    required: true,
    about: 'Name of the condition, such as Ready or PodScheduled.',
  }),
  observedGeneration: field(7, int64, { about: 'Generation of the pod spec for which the condition was set.' }),
  status: field(2, string, {
    goType: 'ConditionStatus',
    always: true,
    required: true,
    about: 'Outcome of the condition: True, False or Unknown.',
  }),
  lastProbeTime: field(3, dateTime, { always: true, about: 'When the condition was last checked.' }),
  ...transitionFields(4),
}));

const hostIP = struct(home, 'HostIP', 'One IP address of the node.', () => ({
  ip: field(1, string, { always: true, required: true, about: 'The address, in IPv4 or IPv6 form.' }),
}));

const podIP = struct(home, 'PodIP', 'One IP address of a pod.', () => ({
  ip: field(1, string, { always: true, required: true, about: 'The address, in IPv4 or IPv6 form.' }),
}));

const podResourceClaimStatus = struct(
  home,
  'PodResourceClaimStatus',
  'Tells which ResourceClaim stands behind an entry of the pod.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the entry in spec.resourceClaims of the pod.',
    }),
    resourceClaimName: field(2, string, {
      pointer: true,
      about: 'Name of the ResourceClaim made for the pod; unset if none was needed.',
    }),
  }),
);

const containerExtendedResourceRequest = struct(
  home,
  'ContainerExtendedResourceRequest',
  'Links an extended resource of a container to a request of a claim.',
  () => ({
    containerName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the container that asked for the resource.',
    }),
    resourceName: field(2, string, {
      always: true,
      required: true,
      about: 'Name of the extended resource, such as example.com/gpu.',
    }),
    requestName: field(3, string, {
      always: true,
      required: true,
      about: 'Name of the request in the ResourceClaim that serves it.',
    }),
  }),
);

export const podExtendedResourceClaimStatus = struct(
  home,
  'PodExtendedResourceClaimStatus',
  'The claim that backs extended resources requested by a pod.',
  () => ({
    requestMappings: field(1, listOf(containerExtendedResourceRequest), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Which request of the claim serves which resource of which container.',
    }),
    resourceClaimName: field(2, string, {
      always: true,
      required: true,
      about: 'Name of the created ResourceClaim in the namespace of the pod.',
    }),
  }),
);

const nodeAllocatableResourceClaimStatus = struct(
  home,
  'NodeAllocatableResourceClaimStatus',
  'Node resources that a pod consumes through one claim.',
  () => ({
    resourceClaimName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the ResourceClaim in the namespace of the pod.',
    }),
    containers: field(2, listOf(string), { listType: 'set', about: 'Names of the containers that use the claim.' }),
    resources: field(3, mapOf(quantity, mostAmounts), {
      goType: 'map[ResourceName]resource.Quantity',
      always: true,
      required: true,
      about: 'Amount of each node resource allocated by the claim.',
    }),
  }),
);

export const podStatus = struct(home, 'PodStatus', 'What is currently known about a pod.', () => ({
  observedGeneration: field(17, int64, { about: 'Generation of the pod spec that this status was computed from.' }),
  phase: field(1, string, {
    goType: 'PodPhase',
    enum: ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'],
    about: 'Coarse summary of progress: Pending, Running, Succeeded, Failed or Unknown.',
  }),
  conditions: field(2, listOf(podCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Named checks such as PodScheduled, Initialized, ContainersReady and Ready.',
  }),
  message: field(3, string, { about: 'Readable explanation of why the pod is in this state.' }),
  reason: field(4, string, { about: 'Short code for the state, such as Evicted.' }),
  nominatedNodeName: field(11, string, {
    about: 'Node on which room is being made or reserved for this pod; not a promise.',
  }),
  hostIP: field(5, string, { about: 'Main IP address of the node the pod was assigned to.' }),
  hostIPs: field(16, listOf(hostIP), {
    listType: 'atomic',
    patchStrategy: 'merge',
    patchMergeKey: 'ip',
    about: 'All IP addresses of the node; the first equals hostIP.',
  }),
  podIP: field(6, string, { about: 'Main IP address of the pod; empty until one is assigned.' }),
  podIPs: field(12, listOf(podIP), {
    listType: 'map',
    mapKeys: ['ip'],
    patchStrategy: 'merge',
    patchMergeKey: 'ip',
    about: 'IP addresses of the pod, at most one per family; the first equals podIP.',
  }),
  startTime: field(7, dateTime, {
    pointer: true,
    about: 'When the node agent first accepted the pod, before pulling images.',
  }),
  initContainerStatuses: field(10, listOf(containerStatus), {
    listType: 'atomic',
    about: 'State of each init container, including sidecars.',
  }),
  containerStatuses: field(8, listOf(containerStatus), {
    listType: 'atomic',
    about: 'State of each regular container, one entry per container.',
  }),
  qosClass: field(9, string, {
    goType: 'PodQOSClass',
    enum: ['BestEffort', 'Burstable', 'Guaranteed'],
    about: 'Quality of service class derived from the resources: Guaranteed, Burstable or BestEffort.',
  }),
  ephemeralContainerStatuses: field(13, listOf(containerStatus), {
    listType: 'atomic',
    about: 'State of each ephemeral container that was added.',
  }),
  resize: field(14, string, {
    goType: 'PodResizeStatus',
    about: 'Old summary of a pending resize; see the PodResizePending and PodResizeInProgress conditions instead.',
  }),
  resourceClaimStatuses: field(15, listOf(podResourceClaimStatus), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge,retainKeys',
    patchMergeKey: 'name',
    about: 'Actual ResourceClaim objects used for the entries of spec.resourceClaims.',
  }),
  extendedResourceClaimStatus: field(18, podExtendedResourceClaimStatus, {
    pointer: true,
    gate: 'DRAExtendedResource',
    about: 'ResourceClaim that was created to satisfy extended resource requests of the pod.',
  }),
  allocatedResources: field(19, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    gate: 'InPlacePodLevelResourcesVerticalScaling',
    about: 'Pod-level resources the node has set aside for this pod.',
  }),
  resources: field(20, resourceRequirements, {
    pointer: true,
    gate: 'InPlacePodLevelResourcesVerticalScaling',
    about: 'Pod-level requests and limits that are in effect on the node now.',
  }),
  nodeAllocatableResourceClaimStatuses: field(21, listOf(nodeAllocatableResourceClaimStatus), {
    listType: 'atomic',
    off: true,
    about: 'Node resources, such as cpu and memory, that the pod gets through resource claims.',
  }),
}));
