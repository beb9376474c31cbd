// The audit engine: the policy chooses requests, trails collect events, backends store them.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import { apiGroup, type DialectNames } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import type { AuditBackend, AuditCounts } from './backend.ts';
import type { AuditEvent } from './event.ts';
import { atLeast, type Policy } from './policy.ts';
import { type AuditDecision, type AuditedRequest, policyDecision } from './policy-decision.ts';
import { type AnnotationKeys, RequestTrail } from './trail.ts';

interface AuditorConfig {
  readonly policy: Policy;
  readonly backends: readonly AuditBackend[];
  readonly counts: AuditCounts;
  readonly clock: Clock;
  readonly dialect: DialectNames;
}

/** What there is to know about the resource of a request. */
export interface AuditedResource {
  /** Bodies of this resource must not be recorded, whatever the policy is. */
  readonly isConfidential: boolean;
  readonly isLongRunning: boolean;
}

export class Auditor {
  readonly counts: AuditCounts;
  readonly #backends: readonly AuditBackend[];
  readonly #clock: Clock;
  readonly #keys: AnnotationKeys;
  readonly #decide: (request: AuditedRequest) => AuditDecision;

  constructor({ policy, backends, counts, clock, dialect }: AuditorConfig) {
    this.counts = counts;
    this.#backends = backends;
    this.#clock = clock;
    this.#keys = annotationKeys(dialect);
    this.#decide = policyDecision(policy);
  }

  /** Undefined for a request that is not recorded. */
  begin(exchange: Exchange, request: AuditedRequest, resource: AuditedResource): RequestTrail | undefined {
    const decision = this.#decide(request);
    // a request that was moved is counted by the thread that received it
    if (exchange.request.moved === undefined) this.counts.levels[decision.level]++;
    if (decision.level === 'None') return undefined;
    const withholds = resource.isConfidential && atLeast(decision.level, 'Request');
    const context = {
      keys: this.#keys,
      now: () => this.#clock.now(),
      record: (event: AuditEvent) => this.#record(event),
    };
    const level = withholds ? 'Metadata' : decision.level;
    return new RequestTrail(exchange, context, { decision, level, isLongRunning: resource.isLongRunning });
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  #record(event: AuditEvent): MaybePromise<boolean> {
    this.counts.events++;
    return this.deliver([event]);
  }

  /** Passes events on to the backends: those of this thread, or of one whose events are recorded here. */
  deliver(events: readonly AuditEvent[]): MaybePromise<boolean> {
    const results = this.#backends.map((backend) => backend.process(events));
    if (!results.some(isPromise)) return results.every(Boolean);
    return Promise.all(results.map((result) => Promise.resolve(result))).then((all) => all.every(Boolean));
  }
}

const annotationKeys = (dialect: DialectNames): AnnotationKeys => ({
  truncated: `${apiGroup(dialect, 'audit')}/truncated`,
  deprecated: `${dialect.apiDomain}/deprecated`,
  removedRelease: `${dialect.apiDomain}/removed-release`,
});
