// The sockets that a server listens on: bound by it, or listening already when it starts. Connections of all of them are one server's.

import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';

/** Connections that another thread accepts for this one. */
export interface PassedConnections {
  readonly host: string;
  readonly ports: readonly number[];
  /** Calls `serve` with the handle of each connection. Resolves when they can come. */
  begin(serve: (handle: object) => Socket): Promise<void>;
}

/** Passes a connection on to another thread; false where this one serves it. */
export type PassConnection = (socket: Socket) => boolean;

/** A descriptor that this process was started with. */
export interface PassedSocket {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
}

interface BoundSocket {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Whether other threads may bind the port as well. */
  readonly reusePort?: boolean;
}

/** Connections that wait to be accepted, as far as the system allows: during a restart there may be many. */
const backlog = 4096;

/** Makes `server` and further ones, whose connections it serves too, listen. With `pass` it listens itself on none of them. */
export async function listenOn(
  server: Server,
  sockets: readonly (PassedSocket | BoundSocket)[],
  pass: PassConnection | undefined,
): Promise<readonly Server[]> {
  const servers = sockets.map((_, at) => (at === 0 && pass === undefined ? server : forwardingTo(server, pass)));
  const results = await Promise.allSettled(servers.map((one, at) => listen(one, sockets[at] as PassedSocket)));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure === undefined) return servers;
  for (const one of servers) if (one.listening) one.close();
  throw failure.reason;
}

function forwardingTo(server: Server, pass: PassConnection | undefined): Server {
  // nothing may be read from connections that are passed on
  const forwarding = createServer({ noDelay: true, pauseOnConnect: pass !== undefined }, (socket) => {
    if (pass?.(socket) !== true) server.emit('connection', socket);
  });
  forwarding.maxConnections = server.maxConnections;
  return forwarding;
}

async function listen(server: Server, socket: PassedSocket | BoundSocket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject('fd' in socket ? notListening(socket, error) : error));
    server.listen({ ...socket, backlog } as ListenOptions, resolve);
  });
  const address = server.address();
  if (address !== null && typeof address === 'object') return;
  server.close();
  throw notListening(socket as PassedSocket);
}

const notListening = ({ fd, name }: PassedSocket, cause?: unknown): Error =>
  new Error(`descriptor ${fd} (${name}) is not a listening TCP socket`, { cause });
