// Connections of HTTP/2 to one server: another one is opened where all that are open have as many streams as they may.

import type { TLSSocket } from 'node:tls';
import type { BackendAnswer, BackendRequest } from './backend-call.ts';
import type { Ending } from './ending.ts';
import { Http2Connection } from './http2/http2-connection.ts';

/** After this time without data an idle connection is closed, and one with requests receives a ping. */
const quietMs = 30_000;
const pingMs = 15_000;

export class Http2Sessions {
  readonly #open = new Set<Http2Connection>();

  get size(): number {
    return this.#open.size;
  }

  add(socket: TLSSocket): void {
    const connection = new Http2Connection(socket, { onUnusable: () => this.#open.delete(connection) });
    this.#open.add(connection);
    socket.setNoDelay(true);
    socket.setTimeout(quietMs, () => onQuiet(connection));
    // a connection that is merely kept does not keep the process
    socket.unref();
  }

  /** Undefined where the request needs a further connection. */
  ask(request: BackendRequest, ending: Ending): Promise<BackendAnswer> | undefined {
    for (const connection of this.#open) if (connection.hasRoom) return connection.ask(request, ending);
    return undefined;
  }

  /** Requests under way may finish. */
  retire(): void {
    for (const connection of [...this.#open]) connection.retire();
  }
}

function onQuiet(connection: Http2Connection): void {
  if (connection.calls === 0) {
    connection.retire();
    return;
  }
  const timer = setTimeout(() => connection.destroy(), pingMs).unref();
  connection.ping(() => clearTimeout(timer));
}
