// EventRateLimit: no client floods the store with events.

import { RecentMap } from '../../base/maps/recent-map.ts';
import type { Clock } from '../../base/time/clock.ts';
import { rateLimitReached } from '../../meta/status.ts';
import type { AdmissionEngines, EventLimit, PluginSettings } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, writes } from '../plugin.ts';

type Engines = Pick<AdmissionEngines, 'clock'> & { readonly settings: Pick<PluginSettings, 'eventLimits'> };

/** compat: events of the group `events` are not counted, although they are the same objects */
export function eventRateLimit({ clock, settings }: Engines): AdmissionPlugin {
  const limits = settings.eventLimits.map((limit) => new Buckets(limit, clock));
  return {
    name: 'EventRateLimit',
    operations: writes,
    covers: objectsOf('', 'events'),
    validate(request) {
      if (request.dryRun) return;
      // each gets to count the event, whatever the others say
      const reached = [...new Set(limits.flatMap((buckets) => buckets.take(request) ?? []))];
      if (reached.length > 0)
        throw rateLimitReached(reached.length === 1 ? (reached[0] as string) : `[${reached.join(', ')}]`);
    },
  };
}

interface Bucket {
  tokens: number;
  at: number;
}

class Buckets {
  readonly #limit: EventLimit;
  readonly #clock: Clock;
  readonly #buckets: RecentMap<Bucket>;

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#buckets = new RecentMap(2 * limit.cacheSize);
  }

  /** Says that the limit is reached; undefined when it is not. */
  take(request: AdmissionRequest): string | undefined {
    const { type, qps, burst } = this.#limit;
    const key = keyOf[type](request);
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * qps);
    const isThere = tokens >= 1;
    this.#buckets.set(key, { tokens: isThere ? tokens - 1 : tokens, at: now });
    return isThere ? undefined : `limit reached on type ${type} for key ${key}`;
  }
}

interface Source {
  readonly component?: string;
  readonly host?: string;
}

type Reference = Readonly<Partial<Record<'kind' | 'namespace' | 'name' | 'uid' | 'apiVersion', string>>>;

/** Events that share a bucket have the same key. */
const keyOf: Readonly<Record<EventLimit['type'], (request: AdmissionRequest) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject({ object = {} }) {
    const event = object as Readonly<Record<string, unknown>>;
    const source = (event['source'] ?? event['deprecatedSource'] ?? {}) as Source;
    const about = (event['involvedObject'] ?? event['regarding'] ?? {}) as Reference;
    const { kind, namespace, name, uid, apiVersion } = about;
    return [source.component, source.host, kind, namespace, name, uid, apiVersion].map((part) => part ?? '').join('');
  },
};
