// Requests that another server answers: the node of a pod, the pod itself, or a node.

import { type Backend, BackendUnreachable } from '../../meta/backend.ts';
import { backendFailed, backendUnreachable, serviceUnreachable } from '../../meta/connection-errors.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiRequest, ApiResponse, BodyStream, Exchange } from '../../meta/exchange.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Query } from '../../meta/query.ts';
import { type ApiError, badRequest, methodNotAllowed } from '../../meta/status.ts';
import type { ConnectSubresource, QueryParameter } from '../../schema/subresource.ts';
import type { Call } from '../call.ts';
import { admissionRequest } from '../call-admission.ts';
import { representationOf } from '../representation.ts';
import { answerHeaders, passedHeaders } from './passed-headers.ts';

export async function connect(call: Call, sub: ConnectSubresource): Promise<ApiResponse> {
  const { exchange, services } = call;
  exchange.isConnection = sub.onlyReads !== true;
  // compat: who reads a text must take what objects are written in, too
  if (!exchange.isConnection) representationOf(call);
  await authorizeMore(call, sub);
  const rest = sub.takesPath ? restOf(exchange) : '';
  if (exchange.isConnection) await admit(call, sub, rest);
  const { dialect, clock, objects, splitsLogs, nodeAddressTypes } = services;
  const { ref } = call;
  const asked = { ref, query: exchange.query, rest: sub.takesPath ? withQuery(rest, exchange) : '' };
  const backend = await sub.locate({ dialect, clock, objects, splitsLogs, nodeAddressTypes, ...asked });
  if (rest === '' && sub.takesPath && isRead(exchange.request)) return toFolder(exchange.request);
  if (backend === undefined) return { status: 204, headers: {} };
  return ask(call, backend);
}

/** Plugins see what was asked for as an object of the kind that the subresource shows. */
async function admit(call: Call, sub: ConnectSubresource, path: string): Promise<void> {
  const { admission, dialect } = call.services;
  const asked = askedFor(sub, call.exchange.query, dialect);
  // what follows in the URL goes on to the other server, whatever a parameter of that name says
  const object = sub.takesPath ? { ...asked, path } : asked;
  const request = admissionRequest(call, { operation: 'CONNECT', object, oldObject: undefined, dryRun: false });
  await admission.mutate(request);
  await admission.validate(request);
}

/** The parameters of a connection; such an object has no metadata. */
function askedFor({ shows, parameters = [] }: ConnectSubresource, query: Query, dialect: Dialect): ApiObject {
  const apiVersion = formatApiVersion({ ...shows, group: groupName(dialect, shows.group) });
  const given = parameters.filter(({ name }) => query.has(name));
  const fields = given.map(({ name, type, repeats }) => {
    const values = query.getAll(name).map((text) => parameterValue(type, text));
    return [name, repeats ? values : values[0]] as const;
  });
  return { kind: shows.kind, apiVersion, ...Object.fromEntries(fields) } as unknown as ApiObject;
}

function parameterValue(type: QueryParameter['type'], text: string): string | number | boolean {
  switch (type) {
    case 'boolean':
      return text !== 'false' && text !== '0';
    case 'integer':
      return Number.isInteger(Number(text)) ? Number(text) : text;
    default:
      return text;
  }
}

/** Running a command is a change, whatever method a client has to use for it. */
async function authorizeMore({ exchange, services }: Call, { alsoNeeds }: ConnectSubresource): Promise<void> {
  const { user, info } = exchange;
  if (alsoNeeds === undefined || info.verb === alsoNeeds) return;
  await services.requireAccess(user, { ...info, verb: alsoNeeds });
}

const isRead = ({ method, wantsProtocol }: ApiRequest) =>
  wantsProtocol === undefined && (method === 'GET' || method === 'HEAD');

/** Relative links of a page only work below a folder. */
function toFolder({ path, rawQuery }: ApiRequest): ApiResponse {
  return { status: 301, headers: { location: `${path}/${rawQuery === '' ? '' : `?${rawQuery}`}` } };
}

/** What follows the subresource, as the client wrote it. */
function restOf({ request, info }: Exchange): string {
  const before = (info.apiPrefix === 'apis' ? 3 : 2) + (info.scope === 'namespace' ? 2 : 0) + 3;
  let rest = request.path;
  for (let i = 0; i < before; i++) rest = rest.replace(/^\/+[^/]*/, '');
  if (climbs(rest)) throw badRequest(badPath);
  return printable(rest);
}

const badPath = 'the path to proxy to is not valid';

function printable(text: string): string {
  if (/[^\x21-\x7e]/.test(text)) throw badRequest(badPath);
  return text;
}

/**
 * Two dots between separators, in any spelling and however often encoded: the other server must see the path that was
 * authorized here. Separators may stay encoded, they are part of many a name.
 */
function climbs(path: string): boolean {
  const once = path.replace(/%(?:25)+/g, '%');
  const plain = once.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\').replace(/%3b/gi, ';');
  return /(?:^|[/\\])\.\.(?:$|[/\\;])/.test(plain);
}

const withQuery = (rest: string, { request }: Exchange) =>
  `${rest === '' ? '/' : rest}${request.rawQuery === '' ? '' : `?${printable(request.rawQuery)}`}`;

async function ask(call: Call, backend: Backend): Promise<ApiResponse> {
  const { request } = call.exchange;
  const upgrade = backend.mode === 'fetch' ? undefined : request.wantsProtocol;
  if (backend.mode === 'upgrade' && upgrade === undefined) throw badRequest('Upgrade request required');
  const asked = {
    method: request.method,
    headers: backend.mode === 'fetch' ? {} : headersFor(call, upgrade !== undefined),
    body: isRead(request) || backend.mode === 'fetch' ? undefined : bodyOf(call),
    upgrade,
  };
  try {
    const answer = await call.services.backends.ask(backend, asked);
    const passed = backend.mode === 'fetch' ? await fetched(call, answer) : relayed(call, answer);
    return call.services.connections.counted(call.exchange.info, passed);
  } catch (error) {
    throw error instanceof BackendUnreachable ? unreachable(error, backend) : error;
  }
}

/** A read goes on without a body, and must not announce one. */
function headersFor({ exchange: { request }, services }: Call, upgrades: boolean): Record<string, string> {
  const headers = passedHeaders(request.headers(), upgrades, services.identityHeaders);
  if (isRead(request) || upgrades) delete headers['content-length'];
  return headers;
}

function bodyOf({ exchange, services }: Call): AsyncIterable<Uint8Array> | undefined {
  const { request } = exchange;
  return request.bodyChunks?.() ?? oneChunk(request.readBody(services.maxBodyBytes));
}

async function* oneChunk(body: Promise<Uint8Array>): AsyncIterable<Uint8Array> {
  yield await body;
}

function unreachable({ message }: BackendUnreachable, { mode }: Backend): ApiError {
  return mode === 'relay' ? serviceUnreachable(message) : backendUnreachable(message);
}

/** The other server's answer, on its way to the client; places it points to are seen through this server. */
function relayed({ exchange }: Call, answer: ApiResponse): ApiResponse {
  const { path } = exchange.request;
  const prefix = path.slice(0, path.length - restOf(exchange).length);
  return { ...answer, headers: answerHeaders(answer.headers, prefix, answer.tunnel !== undefined) };
}

/** How much of another server's complaint is repeated. */
const maxComplaint = 50_000;

/** Text for the client, or a failure in the words of this server. */
async function fetched({ ref, exchange }: Call, { status, body }: ApiResponse): Promise<ApiResponse> {
  if (status === 200)
    return { status, headers: { 'content-type': 'text/plain' }, ...(body === undefined ? {} : { body }) };
  const complaint = (await textOf(body)).trim();
  if (status === 400) throw badRequest(complaint);
  if (status === 405) throw methodNotAllowed();
  const { resource, verb } = exchange.info;
  throw backendFailed({ status, complaint, verb, resource, name: ref.name });
}

async function textOf(body: ApiResponse['body']): Promise<string> {
  if (typeof body !== 'function') return Buffer.from(body ?? '').toString();
  let text = '';
  let enough: (() => void) | undefined;
  await (body as BodyStream)({
    write(chunk) {
      text += Buffer.from(chunk).toString();
      if (text.length > maxComplaint) enough?.();
      return true;
    },
    drained: () => Promise.resolve(),
    isGone: false,
    onStop(stop) {
      enough = stop;
    },
    end: () => undefined,
    cut: () => undefined,
  });
  return text.slice(0, maxComplaint);
}
