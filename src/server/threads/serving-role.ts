// What makes a server one thread of several: it serves, and leaves everything that must happen once to the main thread.

import type { AuditBackend } from '../../audit/backend.ts';
import type { LogSettings } from '../../base/log-levels.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { SharedCounts } from '../../base/shared-counts.ts';
import type { OpenWatches } from '../../handlers/watch/open-watches.ts';
import type { Lane } from '../../pipeline/lane.ts';
import type { PassedConnections } from '../../transport/http/listening-sockets.ts';
import type { RemoteRecords } from '../recorded-requests.ts';

/** The metrics page of the whole server. */
export interface MetricPage {
  render(): Promise<string>;
  reset(): MaybePromise<void>;
}

export interface ServingRole {
  /** How many threads there may be, the main thread included. */
  readonly threads: number;
  /** Where the store is followed: called before each request. */
  readonly catchUp: (() => void) | undefined;
  /** Requests under way in all threads. */
  readonly inFlight: SharedCounts;
  /** Sessions of the web console, where that is on. */
  readonly sessionMemory: SharedArrayBuffer | undefined;
  readonly metrics: MetricPage;
  /** The open watches of all threads. */
  watches(): Promise<OpenWatches>;
  /** Takes the events of this thread to where the main thread records them. */
  readonly audit: AuditBackend;
  /** Connections of the main thread, or where to bind a socket more; undefined where other threads receive requests. */
  readonly socket: PassedConnections | { readonly host: string; readonly port: number } | undefined;
  /** Records of requests, which the main thread has of all threads. */
  readonly requests: RemoteRecords;
  /** Serves large requests; undefined where this thread serves all. */
  readonly lane: Lane | undefined;
  /** Why not all threads serve; undefined when they do. */
  threadProblem(): Promise<string | undefined>;
  /** A client has changed what is logged. */
  onLogChange(settings: LogSettings): void;
}
