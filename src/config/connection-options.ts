// Options of the connections that clients make, resolved.

import type { ConnectionLimits } from '../transport/http/connection-limits.ts';
import { OptionError } from './option-error.ts';

export interface ConnectionOptions {
  /** Requests that a client may have under way on one connection of HTTP/2; 100 when not given, or 0. */
  readonly http2MaxStreamsPerConnection?: number;
  /** Connections that may be open at once; 10,000 when not given. More are closed as soon as they are made. */
  readonly maxConnections?: number;
}

export function resolveConnections(options: ConnectionOptions): Partial<ConnectionLimits> {
  const { http2MaxStreamsPerConnection: streams = 0, maxConnections: connections } = options;
  checkCount('http2MaxStreamsPerConnection', streams, 0);
  if (connections !== undefined) checkCount('maxConnections', connections, 1);
  return { ...(streams === 0 ? {} : { streams }), ...(connections === undefined ? {} : { connections }) };
}

function checkCount(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least && value < 2 ** 31) return;
  throw new OptionError(`${name}: ${value} is not a whole number from ${least}`);
}
