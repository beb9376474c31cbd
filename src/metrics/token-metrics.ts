// Uses of service account tokens, under kube-apiserver's names.

import type { ServiceAccountTokens } from '../authn/service-account/tokens.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

export function tokenMetrics({ uses, checks }: Pick<ServiceAccountTokens, 'uses' | 'checks'>): readonly MetricSource[] {
  const count = (name: string, help: string, read: () => number) =>
    metric(`serviceaccount_${name}`, 'counter', help, () => [{ labels: {}, value: read() }]);
  const byStatus = (name: string, help: string, read: () => Readonly<Record<string, number>>) =>
    metric(`authentication_token_cache_${name}`, 'counter', help, () =>
      Object.entries(read())
        .filter(([, value]) => value > 0)
        .map(([status, value]) => ({ labels: { status }, value })),
    );
  const durations = 'authentication_token_cache_request_duration_seconds';
  return [
    metric(durations, 'histogram', 'Seconds until a token was known, by whether its signature was.', () =>
      Object.entries(checks.seconds)
        .filter(([, { count }]) => count > 0)
        .flatMap(([status, spread]) => histogramSamples(durations, { status }, spread)),
    ),
    count('valid_tokens_total', 'Uses of tokens before they should have been renewed.', () => uses.valid),
    count('stale_tokens_total', 'Uses of tokens that should have been renewed.', () => uses.stale),
    count('legacy_tokens_total', 'Uses of tokens of Secrets.', () => uses.legacy),
    count('legacy_auto_token_uses_total', 'Of those, of Secrets that accounts mention.', () => uses.ofMentionedSecrets),
    count(
      'invalid_legacy_auto_token_uses_total',
      'Of those, of Secrets that are marked as invalid; they were refused.',
      () => uses.ofInvalidSecrets,
    ),
    count('legacy_manual_token_uses_total', 'Of those, of other Secrets.', () => uses.ofOtherSecrets),
    byStatus('request_total', 'Tokens by whether their signature was known.', () => ({
      hit: checks.known,
      miss: checks.good + checks.bad,
    })),
    byStatus('fetch_total', 'Signatures of tokens that were checked.', () => ({ ok: checks.good, error: checks.bad })),
  ];
}
