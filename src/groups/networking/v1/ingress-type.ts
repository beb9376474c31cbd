// Type of Ingress: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, listOf, string, struct, within } from '../../../schema/types.ts';
import { typedLocalObjectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'networking/v1';

const serviceBackendPort = struct(
  home,
  'ServiceBackendPort',
  'Picks a Service port; set exactly one of name or number.',
  () => ({
    name: field(1, string, { about: 'Name of the port as given in the Service.' }),
    number: field(2, int32, { about: 'Port number as given in the Service, such as 80.' }),
  }),
  { mapType: 'atomic' },
);

const ingressServiceBackend = struct(
  home,
  'IngressServiceBackend',
  'A Service port that receives ingress traffic.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: "Name of a Service in the Ingress's own namespace.",
    }),
    port: field(2, serviceBackendPort, { always: true, about: 'Which port of the Service to use, by name or number.' }),
  }),
);

export const ingressBackend = struct(
  home,
  'IngressBackend',
  'Destination of ingress traffic; set either service or resource.',
  () => ({
    service: field(4, ingressServiceBackend, {
      pointer: true,
      about: "A Service in the Ingress's namespace that receives the traffic.",
    }),
    resource: field(3, typedLocalObjectReference, {
      pointer: true,
      about: 'Another object in the same namespace, for instance a storage bucket, that serves the requests.',
    }),
  }),
);

export const ingressTLS = struct(home, 'IngressTLS', 'One certificate and the hosts that use it.', () => ({
  hosts: field(1, listOf(string), {
    listType: 'atomic',
    about: 'Host names the certificate is valid for; they should appear in its subject names.',
  }),
  secretName: field(2, string, { about: 'Secret in the same namespace holding the TLS certificate and key.' }),
}));

export const httpIngressPath = struct(home, 'HTTPIngressPath', 'Sends requests for one URL path to a backend.', () => ({
  path: field(1, string, { about: 'URL path to match, starting with "/"; required when pathType is Exact or Prefix.' }),
  pathType: field(3, string, {
    goType: 'PathType',
    pointer: true,
    always: true,
    required: true,
    enum: ['Exact', 'ImplementationSpecific', 'Prefix'],
    about: 'How to compare: Exact for the whole path, Prefix by path element, or ImplementationSpecific.',
  }),
  backend: field(2, ingressBackend, { always: true, required: true, about: 'Where matching requests are sent.' }),
}));

const httpIngressRuleValue = struct(home, 'HTTPIngressRuleValue', 'The path list of one HTTP rule.', () => ({
  paths: field(1, listOf(httpIngressPath), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'Paths and their backends; at least one entry is needed.',
  }),
}));

const ingressRuleValueFields = {
  http: field(1, httpIngressRuleValue, {
    pointer: true,
    about: 'Paths for HTTP traffic; without it all traffic of the host goes to the default backend.',
  }),
};

export const ingressRule = struct(home, 'IngressRule', 'Paths to serve for one host name.', () => ({
  host: field(1, string, {
    about: 'Full host name or one-level wildcard like "*.example.com"; empty matches every host. No IPs or ports.',
  }),
  ...within(2, 'IngressRuleValue', ingressRuleValueFields),
}));

const ingressSpec = struct(home, 'IngressSpec', 'Desired configuration of an Ingress.', () => ({
  ingressClassName: field(4, string, {
    pointer: true,
    about: 'Name of the IngressClass that should handle this Ingress; unset uses the default class, if any.',
  }),
  defaultBackend: field(1, ingressBackend, {
    pointer: true,
    about: 'Gets requests that match no rule; needed when there are no rules.',
  }),
  tls: field(2, listOf(ingressTLS), {
    listType: 'atomic',
    about: 'Certificates and the hosts they serve, chosen by SNI on port 443.',
  }),
  rules: field(3, listOf(ingressRule), {
    listType: 'atomic',
    about: 'Host rules that route requests; without any, everything goes to defaultBackend.',
  }),
}));

const ingressPortStatus = struct(home, 'IngressPortStatus', 'State of one port at the load balancer.', () => ({
  port: field(1, int32, { always: true, required: true, about: 'Number of the port being reported.' }),
  protocol: field(2, string, {
    goType: 'v1.Protocol',
    always: true,
    required: true,
    enum: ['SCTP', 'TCP', 'UDP'],
    about: 'Protocol of the port: TCP, UDP or SCTP.',
  }),
  error: field(3, string, {
    pointer: true,
    about: 'Short CamelCase problem code for this port; vendor codes carry a domain prefix.',
  }),
}));

const ingressLoadBalancerIngress = struct(
  home,
  'IngressLoadBalancerIngress',
  'One entry point through which an Ingress can be reached.',
  () => ({
    ip: field(1, string, { about: 'IP address of this entry point, if it has one.' }),
    hostname: field(2, string, { about: 'DNS name of this entry point, if it has one.' }),
    ports: field(4, listOf(ingressPortStatus), {
      listType: 'atomic',
      about: 'Ports opened by the load balancer at this point.',
    }),
  }),
);

const ingressLoadBalancerStatus = struct(
  home,
  'IngressLoadBalancerStatus',
  'Entry points that a load balancer offers for an Ingress.',
  () => ({
    ingress: field(1, listOf(ingressLoadBalancerIngress), {
      listType: 'atomic',
      about: 'List of addresses where traffic is accepted.',
    }),
  }),
);

export const ingressStatus = struct(home, 'IngressStatus', 'Observed state of an Ingress.', () => ({
  loadBalancer: field(1, ingressLoadBalancerStatus, {
    always: true,
    about: 'Where the Ingress can be reached from outside.',
  }),
}));

export const ingressType = struct(
  home,
  'Ingress',
  'Routes outside HTTP and HTTPS traffic to Services by host and path.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, ingressSpec, { always: true, about: 'The routing rules and TLS settings you want.' }),
    status: field(3, ingressStatus, {
      always: true,
      about: 'Addresses reported by the ingress controller; read-only for users.',
    }),
  }),
);

export type Ingress = ApiObject & Infer<typeof ingressType>;
