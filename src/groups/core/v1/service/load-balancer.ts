// Types of load balancer: LoadBalancerStatus, LoadBalancerIngress, PortStatus.

import { forbiddenField, invalidValue, notSupported, required } from '../../../../meta/field-errors.ts';
import { parseIp } from '../../../../meta/ip.ts';
import { checkSubdomain } from '../../../../meta/names.ts';
import { validateIp } from '../../../../meta/network-names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../../schema/types.ts';

const home = 'core/v1';

const portStatus = struct(home, 'PortStatus', 'State of one port on a load balancer.', () => ({
  port: field(1, int32, { always: true, required: true, about: 'Number of the service port.' }),
  protocol: field(2, string, {
    goType: 'Protocol',
    always: true,
    required: true,
    enum: ['SCTP', 'TCP', 'UDP'],
    about: 'Transport protocol of the port: TCP, UDP or SCTP.',
  }),
  error: field(3, string, { pointer: true, about: 'CamelCase code of a problem with the port; empty if it works.' }),
}));

const loadBalancerIngress = struct(home, 'LoadBalancerIngress', 'One address of a load balancer.', () => ({
  ip: field(1, string, { about: 'IP address of the load balancer, if it has one.' }),
  hostname: field(2, string, { about: 'DNS name of the load balancer, if it has one.' }),
  ipMode: field(3, string, {
    goType: 'LoadBalancerIPMode',
    pointer: true,
    about: 'VIP (default) if packets arrive with the balancer address, Proxy if sent to a node or pod address.',
  }),
  ports: field(4, listOf(portStatus), {
    listType: 'atomic',
    about: 'State of each service port on the load balancer.',
  }),
}));

export const loadBalancerStatus = struct(home, 'LoadBalancerStatus', 'State of a load balancer.', () => ({
  ingress: field(1, listOf(loadBalancerIngress), {
    listType: 'atomic',
    about: 'Addresses at which the load balancer accepts traffic.',
  }),
}));

/** One address as services report it: with an IP goes a mode. */
export function validateLoadBalancerIngress(
  { ip = '', hostname = '', ipMode }: Infer<typeof loadBalancerIngress>,
  at: string,
): readonly FieldError[] {
  return [...validateReach({ ip, hostname }, at), ...validateMode(ip, ipMode, `${at}.ipMode`)];
}

/** An IP, a host name or both, each well-formed. */
export function validateReach(
  { ip = '', hostname = '' }: { readonly ip?: string; readonly hostname?: string },
  at: string,
): readonly FieldError[] {
  const isIp = parseIp(hostname) !== undefined;
  return [
    ...(ip === '' ? [] : validateIp(ip, `${at}.ip`)),
    ...(hostname === '' ? [] : checkSubdomain(hostname).map((e) => invalidValue(`${at}.hostname`, hostname, e))),
    ...(isIp ? [invalidValue(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address')] : []),
  ];
}

const modes = ['Proxy', 'VIP'];

function validateMode(ip: string, mode: string | undefined, at: string): readonly FieldError[] {
  if (mode === undefined) return ip === '' ? [] : [required(at, 'must be specified when `ip` is set')];
  if (ip === '') return [forbiddenField(at, 'may not be specified when `ip` is not set')];
  return modes.includes(mode) ? [] : [notSupported(at, mode, modes)];
}
