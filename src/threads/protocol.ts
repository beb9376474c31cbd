// What the main thread and a serving thread share at the start, and call each other for.

import type { MessagePort } from 'node:worker_threads';
import type { AuditEvent } from '../audit/event.ts';
import type { LogSettings } from '../base/log-levels.ts';
import type { ServerOptions } from '../config/options.ts';
import type { OpenWatches } from '../handlers/watch/open-watches.ts';
import type { MetricSnapshot } from '../metrics/metric-snapshot.ts';
import type { RingPage, RingQuery } from '../trace/request-ring.ts';

/** How a serving thread gets its connections. */
export type SocketSource =
  /** The main thread passes connections on at this path; their number is counted down in `count`. */
  | {
      readonly path: string;
      readonly count: SharedArrayBuffer;
      readonly host: string;
      readonly ports: readonly number[];
    }
  /** Bound once more: the system spreads connections. */
  | { readonly host: string; readonly port: number };

export interface ServingThreadData {
  /** Counted from 1; the main thread is 0. */
  readonly index: number;
  /** Those of the server, without what cannot be sent. */
  readonly options: ServerOptions;
  /** Undefined for the lane, which serves requests that other threads have received. */
  readonly socket: SocketSource | undefined;
  /** Requests with more bytes move to the lane; undefined where there is none. */
  readonly largeBytes: number | undefined;
  readonly calls: MessagePort;
  /** Where the embedded store is; undefined when the thread has a connection to etcd of its own. */
  readonly store:
    | { readonly folder: string; readonly board: SharedArrayBuffer; readonly port: MessagePort }
    | undefined;
  /** Requests under way in all threads. */
  readonly inFlight: { readonly rows: number; readonly memory: SharedArrayBuffer };
  /** Sessions of the web console, where that is on. */
  readonly sessionMemory: SharedArrayBuffer | undefined;
  readonly logSettings: LogSettings;
  /** Clients read requests: they are recorded from the start. */
  readonly recordsRequests: boolean;
}

export type LogLevel = 'info' | 'warn' | 'error';

/** What the main thread does for the others. */
export type MainCalls = {
  log(line: { readonly level: LogLevel; readonly fields: object; readonly message: string }): void;
  /** False where an event was lost. */
  audit(events: readonly AuditEvent[]): boolean;
  /** The metrics of all threads, as text. */
  metrics(argument: undefined): string;
  resetMetrics(argument: undefined): void;
  /** The open watches of all threads. */
  watches(argument: undefined): OpenWatches;
  setLog(settings: LogSettings): void;
  /** The newest requests of all threads. */
  readRequests(query: RingQuery): RingPage;
  /** Texts of records. */
  addRequests(records: readonly string[]): void;
  /** Why not all threads serve; undefined when they do. */
  threadProblem(argument: undefined): string | undefined;
  /** A port to the lane for large requests, which is started where it is not there. */
  connectLane(argument: undefined): MessagePort;
  /** The connection that was passed to the thread has arrived. */
  taken(argument: undefined): void;
  /** The thread serves. */
  ready(argument: undefined): void;
};

/** What a serving thread does for the main thread. */
export type ServingCalls = {
  metrics(argument: undefined): readonly MetricSnapshot[];
  /** The open watches of this thread. */
  watches(argument: undefined): OpenWatches;
  resetMetrics(argument: undefined): void;
  setLog(settings: LogSettings): void;
  /** Clients begin to read requests, or stop. */
  recordRequests(isOpen: boolean): void;
  /** Memory of JavaScript objects. */
  heapBytes(argument: undefined): number;
  /** To the lane: serves the requests that come by the port. */
  serveLane(port: MessagePort): void;
  /** How long the lane had nothing to do. */
  laneIdleMs(argument: undefined): number;
  /** Sends a share of the HTTP/2 connections off, so that their clients connect again. */
  shed(share: number): void;
  /** The server is about to stop: it is not ready any more, and goes on for now. */
  stopping(argument: undefined): void;
  /** Finishes what is under way, and ends the thread. */
  close(argument: undefined): void;
};
