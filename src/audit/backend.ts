// Backends that receive audit events, and the counters of delivered and lost events.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AuditEvent } from './event.ts';
import { type Level, levels } from './policy.ts';

export interface AuditBackend {
  /** False when an event did not get where it should; that has been counted by then. Never throws. */
  process(events: readonly AuditEvent[]): MaybePromise<boolean>;
  /** Delivers what it can within a short time, and releases everything. */
  close(): Promise<void>;
}

/** The parts that can lose events. */
type AuditPlugin = 'log' | 'webhook' | 'buffered' | 'truncate';

export class AuditCounts {
  events = 0;
  /** Requests that were refused because they could not be recorded. */
  rejected = 0;
  readonly levels: Record<Level, number> = Object.fromEntries(levels.map((level) => [level, 0])) as Record<
    Level,
    number
  >;
  readonly errors = new Map<AuditPlugin, number>();

  lost(plugin: AuditPlugin, events: number): void {
    this.errors.set(plugin, (this.errors.get(plugin) ?? 0) + events);
  }
}

/** Receives losses, each with a short reason. */
export type Complain = (plugin: AuditPlugin, events: number, error: unknown) => void;

/** Counts and complains in one. */
export function lossReporter(counts: AuditCounts, complain: Complain): Complain {
  return (plugin, events, error) => {
    counts.lost(plugin, events);
    complain(plugin, events, error);
  };
}
