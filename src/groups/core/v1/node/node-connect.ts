// Where nodes are reached, and what passes to them.

import { isIP } from 'node:net';
import type { Backend } from '../../../../meta/backend.ts';
import { noNodeAddress } from '../../../../meta/connection-errors.ts';
import { notFound } from '../../../../meta/status.ts';
import type { ResourceOf } from '../../../../schema/object-access.ts';
import type { ConnectCall, ConnectSubresource, QueryParameter } from '../../../../schema/subresource.ts';
import type { Verb } from '../../../../schema/verbs.ts';
import { portNumber, refuseOwnAddress, splitName } from '../connect-names.ts';
import type { Node } from './node-type.ts';

const nodes: ResourceOf<Node> = { group: '', version: 'v1', resource: 'nodes' };
const pods = { group: '', resource: 'pods' };
const agentPort = 10250;

export const proxyVerbs: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];

export const proxiedPath: QueryParameter = { name: 'path', type: 'string', about: 'Path on the other server.' };

type Place = Pick<Backend, 'scheme' | 'host' | 'port' | 'isNode'>;

type NodeLookup = Pick<ConnectCall, 'objects' | 'nodeAddressTypes'>;

/** The agent of a node that a client asks for. */
function agentOf(name: string, lookup: NodeLookup): Promise<Place> {
  return agentFor(nodes, name, lookup);
}

/** compat: the agent of the node that runs a pod; one that is not there is missed as if it were a pod */
export function agentOfPod(nodeName: string, lookup: NodeLookup): Promise<Place> {
  return agentFor(pods, nodeName, lookup);
}

async function agentFor(missed: typeof pods, name: string, { objects, nodeAddressTypes }: NodeLookup): Promise<Place> {
  const node = await objects.get(nodes, { namespace: '', name });
  if (node === undefined) throw notFound({ ...missed, name });
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port || agentPort;
  return { scheme: 'https', host: addressOf(node, nodeAddressTypes), port, isNode: true };
}

function addressOf({ status }: Node, preferredAddresses: readonly string[]): string {
  const addresses = status?.addresses ?? [];
  const found = preferredAddresses
    .map((wanted) => addresses.find(({ type, address }) => type === wanted && address)?.address)
    .find((address) => address !== undefined);
  if (found !== undefined) return found;
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw noNodeAddress(known);
}

export const nodeProxy: ConnectSubresource = {
  is: 'connect',
  name: 'proxy',
  verbs: proxyVerbs,
  shows: { group: '', version: 'v1', kind: 'NodeProxyOptions' },
  parameters: [proxiedPath],
  takesPath: true,
  async locate(call) {
    const place = await placeOf(call);
    return { ...place, path: call.rest, mode: 'relay' };
  },
};

/** The agent, or another port of the node; that one must not be a way back to this machine. */
async function placeOf(call: ConnectCall): Promise<Place> {
  const { scheme, name, port: text } = splitName(call.ref.name, 'node');
  const agent = await agentOf(name, call);
  const port = portNumber(text, 'node');
  if (port === undefined || port === agent.port) return agent;
  const { host } = agent;
  if (isIP(host) !== 0) refuseOwnAddress(host);
  return { scheme: scheme ?? 'http', host, port, isNode: false };
}
