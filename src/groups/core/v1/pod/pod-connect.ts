// What passes to a running pod: commands, forwarded ports, and requests to what it serves.

import type { Backend } from '../../../../meta/backend.ts';
import { queryFlag } from '../../../../meta/query.ts';
import { badRequest } from '../../../../meta/status.ts';
import type { ConnectCall, ConnectSubresource, QueryParameter } from '../../../../schema/subresource.ts';
import { portNumber, refuseOwnAddress, splitName } from '../connect-names.ts';
import { agentOfPod, proxiedPath, proxyVerbs } from '../node/node-connect.ts';
import { containerOf, pathOf, podOf } from './pod-backend.ts';
import { log } from './pod-log.ts';
import type { Pod } from './pod-type.ts';

const options = (kind: string) => ({ group: '', version: 'v1', kind });

const streams = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

const command: QueryParameter = {
  name: 'command',
  type: 'string',
  repeats: true,
  about: 'The command; its arguments are further parameters of this name.',
};

const streamParameters: readonly QueryParameter[] = [
  { name: 'container', type: 'string', about: 'Name of the container; needed where there are several.' },
  { name: 'stderr', type: 'boolean', about: 'Whether to receive what it writes to standard error.' },
  { name: 'stdin', type: 'boolean', about: 'Whether to send to its standard input.' },
  { name: 'stdout', type: 'boolean', about: 'Whether to receive what it writes to standard output.' },
  { name: 'tty', type: 'boolean', about: 'Whether it gets a terminal.' },
];

function streamOf(name: 'exec' | 'attach', kind: string): ConnectSubresource {
  return {
    is: 'connect',
    name,
    verbs: ['create', 'get'],
    shows: options(kind),
    parameters: [...(name === 'exec' ? [command] : []), ...streamParameters],
    alsoNeeds: 'create',
    async locate(call) {
      const pod = await podOf(call);
      const container = containerOf(pod, call.query.get('container') ?? '');
      const parameters = new URLSearchParams();
      for (const [flag, parameter] of Object.entries(streams))
        if (queryFlag(call.query, flag)) parameters.set(parameter, '1');
      if (name === 'exec') for (const part of call.query.getAll('command')) parameters.append('command', part);
      return onNode(call, pod, pathOf(name, pod, container, parameters));
    },
  };
}

async function onNode(call: ConnectCall, pod: Pod, path: string): Promise<Backend> {
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  return { ...(await agentOfPod(nodeName, call)), path, mode: 'upgrade' };
}

const portForward: ConnectSubresource = {
  is: 'connect',
  name: 'portforward',
  verbs: ['create', 'get'],
  shows: options('PodPortForwardOptions'),
  parameters: [{ name: 'ports', type: 'integer', repeats: true, about: 'The ports to forward.' }],
  alsoNeeds: 'create',
  async locate(call) {
    const pod = await podOf(call);
    const parameters = new URLSearchParams();
    const ports = call.query.getAll('ports').flatMap((text) => text.split(','));
    for (const port of ports) parameters.append('port', String(portNumber(port, 'pod') ?? ''));
    return onNode(call, pod, pathOf('portForward', pod, undefined, parameters));
  },
};

const proxy: ConnectSubresource = {
  is: 'connect',
  name: 'proxy',
  verbs: proxyVerbs,
  shows: options('PodProxyOptions'),
  parameters: [proxiedPath],
  takesPath: true,
  async locate(call) {
    const { scheme, name, port } = splitName(call.ref.name, 'pod');
    const pod = await podOf(call, name);
    const host = pod.status?.podIPs?.[0]?.ip ?? '';
    refuseOwnAddress(host);
    const first = (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports)[0]?.containerPort;
    const wanted = portNumber(port, 'pod') ?? first;
    return { scheme: scheme ?? 'http', host, port: wanted, path: call.rest, isNode: false, mode: 'relay' };
  },
};

export const podConnections = {
  attach: streamOf('attach', 'PodAttachOptions'),
  exec: streamOf('exec', 'PodExecOptions'),
  log,
  portForward,
  proxy,
};
