// Requests that another server answers: the node of a pod, the pod itself, or a node.

import { type Backend, BackendUnreachable } from '../../meta/backend.ts';
import type { ApiRequest, ApiResponse, BodyStream, Exchange } from '../../meta/exchange.ts';
import { ApiError, badRequest, methodNotAllowed, serviceUnavailable } from '../../meta/status.ts';
import type { ConnectSubresource } from '../../schema/resource.ts';
import type { Call } from '../call.ts';
import { admissionRequest } from '../call-admission.ts';
import { answerHeaders, passedHeaders } from './passed-headers.ts';

export async function connect(call: Call, sub: ConnectSubresource): Promise<ApiResponse> {
  const { exchange, services } = call;
  exchange.isConnection = sub.onlyReads !== true;
  await authorizeMore(call, sub);
  if (exchange.isConnection) await services.admission.mutate(admissionRequest(call, connectInput));
  const rest = sub.takesPath ? restOf(exchange) : '';
  if (rest === '' && sub.takesPath && isRead(exchange.request)) return toFolder(exchange.request);
  const { dialect, clock, objects, splitsLogs } = services;
  const { ref } = call;
  const asked = { ref, query: exchange.query, rest: sub.takesPath ? withQuery(rest, exchange) : '' };
  const backend = await sub.locate({ dialect, clock, objects, splitsLogs, ...asked });
  if (backend === undefined) return { status: 200, headers: { 'content-type': 'text/plain' }, body: '' };
  return ask(call, backend);
}

const connectInput = { operation: 'CONNECT', object: undefined, oldObject: undefined, dryRun: false } as const;

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
  if (mode === 'relay') return serviceUnavailable(`error trying to reach service: ${message}`);
  const told = `Internal error occurred: error dialing backend: ${message}`;
  return new ApiError({ code: 500, reason: 'InternalError', message: told, details: { causes: [{ message }] } });
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
  const what = `an error on the server (${JSON.stringify(complaint)}) has prevented the request from succeeding (${verb} ${resource} ${ref.name})`;
  const code = status >= 400 && status < 600 ? status : 500;
  const reason = code === 404 ? 'NotFound' : 'InternalError';
  throw new ApiError({ code, reason, message: what, details: { name: ref.name, kind: resource } });
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
