// Uses of service account tokens, under kube-apiserver's names.

import type { ServiceAccountTokens } from '../authn/service-account/tokens.ts';
import { type MetricSource, metric, plainMetric, spreadMetric } from './metric-source.ts';

export function tokenMetrics({ uses, checks }: Pick<ServiceAccountTokens, 'uses' | 'checks'>): readonly MetricSource[] {
  const values = (read: () => Readonly<Record<string, number>>) => () =>
    Object.entries(read())
      .filter(([, value]) => value > 0)
      .map(([status, value]) => ({ labels: { status }, value }));
  return [
    spreadMetric('authentication_token_cache_request_duration_seconds', () =>
      Object.entries(checks.seconds)
        .filter(([, { count }]) => count > 0)
        .map(([status, spread]) => [{ status }, spread] as const),
    ),
    plainMetric('serviceaccount_valid_tokens_total', () => uses.valid),
    plainMetric('serviceaccount_stale_tokens_total', () => uses.stale),
    plainMetric('serviceaccount_legacy_tokens_total', () => uses.legacy),
    plainMetric('serviceaccount_legacy_auto_token_uses_total', () => uses.ofMentionedSecrets),
    plainMetric('serviceaccount_invalid_legacy_auto_token_uses_total', () => uses.ofInvalidSecrets),
    plainMetric('serviceaccount_legacy_manual_token_uses_total', () => uses.ofOtherSecrets),
    metric(
      'authentication_token_cache_request_total',
      values(() => ({ hit: checks.known, miss: checks.good + checks.bad })),
    ),
    metric(
      'authentication_token_cache_fetch_total',
      values(() => ({ ok: checks.good, error: checks.bad })),
    ),
  ];
}
