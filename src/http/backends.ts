// Speaking to other servers: one connection a request, no redirect followed, no address that was not checked.

import { lookup as resolve } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Backend,
  type BackendRequest,
  type Backends,
  BackendUnreachable,
  isForeign,
  notForeign,
} from '../meta/backend.ts';
import type { ApiResponse, BodyStream, Tunnel } from '../meta/exchange.ts';
import { badRequest } from '../meta/status.ts';
import { flatHeaders } from './flat-headers.ts';

/** How this server shows itself to nodes, and whom it takes for one. */
export interface NodeTrust {
  /** Who signs the certificates of nodes; when not given, they are not checked. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly privateKey?: string;
}

/** How long another server may take until its answer begins. */
const patienceMs = 30_000;

export function openBackends(trust: NodeTrust = {}): Backends {
  return { ask: (backend, request) => ask(backend, request, trust) };
}

function ask(backend: Backend, request: BackendRequest, trust: NodeTrust): Promise<ApiResponse> {
  return new Promise((resolveAnswer, reject) => {
    const outgoing = open(backend, request, trust);
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('response', (incoming) => {
      outgoing.setTimeout(0);
      resolveAnswer(answerOf(incoming));
    });
    outgoing.on('upgrade', (incoming: IncomingMessage, socket: Duplex, early: Buffer) => {
      outgoing.setTimeout(0);
      const { statusCode = 101, headers } = incoming;
      resolveAnswer({ status: statusCode, headers: flatHeaders(headers), tunnel: tunnelTo(socket, early) });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.message === notForeign
          ? badRequest(notForeign)
          : new BackendUnreachable(wordsOf(error), { cause: error }),
      );
    });
    send(outgoing, request);
  });
}

/** What went wrong, without more of this machine's inner life than a client needs. */
const wordsOf = ({ code, message }: NodeJS.ErrnoException) => code ?? message;

function open(backend: Backend, { method, headers }: BackendRequest, trust: NodeTrust): ClientRequest {
  const { scheme, host, port, path, isNode, isTrusted = false } = backend;
  const options = {
    host,
    ...(port === undefined ? {} : { port }),
    path,
    method,
    headers,
    agent: false,
    ...(isNode ? {} : { lookup: foreignOnly }),
  } as const;
  if (scheme === 'http') return plainRequest(options);
  const { ca, certificate: cert, privateKey: key } = isNode ? trust : {};
  return secureRequest({
    ...options,
    // pods and services are strangers anyway; nodes are known by the authority that was named, if one was
    rejectUnauthorized: ca !== undefined && !isTrusted,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
}

/** The address that was checked is the one that is used. */
const foreignOnly: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: false }, (error, address, family) => {
    if (error !== null) done(error, '', 0);
    else if (!isForeign(String(address))) done(new Error(notForeign), '', 0);
    else if (options.all) done(null, [{ address: String(address), family: Number(family) }]);
    else done(null, String(address), Number(family));
  });
};

function send(outgoing: ClientRequest, { body, upgrade }: BackendRequest): void {
  if (body === undefined || upgrade !== undefined) {
    outgoing.end();
    return;
  }
  pass(body, outgoing).then(
    () => outgoing.end(),
    () => outgoing.destroy(new Error('the request was cut off')),
  );
}

async function pass(body: AsyncIterable<Uint8Array>, outgoing: ClientRequest): Promise<void> {
  for await (const chunk of body) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await new Promise<void>((go) => outgoing.once('drain', go).once('close', go));
  }
}

function answerOf(incoming: IncomingMessage): ApiResponse {
  const { statusCode = 502, headers } = incoming;
  return { status: statusCode, headers: { ...flatHeaders(headers), ...cookies(headers) }, body: streamOf(incoming) };
}

/** The one header that cannot be joined. */
const cookies = (headers: IncomingMessage['headers']) =>
  headers['set-cookie'] === undefined ? {} : { 'set-cookie': headers['set-cookie'] };

function streamOf(incoming: IncomingMessage): BodyStream {
  return async (sink) => {
    let isStopped = false;
    sink.onStop(() => {
      isStopped = true;
      incoming.destroy();
    });
    try {
      for await (const chunk of incoming) if (!sink.write(chunk as Uint8Array)) await sink.drained();
    } catch (error) {
      if (!isStopped) throw error;
    }
  };
}

/** Two connections as one: each ends when the other does. */
function tunnelTo(server: Duplex, fromServer: Buffer): Tunnel {
  return (client, fromClient) => {
    const close = () => {
      client.destroy();
      server.destroy();
    };
    for (const side of [client, server]) side.on('error', close).on('close', close);
    if (client.destroyed || server.destroyed) {
      close();
      return;
    }
    if (fromServer.length > 0) client.write(fromServer);
    if (fromClient.length > 0) server.write(fromClient);
    client.pipe(server).pipe(client);
  };
}
