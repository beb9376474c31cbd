// Type of Service: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../../meta/object.ts';
import {
  bool,
  field,
  type Infer,
  int32,
  intOrString,
  listOf,
  mapOf,
  string,
  struct,
} from '../../../../schema/types.ts';
import { condition, objectMeta } from '../../../meta/v1/types.ts';
import { loadBalancerStatus } from './load-balancer.ts';

const home = 'core/v1';

const servicePort = struct(home, 'ServicePort', 'One port offered by a service.', () => ({
  name: field(1, string, { about: 'Name of the port, a DNS label unique in the service; optional for a single port.' }),
  protocol: field(2, string, {
    goType: 'Protocol',
    default: 'TCP',
    enum: ['SCTP', 'TCP', 'UDP'],
    about: 'Transport protocol: TCP (default), UDP or SCTP.',
  }),
  appProtocol: field(6, string, {
    pointer: true,
    about: 'Hint about the application protocol, such as http or a prefixed custom name.',
  }),
  port: field(3, int32, {
    always: true,
    required: true,
    about: 'Port number on which the service is reached, 1 to 65535.',
  }),
  targetPort: field(4, intOrString, {
    always: true,
    about: 'Port number or name on the pods; the same as port if left out.',
  }),
  nodePort: field(5, int32, {
    about: 'Port opened on every node for NodePort and LoadBalancer; assigned if left out, usually 30000 to 32767.',
  }),
}));

const clientIPConfig = struct(home, 'ClientIPConfig', 'Settings for affinity by client address.', () => ({
  timeoutSeconds: field(1, int32, {
    pointer: true,
    about: 'Seconds a client stays on its pod, 1 to 86400; 10800 (three hours) by default.',
  }),
}));

const sessionAffinityConfig = struct(
  home,
  'SessionAffinityConfig',
  'Settings for session affinity of a service.',
  () => ({
    clientIP: field(1, clientIPConfig, { pointer: true, about: 'Settings for affinity by client address.' }),
  }),
);

/** More than the usual range has node ports. */
const mostPorts = 5000;

const serviceSpec = struct(home, 'ServiceSpec', 'How a service selects its pods and how clients reach it.', () => ({
  ports: field(1, listOf(servicePort, mostPorts), {
    listType: 'map',
    mapKeys: ['port', 'protocol'],
    patchStrategy: 'merge',
    patchMergeKey: 'port',
    about: 'Ports the service offers; with more than one, each needs a name.',
  }),
  selector: field(2, mapOf(string), {
    mapType: 'atomic',
    about: 'Labels of the pods that receive traffic; if empty, endpoints are managed by someone else.',
  }),
  clusterIP: field(3, string, {
    about: 'Virtual IP of the service; assigned if left out, "None" makes a headless service.',
  }),
  clusterIPs: field(18, listOf(string), {
    listType: 'atomic',
    about: 'Virtual IPs, at most one per IP family; the first equals clusterIP.',
  }),
  type: field(4, string, {
    goType: 'ServiceType',
    enum: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
    about: 'How the service is exposed: ClusterIP (default), NodePort, LoadBalancer or ExternalName.',
  }),
  externalIPs: field(5, listOf(string), {
    listType: 'atomic',
    about: 'Additional IPs for which nodes accept traffic; routing to the nodes is up to the administrator.',
  }),
  sessionAffinity: field(7, string, {
    goType: 'ServiceAffinity',
    enum: ['ClientIP', 'None'],
    about: 'ClientIP keeps a client on the same pod; None (default) does not.',
  }),
  loadBalancerIP: field(8, string, {
    about: 'Wanted load balancer address, if the provider supports it. Deprecated; use provider annotations.',
  }),
  loadBalancerSourceRanges: field(9, listOf(string), {
    listType: 'atomic',
    about: 'Client CIDR ranges allowed through the load balancer, if the provider supports it.',
  }),
  externalName: field(10, string, {
    about: 'DNS name that lookups are redirected to by CNAME; only with type ExternalName.',
  }),
  externalTrafficPolicy: field(11, string, {
    goType: 'ServiceExternalTrafficPolicy',
    enum: ['Cluster', 'Local'],
    about:
      'Cluster (default) spreads outside traffic over all pods, Local keeps it on the node and preserves client addresses.',
  }),
  healthCheckNodePort: field(12, int32, {
    about:
      'Node port for load balancer health checks; only for LoadBalancer with externalTrafficPolicy Local, assigned if left out.',
  }),
  publishNotReadyAddresses: field(13, bool, {
    about: 'If true, pods that are not ready are also published in DNS and endpoints; false by default.',
  }),
  sessionAffinityConfig: field(14, sessionAffinityConfig, {
    pointer: true,
    about: 'Settings for session affinity, such as its timeout.',
  }),
  ipFamilies: field(19, listOf(string), {
    goType: '[]IPFamily',
    enum: ['', 'IPv4', 'IPv6'],
    listType: 'atomic',
    about: 'IP families of the service in order, IPv4 and IPv6; chosen by the cluster if left out.',
  }),
  ipFamilyPolicy: field(17, string, {
    goType: 'IPFamilyPolicy',
    pointer: true,
    enum: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
    about: 'SingleStack (default), PreferDualStack, or RequireDualStack, which fails on single-stack clusters.',
  }),
  allocateLoadBalancerNodePorts: field(20, bool, {
    pointer: true,
    about: 'Whether a LoadBalancer service also gets node ports; true by default.',
  }),
  loadBalancerClass: field(21, string, {
    pointer: true,
    about: 'Load balancer implementation to use, such as example.com/internal; fixed once set.',
  }),
  internalTrafficPolicy: field(22, string, {
    goType: 'ServiceInternalTrafficPolicy',
    pointer: true,
    enum: ['Cluster', 'Local'],
    about: 'Cluster (default) uses all endpoints for inside traffic, Local only those on the same node.',
  }),
  trafficDistribution: field(23, string, {
    pointer: true,
    about: 'Preferred endpoints for traffic: PreferSameZone, PreferSameNode, or the older PreferClose.',
  }),
}));

const serviceStatus = struct(home, 'ServiceStatus', 'What is currently known about a service.', () => ({
  loadBalancer: field(1, loadBalancerStatus, {
    always: true,
    about: 'Addresses of the load balancer, if there is one.',
  }),
  conditions: field(2, listOf(condition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Named checks on the state of the service.',
  }),
}));

export const serviceType = struct(
  home,
  'Service',
  'A stable name and address for a set of pods or for an external host.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, serviceSpec, {
      always: true,
      about: 'The wanted ports, pod selection and way of exposing the service.',
    }),
    status: field(3, serviceStatus, {
      always: true,
      about: 'State reported by the system, such as load balancer addresses; not for users to write.',
    }),
  }),
);

export type Service = ApiObject & Infer<typeof serviceType>;
