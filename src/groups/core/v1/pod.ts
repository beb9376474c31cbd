// Pod: a group of one or more containers that run together on one node and share network and volumes.

import type { Dialect } from '../../../meta/dialect.ts';
import { forbiddenField } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import { allVerbs, type KindDefinition, type Strategy, type StrategyContext } from '../../../schema/resource.ts';
import {
  bool,
  dateTime,
  field,
  type Infer,
  int32,
  int64,
  listOf,
  mapOf,
  quantity,
  string,
  struct,
} from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import type { Findings } from '../../rules.ts';
import { withAnnotatedProfiles } from './apparmor-annotations.ts';
import { validateAnnotationsOf, validateAnnotationUpdate } from './pod-annotation-rules.ts';
import { podColumns, podRowConditions } from './pod-columns.ts';
import { defaultWholePod } from './pod-defaults.ts';
import { podGracePeriod } from './pod-deletion.ts';
import { withLabelKeys } from './pod-label-keys.ts';
import { validateProfilesAgree } from './pod-profile-agreement.ts';
import { qosClassOf } from './pod-resources.ts';
import { type PodSpec, podSpec } from './pod-spec.ts';
import { defaultAddresses } from './pod-status.ts';
import { podSubresources } from './pod-subresources.ts';
import { validatePodUpdate } from './pod-update-validation.ts';
import { validatePodSpec, validateWholePod } from './pod-validation.ts';
import { hostNameWarnings, podWarnings } from './pod-warnings.ts';
import { resourceRequirements } from './resources.ts';
import { signals } from './signals.ts';

const home = 'core/v1';

export const podCondition = struct(home, 'PodCondition', 'One named check on the state of a pod.', {
  type: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the condition, such as Ready or PodScheduled.',
  }),
  observedGeneration: field(7, int64, { about: 'Generation of the pod spec for which the condition was set.' }),
  status: field(2, string, {
    always: true,
    required: true,
    about: 'Outcome of the condition: True, False or Unknown.',
  }),
  lastProbeTime: field(3, dateTime, { always: true, about: 'When the condition was last checked.' }),
  lastTransitionTime: field(4, dateTime, {
    always: true,
    about: 'When the status last changed from one value to another.',
  }),
  reason: field(5, string, { about: 'Short CamelCase code for the last change.' }),
  message: field(6, string, { about: 'Readable details about the last change.' }),
});

export const hostIP = struct(home, 'HostIP', 'One IP address of the node.', {
  ip: field(1, string, { always: true, required: true, about: 'The address, in IPv4 or IPv6 form.' }),
});

export const podIP = struct(home, 'PodIP', 'One IP address of a pod.', {
  ip: field(1, string, { always: true, required: true, about: 'The address, in IPv4 or IPv6 form.' }),
});

export const containerStateWaiting = struct(
  home,
  'ContainerStateWaiting',
  'Details of a container that has not started.',
  {
    reason: field(1, string, { about: 'Short code for the wait, such as ImagePullBackOff or CrashLoopBackOff.' }),
    message: field(2, string, { about: 'Readable explanation of the wait.' }),
  },
);

export const containerStateRunning = struct(home, 'ContainerStateRunning', 'Details of a container that is running.', {
  startedAt: field(1, dateTime, { always: true, about: 'When the container was last started.' }),
});

export const containerStateTerminated = struct(
  home,
  'ContainerStateTerminated',
  'Details of a container that has stopped.',
  {
    exitCode: field(1, int32, { always: true, required: true, about: 'Exit code of the main process.' }),
    signal: field(2, int32, { about: 'Signal that ended the process, if any.' }),
    reason: field(3, string, { about: 'Short code for the end, such as Completed, Error or OOMKilled.' }),
    message: field(4, string, { about: 'Final message, usually read from the termination message file.' }),
    startedAt: field(5, dateTime, { always: true, about: 'When this run of the container began.' }),
    finishedAt: field(6, dateTime, { always: true, about: 'When this run of the container ended.' }),
    containerID: field(7, string, { about: 'Id of the stopped container, in the form runtime://id.' }),
  },
);

export const containerState = struct(
  home,
  'ContainerState',
  'What a container is doing; one member is set, waiting if none is.',
  {
    waiting: field(1, containerStateWaiting, {
      pointer: true,
      about: 'Set while the container has not started, with the cause.',
    }),
    running: field(2, containerStateRunning, { pointer: true, about: 'Set while the container is running.' }),
    terminated: field(3, containerStateTerminated, {
      pointer: true,
      about: 'Set after the container has stopped, with exit details.',
    }),
  },
);

export const imageVolumeStatus = struct(home, 'ImageVolumeStatus', 'Details of a mounted image volume.', {
  imageRef: field(1, string, { required: true, about: 'Digest of the image that is really mounted.' }),
});

export const volumeStatus = struct(home, 'VolumeStatus', 'Details of a mounted volume by kind.', {
  image: field(1, imageVolumeStatus, {
    pointer: true,
    off: true,
    about: 'Details of an image volume that is mounted.',
  }),
});

export const volumeMountStatus = struct(home, 'VolumeMountStatus', 'State of one volume mount of a container.', {
  name: field(1, string, { always: true, required: true, about: 'Name of the mounted volume.' }),
  mountPath: field(2, string, { always: true, required: true, about: 'Path of the mount inside the container.' }),
  readOnly: field(3, bool, { about: 'Whether the mount is without write access.' }),
  recursiveReadOnly: field(4, string, {
    pointer: true,
    about: 'Whether nested mounts are read-only too: Disabled or Enabled, as actually applied.',
  }),
  volumeStatus: field(5, volumeStatus, { pointer: true, about: 'Further details that depend on the kind of volume.' }),
});

export const linuxContainerUser = struct(
  home,
  'LinuxContainerUser',
  'Numeric identity of the first process of a Linux container.',
  {
    uid: field(1, int64, { always: true, required: true, about: 'User id that the first process got at start.' }),
    gid: field(2, int64, {
      always: true,
      required: true,
      about: 'Primary group id that the first process got at start.',
    }),
    supplementalGroups: field(3, listOf(int64), {
      listType: 'atomic',
      about: 'Extra group ids that the first process got at start.',
    }),
  },
);

export const containerUser = struct(home, 'ContainerUser', 'Identity under which a container was started.', {
  linux: field(1, linuxContainerUser, {
    pointer: true,
    about: 'User and group ids on Linux; the processes may have changed them since.',
  }),
});

export const resourceHealth = struct(home, 'ResourceHealth', 'Health of a single device or other unit.', {
  resourceID: field(1, string, { always: true, required: true, about: 'Id of the unit, unique within its resource.' }),
  health: field(2, string, { about: 'Healthy, Unhealthy, or Unknown if it cannot be told.' }),
  message: field(6, string, { pointer: true, about: 'Readable explanation of the health, if the plugin gives one.' }),
});

export const resourceStatus = struct(home, 'ResourceStatus', 'Health of one resource allocated to a container.', {
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the resource, unique in the list; claims appear as claim:name/request.',
  }),
  resources: field(2, listOf(resourceHealth), {
    listType: 'map',
    mapKeys: ['resourceID'],
    about: 'Health of each single unit, such as a device.',
  }),
});

export const containerStatus = struct(home, 'ContainerStatus', 'The current state of one container.', {
  name: field(1, string, { always: true, required: true, about: 'Name of the container, as in the pod spec.' }),
  state: field(2, containerState, {
    always: true,
    about: 'What the container is doing now: waiting, running or terminated.',
  }),
  lastState: field(3, containerState, {
    always: true,
    about: 'How the previous run ended; empty if the container was never restarted.',
  }),
  ready: field(4, bool, {
    always: true,
    required: true,
    about: 'Whether the readiness probe passes, or the container runs if it has none.',
  }),
  restartCount: field(5, int32, {
    always: true,
    required: true,
    about: 'How often the container was restarted; cleanup of old containers may affect it.',
  }),
  image: field(6, string, {
    always: true,
    required: true,
    about: 'Image the container runs, possibly resolved to another name by the runtime.',
  }),
  imageID: field(7, string, {
    always: true,
    required: true,
    about: 'Exact id of the image in the runtime, usually with a digest.',
  }),
  containerID: field(8, string, { about: 'Id of the container, in the form runtime://id.' }),
  started: field(9, bool, {
    pointer: true,
    about: 'Whether the container has started and passed its startup probe and postStart hook.',
  }),
  allocatedResources: field(10, mapOf(quantity), { about: 'Resources the node has set aside for the container.' }),
  resources: field(11, resourceRequirements, {
    pointer: true,
    about: 'Requests and limits that are in effect on the node now.',
  }),
  volumeMounts: field(12, listOf(volumeMountStatus), {
    listType: 'map',
    mapKeys: ['mountPath'],
    patchStrategy: 'merge',
    patchMergeKey: 'mountPath',
    about: 'State of the volume mounts of the container.',
  }),
  user: field(13, containerUser, { pointer: true, about: 'User and group ids of the first process of the container.' }),
  allocatedResourcesStatus: field(14, listOf(resourceStatus), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge',
    patchMergeKey: 'name',
    about: 'Health of devices and other resources given to the container.',
  }),
  stopSignal: field(15, string, {
    pointer: true,
    enum: signals,
    off: true,
    about: 'Signal that will be sent to stop this container.',
  }),
});

export const podResourceClaimStatus = struct(
  home,
  'PodResourceClaimStatus',
  'Tells which ResourceClaim stands behind an entry of the pod.',
  {
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the entry in spec.resourceClaims of the pod.',
    }),
    resourceClaimName: field(2, string, {
      pointer: true,
      about: 'Name of the ResourceClaim made for the pod; unset if none was needed.',
    }),
  },
);

export const containerExtendedResourceRequest = struct(
  home,
  'ContainerExtendedResourceRequest',
  'Links an extended resource of a container to a request of a claim.',
  {
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
  },
);

export const podExtendedResourceClaimStatus = struct(
  home,
  'PodExtendedResourceClaimStatus',
  'The claim that backs extended resources requested by a pod.',
  {
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
  },
);

export const nodeAllocatableResourceClaimStatus = struct(
  home,
  'NodeAllocatableResourceClaimStatus',
  'Node resources that a pod consumes through one claim.',
  {
    resourceClaimName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the ResourceClaim in the namespace of the pod.',
    }),
    containers: field(2, listOf(string), { listType: 'set', about: 'Names of the containers that use the claim.' }),
    resources: field(3, mapOf(quantity), {
      always: true,
      required: true,
      about: 'Amount of each node resource allocated by the claim.',
    }),
  },
);

export const podStatus = struct(home, 'PodStatus', 'What is currently known about a pod.', {
  observedGeneration: field(17, int64, { about: 'Generation of the pod spec that this status was computed from.' }),
  phase: field(1, string, {
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
    about: 'When the kubelet first accepted the pod, before pulling images.',
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
    enum: ['BestEffort', 'Burstable', 'Guaranteed'],
    about: 'Quality of service class derived from the resources: Guaranteed, Burstable or BestEffort.',
  }),
  ephemeralContainerStatuses: field(13, listOf(containerStatus), {
    listType: 'atomic',
    about: 'State of each ephemeral container that was added.',
  }),
  resize: field(14, string, {
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
    about: 'ResourceClaim that was created to satisfy extended resource requests of the pod.',
  }),
  allocatedResources: field(19, mapOf(quantity), { about: 'Pod-level resources the node has set aside for this pod.' }),
  resources: field(20, resourceRequirements, {
    pointer: true,
    about: 'Pod-level requests and limits that are in effect on the node now.',
  }),
  nodeAllocatableResourceClaimStatuses: field(21, listOf(nodeAllocatableResourceClaimStatus), {
    listType: 'atomic',
    off: true,
    about: 'Node resources, such as cpu and memory, that the pod gets through resource claims.',
  }),
});

export const podType = struct(
  home,
  'Pod',
  'A group of one or more containers that run together on one node and share network and volumes.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, podSpec, {
      always: true,
      about: 'The wanted state: containers, volumes, and the rules for placing and running them.',
    }),
    status: field(3, podStatus, {
      always: true,
      about: 'The last state reported by the kubelet and control plane; written by the system, not by users.',
    }),
  },
);

export type Pod = ApiObject & Infer<typeof podType>;

/** Clears what a client may not set, and says what is known of a pod that nobody runs yet. */
function prepareForCreate(object: ApiObject, { clock, dialect }: StrategyContext): ApiObject {
  const given = object as Pod;
  const { labels = {}, annotations = {} } = given.metadata;
  const spec = withAnnotatedProfiles(withLabelKeys(given.spec ?? {}, labels), annotations, dialect);
  const gated = (spec.schedulingGates ?? []).length > 0;
  const conditions = gated ? { conditions: [gatedCondition(formatTime(clock.now()))] } : {};
  return { ...object, spec, status: { phase: 'Pending', ...conditions, qosClass: qosClassOf(spec) } };
}

const gatedCondition = (now: string) => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

const specOf = (object: ApiObject): PodSpec => (object as Pod).spec ?? {};

function* newPodWarnings(object: Pod, dialect: Dialect): Generator<string> {
  yield* hostNameWarnings(object, "the Pod's hostname");
  yield* podWarnings(object, dialect);
}

function validateNewPod({ ephemeralContainers = [], schedulingGates = [], nodeName }: PodSpec): Findings {
  const gated = 'cannot be set until all schedulingGates have been cleared';
  return [
    ...(ephemeralContainers.length > 0 ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')] : []),
    ...(nodeName && schedulingGates.length > 0 ? [forbiddenField('spec.nodeName', gated)] : []),
  ];
}

const strategy: Strategy = {
  defaults: (object) => defaultAddresses({ ...object, spec: defaultWholePod(specOf(object)) }),
  prepareForCreate,
  validate: (object, context) => [
    ...validateAnnotationsOf(specOf(object), object.metadata.annotations, 'metadata.annotations', context.dialect),
    ...validatePodSpec(specOf(object), 'spec', context, object.metadata.name),
    ...validateWholePod(specOf(object)),
  ],
  validateCreate: (object, { dialect }) => [
    ...validateNewPod(specOf(object)),
    ...validateProfilesAgree(specOf(object), object.metadata.annotations, 'spec', dialect),
  ],
  validateUpdate: (next, old, { dialect }) => [
    ...validateAnnotationUpdate(next, old, dialect),
    ...validatePodUpdate(specOf(next), specOf(old)),
  ],
  // changes of pods come often and from programs, which read no warnings
  warnings: (next, old, { dialect }) => (old === undefined ? newPodWarnings(next as Pod, dialect) : []),
  gracePeriod: podGracePeriod,
};

const text =
  (read: (pod: Pod) => string | undefined) =>
  (object: ApiObject): string =>
    read(object as Pod) ?? '';

export const pod: KindDefinition = {
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  verbs: allVerbs,
  type: podType,
  checkName: checkSubdomain,
  returnsDeleted: true,
  // a scheduler's choice is no change of what was asked for
  generationIgnores: ['status', 'spec.nodeName'],
  selectableFields: {
    'spec.host': text(({ spec }) => spec?.nodeName),
    'spec.hostNetwork': (object) => String(specOf(object).hostNetwork ?? false),
    'spec.nodeName': text(({ spec }) => spec?.nodeName),
    'spec.restartPolicy': text(({ spec }) => spec?.restartPolicy),
    'spec.schedulerName': text(({ spec }) => spec?.schedulerName),
    'spec.serviceAccountName': text(({ spec }) => spec?.serviceAccountName),
    'status.nominatedNodeName': text(({ status }) => status?.nominatedNodeName),
    'status.phase': text(({ status }) => status?.phase),
    'status.podIP': text(({ status }) => status?.podIPs?.[0]?.ip),
    'status.podIPs': () => '',
  },
  columns: podColumns,
  rowConditions: (object) => podRowConditions(object as Pod),
  subresources: podSubresources,
  strategy,
};
