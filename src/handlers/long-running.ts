// Requests that go on for long: open watches, and connections to other servers.

import type { ApiResponse, BodyStream, Tunnel } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Registry } from '../registry/registry.ts';
import { openSharedWatches, type WatchEnd } from './watch/shared-watch.ts';

type Connection = Pick<RequestInfo, 'group' | 'version' | 'resource' | 'subresource'>;

/** Some requests of the same sort that go on right now. */
export interface LongRunning extends Connection {
  readonly verb: 'WATCH' | 'CONNECT';
  readonly scope: 'resource' | 'namespace' | 'cluster';
  readonly count: number;
}

/** Connections to other servers that are open. */
export class OpenConnections {
  readonly #open = new Map<string, { readonly connection: Connection; count: number }>();

  get all(): readonly LongRunning[] {
    const of = [...this.#open.values()];
    return of.map(({ connection, count }) => ({ ...connection, verb: 'CONNECT', scope: 'resource', count }));
  }

  /** The answer, counted for as long as it is being sent. */
  counted({ group, version, resource, subresource }: RequestInfo, answer: ApiResponse): ApiResponse {
    const connection = { group, version, resource, subresource };
    const { body, tunnel } = answer;
    if (tunnel !== undefined) return { ...answer, tunnel: this.#tunnel(connection, tunnel) };
    return typeof body === 'function' ? { ...answer, body: this.#body(connection, body) } : answer;
  }

  #tunnel(connection: Connection, tunnel: Tunnel): Tunnel {
    return (client, early) => {
      // who is gone already says so no more
      if (!client.closed) client.once('close', this.#enter(connection));
      tunnel(client, early);
    };
  }

  #body(connection: Connection, body: BodyStream): BodyStream {
    return async (sink) => {
      const leave = this.#enter(connection);
      try {
        await body(sink);
      } finally {
        leave();
      }
    };
  }

  #enter(connection: Connection): () => void {
    const key = JSON.stringify(connection);
    const open = this.#open.get(key) ?? { connection, count: 0 };
    this.#open.set(key, open);
    open.count++;
    return () => {
      open.count--;
    };
  }
}

/** The watches of a resource, by what they are of. */
export function openWatches(registry: Registry): readonly LongRunning[] {
  return openSharedWatches(registry).map(({ definition, selection, users }) => {
    const { group, version, plural } = definition;
    const isOne = selection.fields.some(({ field, operator }) => field === 'metadata.name' && operator === '=');
    const scope = isOne ? 'resource' : selection.namespace === '' ? 'cluster' : 'namespace';
    return { verb: 'WATCH', group, version, resource: plural, subresource: '', scope, count: users };
  });
}

/** Ends the watches of a resource; what happens later is for those that begin again. */
export function endWatches(registry: Registry, reason: WatchEnd): void {
  for (const watch of openSharedWatches(registry)) watch.end(reason);
}
