// What was decided on the way of a request, at level 4: by authorizers, admission, webhooks and conversions.

import type { AdmissionStep } from '../../admission/chain.ts';
import type { WebhookReport } from '../../admission/engines.ts';
import { andThen } from '../../base/maybe-promise.ts';
import { foreignText } from '../../base/text/foreign-text.ts';
import type { ConversionObserver } from '../../custom-resources/webhook-conversion.ts';
import type { AccessAttributes, AccessControl, Decision } from '../../meta/access.ts';
import type { ServerLog } from '../server-log.ts';

const wanted = 4;

export class DecisionLog {
  readonly #log: ServerLog;

  constructor(log: ServerLog) {
    this.#log = log;
  }

  /** Asks as `access` does, and tells of the answer. */
  access(access: AccessControl): AccessControl {
    const { of } = this.#log.levels;
    return {
      rulesFor: (user, namespace) => access.rulesFor(user, namespace),
      decide: (asked) => {
        const decision = access.decide(asked);
        return of.authorization < wanted ? decision : andThen(decision, (found) => this.#decided(asked, found));
      },
    };
  }

  onAdmission({ type, operation, resource }: AdmissionStep, rejected: boolean, seconds: number): void {
    if (this.#log.levels.of.admission < wanted) return;
    this.#log.detail(
      'admission',
      { type, operation, resource, rejected, ms: msOf(seconds) },
      'admission plugins were asked',
    );
  }

  onWebhook({ name, type, operation, code, rejectedBy, failedOpen, seconds }: WebhookReport): void {
    if (this.#log.levels.of.webhooks < wanted) return;
    const outcome = { ...(rejectedBy === undefined ? {} : { rejectedBy }), ...(failedOpen ? { failedOpen } : {}) };
    this.#log.detail(
      'webhooks',
      { name, type, operation, code, ...outcome, ms: msOf(seconds) },
      'a webhook was called',
    );
  }

  onConversion({ definition, from, to, seconds, failure }: Parameters<ConversionObserver['onConversion']>[0]): void {
    if (this.#log.levels.of.conversions < wanted) return;
    const outcome = failure === undefined ? {} : { failure };
    this.#log.detail('conversions', { definition, from, to, ...outcome, ms: msOf(seconds) }, 'objects were converted');
  }

  onCacheFilled(prefix: string, objects: number, ms: number): void {
    if (this.#log.levels.of.caches < wanted) return;
    this.#log.detail('caches', { prefix, objects, ms: Math.round(ms) }, 'a cache was filled');
  }

  #decided({ user, verb, ...asked }: AccessAttributes, decision: Decision): Decision {
    const { isResource, group, resource, subresource, namespace, name, path } = asked;
    const what = isResource ? { group, resource, subresource, namespace, name } : { path };
    const said = Object.entries(what).filter(([, value]) => value !== '');
    const fields = { user: user.name, verb, ...Object.fromEntries(said), decision: decision.kind };
    // a webhook's own words may be the reason
    const reason = decision.reason === undefined ? {} : { reason: foreignText(decision.reason) };
    this.#log.detail('authorization', { ...fields, ...reason }, 'an authorizer decided');
    return decision;
  }
}

const msOf = (seconds: number) => Math.round(seconds * 1000);
