// What every controller gets, and what it owes to the server that runs it.

import type { Clock } from '../base/time/clock.ts';
import type { Client } from '../client/client.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ObjectFeed, StoredResource } from './object-feed.ts';
import type { WorkOutcome, WorkQueue } from './work-queue.ts';

export interface QueueSpec {
  /** As metrics show it. */
  readonly name: string;
  readonly workers?: number;
  work(key: string): Promise<WorkOutcome>;
}

export interface ControllerContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly feed: ObjectFeed;
  readonly kinds: KindLookup;
  /** A queue whose failures are logged and whose numbers are counted. */
  queue(spec: QueueSpec): WorkQueue;
  onError(fields: object, message: string): void;
}

/** Kinds that are served now; they come and go. */
export interface KindLookup {
  byKind(apiVersion: string, kind: string): StoredResource | undefined;
  byPlural(group: string, plural: string): StoredResource | undefined;
}

/** Listens to the feed from the moment it is made. */
export interface Controller {
  /** Stops, once the work under way is over. */
  close(): Promise<void>;
}

export type ControllerFactory = (context: ControllerContext) => Controller;
