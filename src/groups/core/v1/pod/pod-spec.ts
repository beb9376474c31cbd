// Types of pod spec: PodTemplateSpec, PodSpec, HostAlias and others.

import {
  bool,
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
import { objectMeta } from '../../../meta/v1/types.ts';
import { localObjectReference } from '../references.ts';
import { volume } from '../volume/volume.ts';
import { affinity, toleration, topologySpreadConstraint } from './affinity.ts';
import { container, ephemeralContainer } from './container.ts';
import { resourceRequirements } from './resources.ts';
import { mostAmounts } from './rounded-amounts.ts';
import { podSecurityContext } from './security-context.ts';

const home = 'core/v1';

const hostAlias = struct(home, 'HostAlias', 'One line for the hosts file of a pod.', () => ({
  ip: field(1, string, { always: true, required: true, about: 'IP address the host names resolve to.' }),
  hostnames: field(2, listOf(string), { listType: 'atomic', about: 'Names that resolve to the address.' }),
}));

const podDNSConfigOption = struct(home, 'PodDNSConfigOption', 'One resolver option of a pod.', () => ({
  name: field(1, string, { about: 'Name of the option, such as ndots; must be given.' }),
  value: field(2, string, { pointer: true, about: 'Value of the option; left out for plain switches.' }),
}));

const podDNSConfig = struct(home, 'PodDNSConfig', 'Resolver settings of a pod beyond its DNS policy.', () => ({
  nameservers: field(1, listOf(string), {
    listType: 'atomic',
    about: 'Addresses of DNS servers, added to those of the policy; at most three in total.',
  }),
  searches: field(2, listOf(string), {
    listType: 'atomic',
    about: 'Search domains for host name lookup, added to those of the policy.',
  }),
  options: field(3, listOf(podDNSConfigOption), {
    listType: 'atomic',
    about: 'Resolver options; an entry replaces the option of the same name from the policy.',
  }),
}));

const podReadinessGate = struct(
  home,
  'PodReadinessGate',
  'An extra condition that must be True for the pod to be ready.',
  () => ({
    conditionType: field(1, string, {
      goType: 'PodConditionType',
      always: true,
      required: true,
      about: 'Type of the pod condition to check, such as example.com/feature-ready.',
    }),
  }),
);

const podOS = struct(home, 'PodOS', 'The operating system a pod is made for.', () => ({
  name: field(1, string, {
    goType: 'OSName',
    always: true,
    required: true,
    about: 'Either linux or windows; decides which security fields are allowed.',
  }),
}));

const podSchedulingGate = struct(
  home,
  'PodSchedulingGate',
  'A named hold that keeps a pod from being scheduled.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the gate, unique in the list, such as example.com/wait.',
    }),
  }),
);

const podResourceClaim = struct(
  home,
  'PodResourceClaim',
  'Names a resource claim that containers of the pod can use; set exactly one source.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name within the pod by which containers refer to the claim, a DNS label.',
    }),
    resourceClaimName: field(3, string, {
      pointer: true,
      about: 'Existing ResourceClaim in the namespace of the pod.',
    }),
    resourceClaimTemplateName: field(4, string, {
      pointer: true,
      about: 'ResourceClaimTemplate from which a claim is made that lives as long as the pod.',
    }),
  }),
);

const podSchedulingGroup = struct(
  home,
  'PodSchedulingGroup',
  'Names the group of pods a pod belongs to for joint scheduling.',
  () => ({
    podGroupName: field(1, string, { pointer: true, about: 'Name of the PodGroup in the same namespace as the pod.' }),
  }),
);

/** No node runs as many. */
const mostContainers = 2000;

export const podSpec = struct(
  home,
  'PodSpec',
  'What a pod should run, where it may run, and how its containers are treated.',
  () => ({
    volumes: field(1, listOf(volume), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge,retainKeys',
      patchMergeKey: 'name',
      about: 'Storage that containers of this pod can mount; each entry needs a unique name.',
    }),
    initContainers: field(20, listOf(container, mostContainers), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about:
        'Containers run one after another, each to completion, before the regular containers start; restartPolicy Always makes a sidecar.',
    }),
    containers: field(2, listOf(container, mostContainers), {
      always: true,
      required: true,
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'The main containers of the pod; at least one is needed, and the list is fixed after creation.',
    }),
    ephemeralContainers: field(34, listOf(ephemeralContainer, mostContainers), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about:
        'Temporary debugging containers; can only be added to a running pod through the ephemeralcontainers subresource.',
    }),
    restartPolicy: field(3, string, {
      goType: 'RestartPolicy',
      enum: ['Always', 'Never', 'OnFailure'],
      about: 'When exited containers are started again: Always (the default), OnFailure or Never.',
    }),
    terminationGracePeriodSeconds: field(4, int64, {
      pointer: true,
      about: 'Seconds a deleted pod gets to stop before its processes are killed; 30 by default, 0 kills at once.',
    }),
    activeDeadlineSeconds: field(5, int64, {
      pointer: true,
      about: 'Seconds the pod may stay active on its node before it is stopped and marked Failed.',
    }),
    dnsPolicy: field(6, string, {
      goType: 'DNSPolicy',
      enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
      about: 'How DNS is configured for the pod: ClusterFirst (default), ClusterFirstWithHostNet, Default or None.',
    }),
    nodeSelector: field(7, mapOf(string), {
      mapType: 'atomic',
      about: 'Labels a node must carry, with exactly these values, for the pod to be scheduled there.',
    }),
    serviceAccountName: field(8, string, {
      about: 'ServiceAccount in the same namespace whose identity the pod uses; "default" if left out.',
    }),
    serviceAccount: field(9, string, {
      about: 'Old name of serviceAccountName, kept for compatibility; use serviceAccountName instead.',
    }),
    automountServiceAccountToken: field(21, bool, {
      pointer: true,
      about:
        'Whether a service account token is mounted into the containers; overrides the setting on the ServiceAccount.',
    }),
    nodeName: field(10, string, {
      about:
        'Node the pod is assigned to; normally filled in by the scheduler, setting it by hand bypasses scheduling.',
    }),
    hostNetwork: field(11, bool, {
      about: 'Use the network namespace of the node, so container ports open directly on the host; false by default.',
    }),
    hostPID: field(12, bool, {
      about: 'Share the process namespace of the node, making host processes visible; false by default.',
    }),
    hostIPC: field(13, bool, { about: 'Share the IPC namespace of the node with the containers; false by default.' }),
    shareProcessNamespace: field(27, bool, {
      pointer: true,
      about: "Let all containers of the pod see and signal each other's processes; not combinable with hostPID.",
    }),
    securityContext: field(14, podSecurityContext, {
      pointer: true,
      about: 'Security settings for the whole pod; a container may override some of them for itself.',
    }),
    imagePullSecrets: field(15, listOf(localObjectReference), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'Secrets in the same namespace holding registry credentials used to pull the images of this pod.',
    }),
    hostname: field(16, string, { about: 'Host name inside the pod, a DNS label; defaults to the pod name.' }),
    subdomain: field(17, string, {
      about:
        'Gives the pod the full name hostname.subdomain.namespace.svc.<cluster domain>, usually matching a headless service.',
    }),
    affinity: field(18, affinity, {
      pointer: true,
      about: 'Placement rules relative to node labels and to other pods.',
    }),
    schedulerName: field(19, string, {
      about: 'Scheduler that should place this pod; "default-scheduler" if left out.',
    }),
    tolerations: field(22, listOf(toleration), {
      listType: 'atomic',
      about: 'Node taints this pod puts up with when it is scheduled or kept running.',
    }),
    hostAliases: field(23, listOf(hostAlias), {
      listType: 'map',
      mapKeys: ['ip'],
      patchStrategy: 'merge',
      patchMergeKey: 'ip',
      about: "Extra lines for the /etc/hosts file of the pod's containers.",
    }),
    priorityClassName: field(24, string, {
      about: 'PriorityClass that sets the priority of the pod; the cluster default class applies if left out.',
    }),
    priority: field(25, int32, {
      pointer: true,
      about: 'Numeric priority, higher is more important; filled in at admission from priorityClassName.',
    }),
    dnsConfig: field(26, podDNSConfig, {
      pointer: true,
      about: 'Resolver settings merged with what dnsPolicy generates; needed when dnsPolicy is None.',
    }),
    readinessGates: field(28, listOf(podReadinessGate), {
      listType: 'atomic',
      about: 'Extra pod conditions that must be True before the pod counts as ready.',
    }),
    runtimeClassName: field(29, string, {
      pointer: true,
      about: 'RuntimeClass choosing the container runtime handler; the node default is used if left out.',
    }),
    enableServiceLinks: field(30, bool, {
      pointer: true,
      about: 'Whether environment variables describing the services of the namespace are injected; true by default.',
    }),
    preemptionPolicy: field(31, string, {
      goType: 'PreemptionPolicy',
      pointer: true,
      enum: ['Never', 'PreemptLowerPriority'],
      about: 'Whether the pod may evict lower-priority pods to get scheduled: PreemptLowerPriority (default) or Never.',
    }),
    overhead: field(32, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Resources used by the pod sandbox itself; filled in from the RuntimeClass at admission.',
    }),
    topologySpreadConstraints: field(33, listOf(topologySpreadConstraint), {
      listType: 'map',
      mapKeys: ['topologyKey', 'whenUnsatisfiable'],
      patchStrategy: 'merge',
      patchMergeKey: 'topologyKey',
      about: 'How matching pods should be spread over zones, nodes or other domains; all constraints must hold.',
    }),
    setHostnameAsFQDN: field(35, bool, {
      pointer: true,
      about: 'Use the full domain name as the host name inside the pod instead of the short one.',
    }),
    os: field(36, podOS, {
      pointer: true,
      about: 'Operating system the containers need; limits which other fields may be set.',
    }),
    hostUsers: field(37, bool, {
      pointer: true,
      about: 'Set to false to run the pod in its own user namespace; true by default.',
    }),
    schedulingGates: field(38, listOf(podSchedulingGate), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'While any gate is listed, the scheduler leaves the pod alone; gates can only be removed later.',
    }),
    resourceClaims: field(39, listOf(podResourceClaim), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge,retainKeys',
      patchMergeKey: 'name',
      about: 'ResourceClaims that must be allocated and reserved before the pod may start.',
    }),
    resources: field(40, resourceRequirements, {
      pointer: true,
      gate: 'PodLevelResources',
      about: 'CPU, memory and hugepages requests and limits shared by all containers of the pod.',
    }),
    hostnameOverride: field(41, string, {
      pointer: true,
      gate: 'HostnameOverride',
      about: 'Exact host name to use inside the pod, up to 64 characters, in place of hostname and subdomain.',
    }),
    schedulingGroup: field(43, podSchedulingGroup, {
      pointer: true,
      off: true,
      gate: 'GenericWorkload',
      about: 'Group of pods that this pod is scheduled together with; fixed after creation.',
    }),
  }),
);

export const podTemplateSpec = struct(home, 'PodTemplateSpec', 'Describes the pods that a controller creates.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, podSpec, { always: true, about: 'Spec given to each created pod.' }),
}));

export type PodSpec = Infer<typeof podSpec>;
export type PodTemplateSpec = Infer<typeof podTemplateSpec>;
