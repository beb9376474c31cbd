// The open streams of a connection, which Node keeps in a Map: under load it made every other answered stream outlive its
// answer until the next full collection, with all that the request had made.

import type { Http2Session } from 'node:http2';
import { types } from 'node:util';
import { TransientMap } from '../base/transient-map.ts';
import { isPlainRuntime } from './plain-runtime.ts';

/** What Node keeps under a symbol of its own. */
interface SessionState {
  streams: unknown;
}

/** Of a new session. Should Node keep them in another way one day, nothing is changed. */
export function keepStreamsTransient(session: Http2Session, isPlain = isPlainRuntime): void {
  if (isPlain) return;
  const state = stateOf(session);
  if (state !== undefined && types.isMap(state.streams) && state.streams.size === 0) state.streams = new TransientMap();
}

/** Undefined where this Node has none. */
export function stateOf(session: Http2Session): SessionState | undefined {
  const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state');
  return symbol === undefined ? undefined : (session as unknown as Record<symbol, SessionState>)[symbol];
}
