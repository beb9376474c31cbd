// Who got in and who did not, under kube-apiserver's names. The hot path only adds to plain numbers.

import { issuerHash } from '../authn/jwt-issuers/issuers.ts';
import { Histogram } from '../base/histogram.ts';
import type { Dialect } from '../meta/dialect.ts';
import { serviceAccountName, type UserInfo } from '../meta/user.ts';
import { doublingSeconds, filterBounds } from './filter-metrics.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';
import { SecondsTable } from './number-table.ts';
import { labelHash, type ServerLabels } from './server-labels.ts';
import type { LabelsOf } from './table/all-metrics.ts';

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** From half an hour to a year, as kube-apiserver has them. */
const lifetimes = [
  0, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000,
];

type FetchLabels = LabelsOf<'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds'>;

export class AuthenticationMetrics {
  readonly #attempts = { success: 0, failure: 0, error: 0 };
  readonly #durations = {
    success: new Histogram(doublingSeconds),
    failure: new Histogram(doublingSeconds),
    error: new Histogram(doublingSeconds),
  };
  /** Seconds of the stage, whatever came of it. */
  readonly filterSeconds = new Histogram(filterBounds);
  readonly #users = new Map<string, number>();
  readonly #latencies = new SecondsTable('apiserver_authentication_jwt_authenticator_latency_seconds', buckets);
  readonly #fetches = new Map<string, { labels: FetchLabels; at: number }>();
  readonly #keySets = new Map<string, string>();
  readonly #reloads = new Map<'success' | 'failure', { count: number; at: number }>();
  readonly #lifetimes = new Histogram(lifetimes);
  readonly #known: string;
  #hash: string | undefined;

  readonly #ofServer: ServerLabels;

  constructor({ systemNamespace }: Dialect, ofServer: ServerLabels) {
    this.#ofServer = ofServer;
    this.#known = serviceAccountName(systemNamespace, 'default');
  }

  /** A user was let in. Names that clients choose are in no label. */
  succeeded({ name }: UserInfo, seconds: number): void {
    this.#attempts.success++;
    this.#durations.success.observe(seconds);
    this.filterSeconds.observe(seconds);
    const label = name === this.#known ? name : name.includes('@') ? 'email_id' : 'other';
    this.#users.set(label, (this.#users.get(label) ?? 0) + 1);
  }

  /** 'failure' is for callers without credentials that count, 'error' for credentials that are wrong. */
  refused(result: 'failure' | 'error', seconds: number): void {
    this.#attempts[result]++;
    this.#durations[result].observe(seconds);
    this.filterSeconds.observe(seconds);
  }

  /** A client showed a certificate that is valid for so many seconds more. */
  shownCertificate(secondsLeft: number): void {
    this.#lifetimes.observe(secondsLeft);
  }

  /** A token of a configured issuer was looked at. */
  checked({ issuer, isGood, seconds }: { issuer: string; isGood: boolean; seconds: number }): void {
    this.#latencies.observe({ result: isGood ? 'success' : 'failure', jwt_issuer_hash: issuerHash(issuer) }, seconds);
  }

  /** The keys of an issuer were fetched; 'keySet' is the document, undefined after a failure. */
  fetched(issuer: string, keySet: string | undefined, now: number): void {
    const result = keySet === undefined ? 'failure' : 'success';
    const labels = { result, jwt_issuer_hash: issuerHash(issuer), ...this.#ofServer };
    this.#fetches.set(`${result}|${issuer}`, { labels, at: now / 1000 });
    if (keySet !== undefined) this.#keySets.set(issuer, labelHash(keySet));
  }

  /** A configuration file is in use. */
  configured(hash: string): void {
    this.#hash = hash;
  }

  /** A configuration file that changed was looked at. */
  reloaded(status: 'success' | 'failure', now: number): void {
    const { count } = this.#reloads.get(status) ?? { count: 0 };
    this.#reloads.set(status, { count: count + 1, at: now / 1000 });
  }

  get sources(): readonly MetricSource[] {
    const results = ['success', 'failure', 'error'] as const;
    return [
      metric('authentication_attempts', () =>
        results
          .filter((result) => this.#attempts[result] > 0)
          .map((result) => ({ labels: { result }, value: this.#attempts[result] })),
      ),
      spreadMetric('authentication_duration_seconds', () =>
        results
          .filter((result) => this.#durations[result].count > 0)
          .map((result) => [{ result }, this.#durations[result]] as const),
      ),
      metric('authenticated_user_requests', () =>
        [...this.#users].map(([username, value]) => ({ labels: { username }, value })),
      ),
      metric('apiserver_authentication_config_controller_automatic_reloads_total', () =>
        [...this.#reloads].map(([status, { count }]) => ({ labels: { status, ...this.#ofServer }, value: count })),
      ),
      metric('apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds', () =>
        [...this.#reloads].map(([status, { at }]) => ({ labels: { status, ...this.#ofServer }, value: at })),
      ),
      metric('apiserver_authentication_config_controller_last_config_info', () =>
        this.#hash === undefined ? [] : [{ labels: { ...this.#ofServer, hash: this.#hash }, value: 1 }],
      ),
      metric('apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds', () =>
        [...this.#fetches.values()].map(({ labels, at }) => ({ labels, value: at })),
      ),
      metric('apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info', () =>
        [...this.#keySets].map(([issuer, hash]) => {
          const labels = { jwt_issuer_hash: issuerHash(issuer), ...this.#ofServer, hash };
          return { labels, value: 1 };
        }),
      ),
      spreadMetric('apiserver_client_certificate_expiration_seconds', () => [[{}, this.#lifetimes]]),
      this.#latencies.source,
    ];
  }
}
