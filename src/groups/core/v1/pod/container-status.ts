// What is known about a container of a pod.

import {
  bool,
  dateTime,
  field,
  int32,
  int64,
  listOf,
  mapOf,
  quantity,
  string,
  struct,
} from '../../../../schema/types.ts';
import { resourceRequirements } from './resources.ts';
import { mostAmounts } from './rounded-amounts.ts';
import { signals } from './signals.ts';

const home = 'core/v1';

const containerStateWaiting = struct(
  home,
  'ContainerStateWaiting',
  'Details of a container that has not started.',
  () => ({
    reason: field(1, string, { about: 'Short code for the wait, such as ImagePullBackOff or CrashLoopBackOff.' }),
    message: field(2, string, { about: 'Readable explanation of the wait.' }),
  }),
);

const containerStateRunning = struct(home, 'ContainerStateRunning', 'Details of a container that is running.', () => ({
  startedAt: field(1, dateTime, { always: true, about: 'When the container was last started.' }),
}));

const containerStateTerminated = struct(
  home,
  'ContainerStateTerminated',
  'Details of a container that has stopped.',
  () => ({
    exitCode: field(1, int32, { always: true, required: true, about: 'Exit code of the main process.' }),
    signal: field(2, int32, { about: 'Signal that ended the process, if any.' }),
    reason: field(3, string, { about: 'Short code for the end, such as Completed, Error or OOMKilled.' }),
    message: field(4, string, { about: 'Final message, usually read from the termination message file.' }),
    startedAt: field(5, dateTime, { always: true, about: 'When this run of the container began.' }),
    finishedAt: field(6, dateTime, { always: true, about: 'When this run of the container ended.' }),
    containerID: field(7, string, { about: 'Id of the stopped container, in the form runtime://id.' }),
  }),
);

const containerState = struct(
  home,
  'ContainerState',
  'What a container is doing; one member is set, waiting if none is.',
  () => ({
    waiting: field(1, containerStateWaiting, {
      pointer: true,
      about: 'Set while the container has not started, with the cause.',
    }),
    running: field(2, containerStateRunning, { pointer: true, about: 'Set while the container is running.' }),
    terminated: field(3, containerStateTerminated, {
      pointer: true,
      about: 'Set after the container has stopped, with exit details.',
    }),
  }),
);

const imageVolumeStatus = struct(home, 'ImageVolumeStatus', 'Details of a mounted image volume.', () => ({
  imageRef: field(1, string, { required: true, about: 'Digest of the image that is really mounted.' }),
}));

const volumeStatus = struct(home, 'VolumeStatus', 'Details of a mounted volume by kind.', () => ({
  image: field(1, imageVolumeStatus, { pointer: true, about: 'Details of an image volume that is mounted.' }),
}));

const volumeMountStatus = struct(home, 'VolumeMountStatus', 'State of one volume mount of a container.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the mounted volume.' }),
  mountPath: field(2, string, { always: true, required: true, about: 'Path of the mount inside the container.' }),
  readOnly: field(3, bool, { about: 'Whether the mount is without write access.' }),
  recursiveReadOnly: field(4, string, {
    goType: 'RecursiveReadOnlyMode',
    pointer: true,
    about: 'Whether nested mounts are read-only too: Disabled or Enabled, as actually applied.',
  }),
  volumeStatus: field(5, volumeStatus, {
    pointer: true,
    off: true,
    about: 'Further details that depend on the kind of volume.',
  }),
}));

const linuxContainerUser = struct(
  home,
  'LinuxContainerUser',
  'Numeric identity of the first process of a Linux container.',
  () => ({
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
  }),
);

const containerUser = struct(home, 'ContainerUser', 'Identity under which a container was started.', () => ({
  linux: field(1, linuxContainerUser, {
    pointer: true,
    about: 'User and group ids on Linux; the processes may have changed them since.',
  }),
}));

const resourceHealth = struct(home, 'ResourceHealth', 'Health of a single device or other unit.', () => ({
  resourceID: field(1, string, {
    goType: 'ResourceID',
    always: true,
    required: true,
    about: 'Id of the unit, unique within its resource.',
  }),
  health: field(2, string, {
    goType: 'ResourceHealthStatus',
    about: 'Healthy, Unhealthy, or Unknown if it cannot be told.',
  }),
  message: field(6, string, {
    pointer: true,
    gate: 'ResourceHealthStatusMessage',
    about: 'Readable explanation of the health, if the plugin gives one.',
  }),
}));

export const resourceStatus = struct(
  home,
  'ResourceStatus',
  'Health of one resource allocated to a container.',
  () => ({
    name: field(1, string, {
      goType: 'ResourceName',
      always: true,
      required: true,
      about: 'Name of the resource, unique in the list; claims appear as claim:name/request.',
    }),
    resources: field(2, listOf(resourceHealth), {
      listType: 'map',
      mapKeys: ['resourceID'],
      about: 'Health of each single unit, such as a device.',
    }),
  }),
);

export const containerStatus = struct(home, 'ContainerStatus', 'The current state of one container.', () => ({
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
  allocatedResources: field(10, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Resources the node has set aside for the container.',
  }),
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
    gate: 'ResourceHealthStatus',
    about: 'Health of devices and other resources given to the container.',
  }),
  stopSignal: field(15, string, {
    goType: 'Signal',
    pointer: true,
    enum: signals,
    about: 'Signal that will be sent to stop this container.',
  }),
}));
