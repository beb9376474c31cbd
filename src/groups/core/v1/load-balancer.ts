// Types of load balancer: LoadBalancerStatus, LoadBalancerIngress, PortStatus.

import { field, int32, listOf, string, struct } from '../../../schema/types.ts';

const home = 'core/v1';

export const portStatus = struct(home, 'PortStatus', 'State of one port on a load balancer.', {
  port: field(1, int32, { always: true, required: true, about: 'Number of the service port.' }),
  protocol: field(2, string, {
    always: true,
    required: true,
    enum: ['SCTP', 'TCP', 'UDP'],
    about: 'Transport protocol of the port: TCP, UDP or SCTP.',
  }),
  error: field(3, string, { pointer: true, about: 'CamelCase code of a problem with the port; empty if it works.' }),
});

export const loadBalancerIngress = struct(home, 'LoadBalancerIngress', 'One address of a load balancer.', {
  ip: field(1, string, { about: 'IP address of the load balancer, if it has one.' }),
  hostname: field(2, string, { about: 'DNS name of the load balancer, if it has one.' }),
  ipMode: field(3, string, {
    pointer: true,
    about: 'VIP (default) if packets arrive with the balancer address, Proxy if sent to a node or pod address.',
  }),
  ports: field(4, listOf(portStatus), {
    listType: 'atomic',
    about: 'State of each service port on the load balancer.',
  }),
});

export const loadBalancerStatus = struct(home, 'LoadBalancerStatus', 'State of a load balancer.', {
  ingress: field(1, listOf(loadBalancerIngress), {
    listType: 'atomic',
    about: 'Addresses at which the load balancer accepts traffic.',
  }),
});
