// Options of the connections that clients make, resolved.

import type { ConnectionLimits } from '../transport/http/connection-limits.ts';
import type { ResolvedOptions } from './server-options.ts';

export function resolveConnections(options: ResolvedOptions): Partial<ConnectionLimits> {
  const { http2MaxStreamsPerConnection: streams, maxConnections: connections } = options;
  return streams === 0 ? { connections } : { connections, streams };
}
