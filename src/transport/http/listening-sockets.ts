// The sockets that a server listens on: bound by it, or listening already when it starts. Connections of all of them are one server's.

import { createServer, type ListenOptions, type Server } from 'node:net';

/** A socket that listens already, of another thread of this process. */
export interface SharedSocket {
  readonly _handle: object;
}

/** A descriptor that this process was started with. */
export interface PassedSocket {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
}

export type OpenSocket = SharedSocket | PassedSocket;

interface BoundSocket {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Whether other threads may bind the port as well. */
  readonly reusePort?: boolean;
}

/** Connections that wait to be accepted, as far as the system allows: during a restart there may be many. */
const backlog = 4096;

/** Makes `server` and further ones, whose connections it serves too, listen. */
export async function listenOn(
  server: Server,
  sockets: readonly (OpenSocket | BoundSocket)[],
): Promise<readonly Server[]> {
  const servers = sockets.map((_, at) => (at === 0 ? server : forwardingTo(server)));
  const results = await Promise.allSettled(servers.map((one, at) => listen(one, sockets[at] as OpenSocket)));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure === undefined) return servers;
  for (const one of servers) if (one.listening) one.close();
  throw failure.reason;
}

function forwardingTo(server: Server): Server {
  const forwarding = createServer({ noDelay: true }, (socket) => server.emit('connection', socket));
  forwarding.maxConnections = server.maxConnections;
  return forwarding;
}

async function listen(server: Server, socket: OpenSocket | BoundSocket): Promise<void> {
  const target = '_handle' in socket ? socket : { ...socket, backlog };
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject('fd' in socket ? notListening(socket, error) : error));
    server.listen(target as ListenOptions, resolve);
  });
  const address = server.address();
  if (address !== null && typeof address === 'object') return;
  server.close();
  throw notListening(socket as PassedSocket);
}

const notListening = ({ fd, name }: PassedSocket, cause?: unknown): Error =>
  new Error(`descriptor ${fd} (${name}) is not a listening TCP socket`, { cause });
