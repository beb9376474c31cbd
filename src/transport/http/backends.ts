// Speaking to other servers: one connection a request, no redirect followed, no address that was not checked.

import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Backend, BackendRequest, Backends, OwnServers } from '../../meta/backend.ts';
import type { ApiResponse, BodyStream } from '../../meta/exchange.ts';
import { connectTo, defaultPorts, type NodeTrust, patienceMs, unreachable } from './backend-socket.ts';
import { flatHeaders } from './flat-headers.ts';
import { tunnelTo } from './tunnel.ts';

export function openBackends(trust: NodeTrust, own: OwnServers): Backends {
  return {
    async ask(backend, request) {
      return exchange(backend, request, await connectTo(backend, trust, own));
    },
  };
}

function exchange(backend: Backend, request: BackendRequest, socket: Socket): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = open(backend, request, socket);
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('response', (incoming) => {
      outgoing.setTimeout(0);
      resolve(answerOf(incoming));
    });
    outgoing.on('upgrade', (incoming: IncomingMessage, upgraded: Duplex, early: Buffer) => {
      outgoing.setTimeout(0);
      const { statusCode = 101, headers } = incoming;
      resolve({ status: statusCode, headers: flatHeaders(headers), tunnel: tunnelTo(upgraded, early) });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => reject(unreachable(error)));
    send(outgoing, request);
  });
}

function open({ scheme, host, port, path }: Backend, request: BackendRequest, socket: Socket): ClientRequest {
  const { method, headers } = request;
  const options = {
    host,
    ...(port === undefined ? {} : { port }),
    defaultPort: defaultPorts[scheme],
    path,
    method,
    headers,
    createConnection: () => socket,
  } as const;
  try {
    return scheme === 'http' ? plainRequest(options) : secureRequest(options);
  } catch (error) {
    socket.destroy();
    throw unreachable(error as NodeJS.ErrnoException);
  }
}

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
