// What passes to a running pod: logs, commands, forwarded ports, and requests to what it serves.

import type { Backend } from '../../../meta/backend.ts';
import { forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import { type Query, queryFlag, queryInteger } from '../../../meta/query.ts';
import { badRequest, type FieldError, invalid, notFound } from '../../../meta/status.ts';
import type { ConnectCall, ConnectSubresource, QueryParameter } from '../../../schema/resource.ts';
import { portNumber, refuseOwnAddress, splitName } from './connect-names.ts';
import { agentOf, proxiedPath, proxyVerbs } from './node-connect.ts';
import type { Pod } from './pod.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };
const options = (kind: string) => ({ group: '', version: 'v1', kind });

async function podOf({ ref, objects }: ConnectCall, name = ref.name): Promise<Pod> {
  const found = name.includes('/') ? undefined : await objects.get(pods, { ...ref, name });
  if (found === undefined) throw notFound({ ...pods, name });
  return found as Pod;
}

/** The container that is meant: the one that was named, or the only one there is. */
export function containerOf({ metadata, spec = {} }: Pod, wanted: string): string {
  const { name: podName = '' } = metadata;
  const names = (list: readonly { readonly name?: string }[] = []) => list.map(({ name = '' }) => name);
  const main = names(spec.containers);
  const init = names(spec.initContainers);
  if (wanted !== '') {
    if ([...main, ...init, ...names(spec.ephemeralContainers)].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${podName}`);
  }
  const [only, ...others] = main;
  if (only !== undefined && others.length === 0) return only;
  const or = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${main.join(' ')}]${or}`);
}

/** A path on the node's agent, for one container or for the pod. */
function pathOf(what: string, { metadata }: Pod, container: string | undefined, parameters: URLSearchParams): string {
  const parts = [what, metadata.namespace ?? '', metadata.name ?? '', ...(container === undefined ? [] : [container])];
  const query = parameters.toString();
  return `/${parts.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

const log: ConnectSubresource = {
  is: 'connect',
  name: 'log',
  verbs: ['get'],
  shows: { group: '', version: 'v1', kind: 'Pod' },
  parameters: [
    { name: 'container', type: 'string', about: 'Name of the container; needed where there are several.' },
    { name: 'follow', type: 'boolean', about: 'Goes on with what is written later.' },
    { name: 'insecureSkipTLSVerifyBackend', type: 'boolean', about: 'Does not look at the certificate of the node.' },
    { name: 'limitBytes', type: 'integer', about: 'Most bytes to send.' },
    { name: 'previous', type: 'boolean', about: 'Of the container before its last restart.' },
    { name: 'sinceSeconds', type: 'integer', about: 'Only what is not older than this.' },
    { name: 'sinceTime', type: 'string', about: 'Only what was written after this time.' },
    { name: 'tailLines', type: 'integer', about: 'Most lines to send, counted from the end.' },
    { name: 'timestamps', type: 'boolean', about: 'Begins each line with its time.' },
  ],
  async locate(call) {
    const parameters = logParameters(call.query);
    const pod = await podOf(call);
    const container = containerOf(pod, call.query.get('container') ?? '');
    const nodeName = pod.spec?.nodeName ?? '';
    // nobody runs it yet: there is nothing to read
    if (nodeName === '') return undefined;
    const place = await agentOf(nodeName, call.objects);
    return { ...place, path: pathOf('containerLogs', pod, container, parameters), mode: 'fetch' };
  },
};

/** What a client may ask of logs, in the agent's own terms. */
function logParameters(query: Query): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const flag of ['follow', 'previous', 'timestamps']) {
    if (queryFlag(query, flag)) parameters.set(flag, 'true');
  }
  const errors: FieldError[] = [];
  for (const [name, least, detail] of numbers) {
    const value = queryInteger(query, name);
    if (value === undefined) continue;
    if (value < least) errors.push(invalidValue(name, value, detail));
    parameters.set(name, String(value));
  }
  const since = query.get('sinceTime');
  if (since) {
    parameters.set('sinceTime', since);
    if (query.has('sinceSeconds'))
      errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  }
  if (errors.length > 0) throw invalid({ ...options('PodLogOptions'), name: '' }, errors);
  return parameters;
}

const numbers: readonly [string, number, string][] = [
  ['sinceSeconds', 1, 'must be greater than 0'],
  ['tailLines', 0, 'must be greater than or equal to 0'],
  ['limitBytes', 1, 'must be greater than 0'],
];

const streams = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

const command: QueryParameter = {
  name: 'command',
  type: 'string',
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
  return { ...(await agentOf(nodeName, call.objects)), path, mode: 'upgrade' };
}

const portForward: ConnectSubresource = {
  is: 'connect',
  name: 'portforward',
  verbs: ['create', 'get'],
  shows: options('PodPortForwardOptions'),
  parameters: [{ name: 'ports', type: 'integer', about: 'The ports to forward.' }],
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
