// Who got in and who did not, under kube-apiserver's names. The hot path only adds to plain numbers.

import { issuerHash } from '../authn/jwt-issuers/issuers.ts';
import { Histogram } from '../base/histogram.ts';
import type { Dialect } from '../meta/dialect.ts';
import { serviceAccountName, type UserInfo } from '../meta/user.ts';
import { doublingSeconds, filterBounds } from './filter-metrics.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';
import { labelHash, type ServerLabels } from './server-labels.ts';

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** From half an hour to a year, as kube-apiserver has them. */
const lifetimes = [
  0, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000,
];

const durationName = 'authentication_duration_seconds';

interface Latency {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  sum: number;
  readonly counts: number[];
}

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
  readonly #latencies = new Map<string, Latency>();
  readonly #fetches = new Map<string, { labels: Readonly<Record<string, string>>; at: number }>();
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

  /** `failure` is for callers without credentials that count, `error` for credentials that are wrong. */
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
    const key = `${isGood}|${issuer}`;
    let latency = this.#latencies.get(key);
    if (latency === undefined) {
      const labels = { result: isGood ? 'success' : 'failure', jwt_issuer_hash: issuerHash(issuer) };
      latency = { labels, count: 0, sum: 0, counts: buckets.map(() => 0) };
      this.#latencies.set(key, latency);
    }
    latency.count++;
    latency.sum += seconds;
    const at = buckets.findIndex((bound) => seconds <= bound);
    if (at >= 0) latency.counts[at] = (latency.counts[at] as number) + 1;
  }

  /** The keys of an issuer were fetched; `keySet` is the document, undefined after a failure. */
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
    return [
      counter('authentication_attempts', 'Attempts to be recognised, by their result.', () =>
        Object.entries(this.#attempts)
          .filter(([, value]) => value > 0)
          .map(([result, value]) => ({ labels: { result }, value })),
      ),
      metric(durationName, 'histogram', 'Seconds that it took to recognise callers, by the result.', () =>
        Object.entries(this.#durations)
          .filter(([, { count }]) => count > 0)
          .flatMap(([result, spread]) => histogramSamples(durationName, { result }, spread)),
      ),
      counter('authenticated_user_requests', 'Requests of known users, by a few names.', () =>
        [...this.#users].map(([username, value]) => ({ labels: { username }, value })),
      ),
      counter(`${controllerName}_automatic_reloads_total`, 'Changes of the configuration file.', () =>
        [...this.#reloads].map(([status, { count }]) => ({ labels: { status, ...this.#ofServer }, value: count })),
      ),
      gauge(`${controllerName}_automatic_reload_last_timestamp_seconds`, 'When the file changed last.', () =>
        [...this.#reloads].map(([status, { at }]) => ({ labels: { status, ...this.#ofServer }, value: at })),
      ),
      gauge(`${controllerName}_last_config_info`, 'The configuration file in use.', () =>
        this.#hash === undefined ? [] : [{ labels: { ...this.#ofServer, hash: this.#hash }, value: 1 }],
      ),
      gauge(`${authenticatorName}_jwks_fetch_last_timestamp_seconds`, 'When keys of issuers were asked for last.', () =>
        [...this.#fetches.values()].map(({ labels, at }) => ({ labels, value: at })),
      ),
      gauge(`${authenticatorName}_jwks_fetch_last_key_set_info`, 'The keys of issuers that were found last.', () =>
        [...this.#keySets].map(([issuer, hash]) => {
          const labels = { jwt_issuer_hash: issuerHash(issuer), ...this.#ofServer, hash };
          return { labels, value: 1 };
        }),
      ),
      metric(lifetimeName, 'histogram', 'Seconds for which certificates of clients are still valid.', () =>
        histogramSamples(lifetimeName, {}, this.#lifetimes),
      ),
      { name: latencyName, get: async () => this.#latency() },
    ];
  }

  #latency(): object {
    const values = [...this.#latencies.values()].flatMap(({ labels, count, sum, counts }) => {
      let below = 0;
      const bounds = buckets.map((le, index) => {
        below += counts[index] as number;
        return { metricName: `${latencyName}_bucket`, labels: { ...labels, le }, value: below };
      });
      return [
        ...bounds,
        { metricName: `${latencyName}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${latencyName}_sum`, labels, value: sum },
        { metricName: `${latencyName}_count`, labels, value: count },
      ];
    });
    const help = 'Seconds spent on tokens of configured issuers.';
    return { name: latencyName, type: 'histogram', help, values, aggregator: 'sum' };
  }
}

const controllerName = 'apiserver_authentication_config_controller';
const authenticatorName = 'apiserver_authentication_jwt_authenticator';
const lifetimeName = 'apiserver_client_certificate_expiration_seconds';
const latencyName = `${authenticatorName}_latency_seconds`;

type Values = readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

const source =
  (type: 'counter' | 'gauge') =>
  (name: string, help: string, values: () => Values): MetricSource => ({
    name,
    get: async () => ({ name, type, help, values: values(), aggregator: 'sum' }),
  });
const counter = source('counter');
const gauge = source('gauge');
