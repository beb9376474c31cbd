// The authorizer that asks another server, and caches its answers for a short time.

import { createHash } from 'node:crypto';
import type { JsonFields } from '../../base/json/json-fields.ts';
import { ExpiringCache } from '../../base/maps/expiring-cache.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type Webhook, WebhookError } from '../../client/webhook.ts';
import type { AccessAttributes, Decision } from '../../meta/access.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { AuthorizationModule } from '../authorizer.ts';
import { accessReview, type ReviewSpec, type ReviewVersion, reviewSpec } from './access-review.ts';

/** Whether the webhook is called for a request; `error` if the conditions cannot be computed. */
export type MatchOutcome = { readonly matches: boolean } | { readonly error: string };

export interface WebhookModuleConfig {
  readonly webhook: Pick<Webhook, 'ask'>;
  readonly version: ReviewVersion;
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  /** The decision when the webhook gives no answer. */
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  /** If absent, the webhook is called for every request. */
  readonly matches?: (spec: ReviewSpec) => Promise<MatchOutcome>;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** The webhook gave no answer. */
  onError(error: unknown): void;
  /** The webhook gave no answer, and the next authorizer decides. */
  onFailOpen(result: 'timeout' | 'error'): void;
}

interface Verdict {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

const maxVerdicts = 8192;
/** Verdicts about requests with longer attributes are not cached. */
const maxCachedLength = 10_000;

export function webhookModule(config: WebhookModuleConfig): AuthorizationModule {
  const verdicts = new ExpiringCache<Verdict>(config.clock, maxVerdicts);
  return {
    async authorize(attributes) {
      const spec = reviewSpec(attributes);
      const outcome = (await config.matches?.(spec)) ?? { matches: true };
      if ('error' in outcome) return failed(config, outcome.error);
      if (!outcome.matches) return noOpinion;
      const key = keyOf(spec);
      const cachedVerdict = verdicts.get(key);
      if (cachedVerdict !== undefined) return decisionOf(cachedVerdict);
      try {
        const verdict = await ask(config, spec);
        const ms = verdict.allowed ? config.authorizedMs : config.unauthorizedMs;
        if (lengthOf(attributes) < maxCachedLength) verdicts.set(key, verdict, ms);
        return decisionOf(verdict);
      } catch (error) {
        config.onError(error);
        const result = error instanceof WebhookError ? error.result : 'error';
        if (config.failurePolicy === 'NoOpinion') config.onFailOpen(result);
        return failed(config, (error as Error).message);
      }
    },
    rules: () => ({ rules: [], incomplete: true, errors: [noRules] }),
  };
}

const noRules = 'webhook authorizer does not support user rule resolution';
const noOpinion: Decision = { kind: 'noOpinion' };

const failed = ({ failurePolicy }: WebhookModuleConfig, error: string): Decision =>
  failurePolicy === 'Deny' ? { kind: 'deny', reason: '', error } : { kind: 'noOpinion', error };

async function ask({ webhook, version, dialect }: WebhookModuleConfig, spec: ReviewSpec): Promise<Verdict> {
  const answer = await webhook.ask(accessReview(spec, version, dialect));
  return verdictIn(answer);
}

function verdictIn(answer: JsonFields): Verdict {
  const status = answer.object('status');
  return {
    allowed: status?.flag('allowed') ?? false,
    denied: status?.flag('denied') ?? false,
    reason: status?.text('reason') ?? '',
  };
}

function decisionOf({ allowed, denied, reason }: Verdict): Decision {
  if (denied && allowed)
    return { kind: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' };
  if (denied) return { kind: 'deny', reason };
  return { kind: allowed ? 'allow' : 'noOpinion', ...(reason === '' ? {} : { reason }) };
}

const keyOf = (spec: ReviewSpec) => createHash('sha256').update(JSON.stringify(spec)).digest('base64');

const lengthOf = ({ namespace, verb, group, version, resource, subresource, name, path }: AccessAttributes) =>
  [namespace, verb, group, version, resource, subresource, name, path].reduce((sum, text) => sum + text.length, 0);
