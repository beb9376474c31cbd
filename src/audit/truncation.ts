// Events that are too long lose their bodies; those that are still too long are dropped.

import type { AuditBackend, Complain } from './backend.ts';
import { type AuditEvent, eventJson } from './event.ts';
import { atLeast } from './policy.ts';

interface TruncateConfig {
  readonly maxEventSize: number;
  /** The annotation of truncated events. */
  readonly annotation: string;
}

export function truncating(delegate: AuditBackend, config: TruncateConfig, lost: Complain): AuditBackend {
  return {
    process(events) {
      const fitting = events.map((event) => fitted(event, config)).filter((event) => event !== undefined);
      const dropped = events.length - fitting.length;
      if (dropped > 0) lost('truncate', dropped, 'event is too large even after truncating');
      return fitting.length === 0 ? true : delegate.process(fitting);
    },
    close: () => delegate.close(),
  };
}

function fitted(event: AuditEvent, { maxEventSize, annotation }: TruncateConfig): AuditEvent | undefined {
  if (fits(event, maxEventSize)) return event;
  if (!atLeast(event.level, 'Request')) return undefined;
  const annotations = { ...event.annotations, [annotation]: 'true' };
  const short = { ...event, requestObject: undefined, responseObject: undefined, annotations };
  return fits(short, maxEventSize) ? short : undefined;
}

const fits = (event: AuditEvent, max: number) => Buffer.byteLength(eventJson(event)) <= max;
