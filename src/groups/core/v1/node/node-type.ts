// Type of Node: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../../meta/object.ts';
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
} from '../../../../schema/types.ts';
import { observationFields, transitionFields } from '../../../condition-fields.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { mostAmounts } from '../pod/rounded-amounts.ts';

const home = 'core/v1';

const taint = struct(home, 'Taint', 'A mark on a node that repels pods without a matching toleration.', () => ({
  key: field(1, string, { always: true, required: true, about: 'Key of the taint, in the form of a label key.' }),
  value: field(2, string, { about: 'Value of the taint; may be empty.' }),
  effect: field(3, string, {
    goType: 'TaintEffect',
    always: true,
    required: true,
    enum: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'],
    about: 'NoSchedule blocks new pods, PreferNoSchedule discourages them, NoExecute also evicts running ones.',
  }),
  timeAdded: field(4, dateTime, { pointer: true, about: 'When the taint was put on the node.' }),
}));

const configMapNodeConfigSource = struct(
  home,
  'ConfigMapNodeConfigSource',
  'Names a ConfigMap with configuration of the node agent. Obsolete, no longer used.',
  () => ({
    namespace: field(1, string, { always: true, required: true, about: 'Namespace of the ConfigMap to read.' }),
    name: field(2, string, { always: true, required: true, about: 'Name of the ConfigMap to read.' }),
    uid: field(3, string, { goType: 'types.UID', about: 'UID of the ConfigMap; only allowed in node status.' }),
    resourceVersion: field(4, string, { about: 'Resource version of the ConfigMap; only allowed in node status.' }),
    kubeletConfigKey: field(5, string, {
      always: true,
      required: true,
      about: 'Key of the ConfigMap that holds the configuration.',
    }),
  }),
);

const nodeConfigSource = struct(
  home,
  'NodeConfigSource',
  'Source of configuration of the node agent. Obsolete, no longer used.',
  () => ({
    configMap: field(2, configMapNodeConfigSource, {
      pointer: true,
      about: 'ConfigMap that held the configuration of the node agent.',
    }),
  }),
);

const nodeSpec = struct(home, 'NodeSpec', 'Settings of a node that affect scheduling and networking.', () => ({
  podCIDR: field(1, string, { about: 'Address range from which pods on this node get their IPs.' }),
  podCIDRs: field(7, listOf(string), {
    listType: 'set',
    patchStrategy: 'merge',
    about: 'Pod address ranges, at most one per IP family; the first equals podCIDR.',
  }),
  providerID: field(3, string, { about: 'Id of the machine at the cloud provider, as provider://id.' }),
  unschedulable: field(4, bool, { about: 'If true, no new pods are placed here; set to take a node out of use.' }),
  taints: field(5, listOf(taint), {
    listType: 'atomic',
    about: 'Marks that keep away pods which do not tolerate them.',
  }),
  configSource: field(6, nodeConfigSource, {
    pointer: true,
    off: true,
    about: 'Former source of dynamic configuration of the node agent; no longer has any effect.',
  }),
  externalID: field(2, string, { about: 'Unused leftover of old node agents; do not set.' }),
}));

const nodeCondition = struct(home, 'NodeCondition', 'One named check on the state of a node.', () => ({
  ...observationFields('Name of the condition, such as Ready or DiskPressure.', { type: 'NodeConditionType' }),
  lastHeartbeatTime: field(3, dateTime, { always: true, about: 'When the node agent last reported the condition.' }),
  ...transitionFields(4),
}));

const nodeAddress = struct(home, 'NodeAddress', 'One address or name of a node.', () => ({
  type: field(1, string, {
    goType: 'NodeAddressType',
    always: true,
    required: true,
    about: 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.',
  }),
  address: field(2, string, { always: true, required: true, about: 'The address or name itself.' }),
}));

const daemonEndpoint = struct(home, 'DaemonEndpoint', 'A port on which a daemon listens.', () => ({
  Port: field(1, int32, { always: true, required: true, about: 'Port number that the daemon listens on.' }),
}));

const nodeDaemonEndpoints = struct(home, 'NodeDaemonEndpoints', 'Ports of daemons that run on a node.', () => ({
  kubeletEndpoint: field(1, daemonEndpoint, { always: true, about: 'Port on which the node agent listens.' }),
}));

const nodeSwapStatus = struct(home, 'NodeSwapStatus', 'Swap space of a node.', () => ({
  capacity: field(1, int64, { pointer: true, about: 'Total swap space in bytes.' }),
}));

const nodeSystemInfo = struct(home, 'NodeSystemInfo', 'Ids and versions of a machine and its software.', () => ({
  machineID: field(1, string, {
    always: true,
    required: true,
    about: 'Machine id from /etc/machine-id or a similar source.',
  }),
  systemUUID: field(2, string, {
    always: true,
    required: true,
    about: 'Hardware UUID of the machine; machineID is preferred as an id.',
  }),
  bootID: field(3, string, { always: true, required: true, about: 'Id of the current boot, new after every restart.' }),
  kernelVersion: field(4, string, { always: true, required: true, about: 'Kernel version, as printed by uname -r.' }),
  osImage: field(5, string, {
    always: true,
    required: true,
    about: 'Name of the operating system release, from /etc/os-release.',
  }),
  containerRuntimeVersion: field(6, string, {
    always: true,
    required: true,
    about: 'Container runtime and its version, such as containerd://2.0.0.',
  }),
  kubeletVersion: field(7, string, { always: true, required: true, about: 'Version of the node agent on this node.' }),
  kubeProxyVersion: field(8, string, {
    always: true,
    required: true,
    about: 'Not reliable and no longer filled in; formerly the version of the network proxy.',
  }),
  operatingSystem: field(9, string, {
    always: true,
    required: true,
    about: 'Operating system of the node: linux or windows.',
  }),
  architecture: field(10, string, {
    always: true,
    required: true,
    about: 'CPU architecture of the node, such as amd64 or arm64.',
  }),
  swap: field(11, nodeSwapStatus, { pointer: true, about: 'Information about swap space on the node.' }),
}));

const containerImage = struct(home, 'ContainerImage', 'A container image present on a node.', () => ({
  names: field(1, listOf(string), {
    always: true,
    listType: 'atomic',
    about: 'All names of the image, by tag and by digest.',
  }),
  sizeBytes: field(2, int64, { about: 'Size of the image in bytes.' }),
}));

const attachedVolume = struct(home, 'AttachedVolume', 'A volume that is attached to a node.', () => ({
  name: field(1, string, {
    goType: 'UniqueVolumeName',
    always: true,
    required: true,
    about: 'Unique name of the attached volume.',
  }),
  devicePath: field(2, string, { always: true, required: true, about: 'Path of the device on the node.' }),
}));

const nodeConfigStatus = struct(
  home,
  'NodeConfigStatus',
  'State of dynamic configuration of the node agent. Obsolete, no longer used.',
  () => ({
    assigned: field(1, nodeConfigSource, { pointer: true, about: 'Configuration that the node is meant to use.' }),
    active: field(2, nodeConfigSource, { pointer: true, about: 'Configuration that the node really uses.' }),
    lastKnownGood: field(3, nodeConfigSource, {
      pointer: true,
      about: 'Configuration the node falls back to after an error.',
    }),
    error: field(4, string, { about: 'Problem met while applying the assigned configuration.' }),
  }),
);

const nodeRuntimeHandlerFeatures = struct(
  home,
  'NodeRuntimeHandlerFeatures',
  'Features that a runtime handler supports.',
  () => ({
    recursiveReadOnlyMounts: field(1, bool, {
      pointer: true,
      about: 'Whether recursive read-only mounts are supported.',
    }),
    userNamespaces: field(2, bool, {
      pointer: true,
      about: 'Whether pods with their own user namespace are supported.',
    }),
  }),
);

const nodeRuntimeHandler = struct(home, 'NodeRuntimeHandler', 'A runtime handler available on a node.', () => ({
  name: field(1, string, { always: true, about: 'Name of the handler; empty means the default one.' }),
  features: field(2, nodeRuntimeHandlerFeatures, { pointer: true, about: 'What the runtime handler supports.' }),
}));

const nodeFeatures = struct(home, 'NodeFeatures', 'Features that the container runtime of a node supports.', () => ({
  supplementalGroupsPolicy: field(1, bool, {
    pointer: true,
    about: 'Whether supplementalGroupsPolicy and reporting of container users are supported.',
  }),
}));

const nodeStatus = struct(home, 'NodeStatus', 'What is currently known about a node.', () => ({
  capacity: field(1, mapOf(quantity, mostAmounts), { goType: 'ResourceList', about: 'Total resources of the node.' }),
  allocatable: field(2, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Resources left for pods after system reservations.',
  }),
  phase: field(3, string, {
    goType: 'NodePhase',
    enum: ['Pending', 'Running', 'Terminated'],
    about: 'Unused summary of the life of the node; see conditions instead.',
  }),
  conditions: field(4, listOf(nodeCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Named checks, such as Ready, MemoryPressure and DiskPressure.',
  }),
  addresses: field(5, listOf(nodeAddress), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Addresses and names at which the node can be reached.',
  }),
  daemonEndpoints: field(6, nodeDaemonEndpoints, {
    always: true,
    about: "Ports on which the node's own daemons listen.",
  }),
  nodeInfo: field(7, nodeSystemInfo, { always: true, about: 'Ids and versions of the machine and its software.' }),
  images: field(8, listOf(containerImage), {
    listType: 'atomic',
    about: 'Container images present on the node; the list may be cut short.',
  }),
  volumesInUse: field(9, listOf(string), {
    goType: '[]UniqueVolumeName',
    listType: 'atomic',
    about: 'Attachable volumes that are in use, that is mounted, on the node.',
  }),
  volumesAttached: field(10, listOf(attachedVolume), {
    listType: 'atomic',
    about: 'Volumes that are attached to the node now.',
  }),
  config: field(11, nodeConfigStatus, {
    pointer: true,
    off: true,
    about: 'State of the former dynamic configuration of the node agent; no longer used.',
  }),
  runtimeHandlers: field(12, listOf(nodeRuntimeHandler), {
    listType: 'atomic',
    about: 'Runtime handlers available on the node and what they support.',
  }),
  features: field(13, nodeFeatures, { pointer: true, about: 'Features supported by the container runtime.' }),
  declaredFeatures: field(14, listOf(string), {
    listType: 'atomic',
    gate: 'NodeDeclaredFeatures',
    about: 'Names of features that this node announces for scheduling.',
  }),
}));

export const nodeType = struct(home, 'Node', 'A machine of the cluster on which pods run.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, nodeSpec, { always: true, about: 'Settings of the node, such as taints and pod address ranges.' }),
  status: field(3, nodeStatus, {
    always: true,
    about: 'What the node agent reports about the node; not for users to write.',
  }),
}));

export type Node = ApiObject & Infer<typeof nodeType>;
