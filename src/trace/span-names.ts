// Names and attributes of spans, as kube-apiserver has them.

import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { SpanAttributes } from '../meta/request-notes.ts';

/** Stages of the pipeline that have a span of their own; those without one take no time. */
const stageNames: ReadonlyMap<string, string> = new Map([
  ['authenticate', 'authentication'],
  ['audit', 'audit'],
  ['impersonate', 'constrainedimpersonation'],
  ['limit', 'priorityandfairness'],
  ['authorize', 'authorization'],
]);

/** The span of a request for a resource, below the span of the request. */
const verbNames: ReadonlyMap<string, string> = new Map([
  ['get', 'Get'],
  ['list', 'List'],
  ['watch', 'WatchServer.HandleHTTP'],
  ['create', 'Create'],
  ['update', 'Update'],
  ['patch', 'Patch'],
  ['delete', 'Delete'],
  ['deletecollection', 'Delete'],
]);

const maxTextLength = 256;
const shortened = (text: string) => (text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`);

/** The method and the route, in which names and namespaces are placeholders. */
export function requestSpanName({ request: { method }, info }: Exchange): string {
  if (info === undefined || !info.isResource) return method;
  const { apiPrefix, group, version, namespace, resource, name, subresource } = info;
  const parts = [
    ...[apiPrefix, group, version, ...(namespace === '' ? [] : ['namespaces', '{:namespace}']), resource],
    ...[name === '' ? '' : '{:name}', subresource],
  ];
  return `${method} /${shortened(parts.filter((part) => part !== '').join('/'))}`;
}

/** Undefined for stages without a span. */
export function stageSpanName(stage: string, info: RequestInfo): string | undefined {
  if (stage === 'serve') return info.isResource ? (verbNames.get(info.verb) ?? info.verb) : 'Serve';
  return stageNames.get(stage);
}

/** Attributes of the span of a verb. */
export function verbAttributes({ request, info, id }: Exchange): SpanAttributes {
  return {
    accept: shortened(request.header('accept') ?? ''),
    'audit-id': id,
    client: request.peer.address,
    'api-group': info.group,
    'api-version': info.version,
    name: info.name,
    subresource: info.subresource,
    namespace: info.namespace,
    resource: info.resource,
    scope: info.name !== '' ? 'resource' : info.namespace === '' ? 'cluster' : 'namespace',
    url: shortened(info.path),
    'user-agent': userAgentOf(request),
    verb: info.verb,
  };
}

/** Attributes of the span of a request. The query is left out: it may hold what only the server should know. */
export function requestAttributes({ request, id }: Exchange, { status, body }: ApiResponse): SpanAttributes {
  const { method, path, peer } = request;
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(shortened(request.header('host') ?? '')) ?? [];
  const userAgent = userAgentOf(request);
  return {
    'http.request.method': method,
    'url.scheme': 'https',
    'url.path': shortened(path),
    'http.target': shortened(path),
    'server.address': host,
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
    'network.peer.address': peer.address,
    'client.address': peer.address,
    ...(userAgent === '' ? {} : { 'user_agent.original': userAgent }),
    'audit-id': id,
    'http.response.status_code': status,
    ...(body === undefined || typeof body === 'function' ? {} : { 'http.response.body.size': body.length }),
  };
}

export const userAgentOf = (request: ApiRequest): string => shortened(request.header('user-agent') ?? '');
