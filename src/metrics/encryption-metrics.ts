// Metrics of encryption: values, keys of plugins, and reloads of the configuration; under kube-apiserver's names.

import { Histogram } from '../base/histogram.ts';
import type { Direction, EncryptionObserver } from '../storage/encryption/encryption-observer.ts';
import { type MetricSource, metric, plainMetric, spreadMetric } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';
import { labelHash, type ServerLabels } from './server-labels.ts';

const doubling = (first: number, count: number) => Array.from({ length: count }, (_, at) => first * 2 ** at);

/** Series of keys are kept for this many keys. */
const mostKeys = 100;

export class EncryptionMetrics implements EncryptionObserver {
  readonly #ofServer: ServerLabels;
  readonly #now: () => number;
  readonly #seedSeconds = new Histogram(doubling(5e-6, 14));
  #cacheMisses = 0;
  #configuration: string | undefined;
  readonly #operations = new NumberTable('apiserver_storage_transformation_operations_total');
  readonly #operationSeconds = new SecondsTable(
    'apiserver_storage_transformation_duration_seconds',
    doubling(5e-6, 25),
  );
  readonly #calls = new SecondsTable(
    'apiserver_envelope_encryption_kms_operations_latency_seconds',
    doubling(1e-4, 20),
  );
  readonly #keyUses = new NumberTable('apiserver_envelope_encryption_key_id_hash_total', mostKeys);
  readonly #keyTimes = new NumberTable('apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds', mostKeys);
  readonly #reportTimes = new NumberTable(
    'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    mostKeys,
  );
  readonly #invalidKeys = new NumberTable('apiserver_envelope_encryption_invalid_key_id_from_status_total');
  readonly #cached = new NumberTable('apiserver_envelope_encryption_dek_source_cache_size');
  readonly #reloads = new NumberTable('apiserver_encryption_config_controller_automatic_reloads_total');
  readonly #lastReload = new NumberTable(
    'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
  );

  constructor(ofServer: ServerLabels, now: () => number) {
    this.#ofServer = ofServer;
    this.#now = now;
  }

  transformed({ resource, direction, form, seconds, status }: Parameters<EncryptionObserver['transformed']>[0]): void {
    const labels = { transformation_type: direction, transformer_prefix: form };
    this.#operations.add({ resource, ...labels, status });
    if (status === 'OK') this.#operationSeconds.observe(labels, seconds);
  }

  keyUsed(direction: Direction, provider: string, keyId: string): void {
    const labels = { transformation_type: direction, ...this.#keyLabels(provider, keyId) };
    this.#keyUses.add(labels);
    this.#keyTimes.set(labels, this.#now() / 1000);
  }

  keyReported(provider: string, keyId: string): void {
    this.#reportTimes.set(this.#keyLabels(provider, keyId), this.#now() / 1000);
  }

  invalidKeyReported(provider: string, error: string): void {
    this.#invalidKeys.add({ provider_name: provider, error });
  }

  seedMade(seconds: number): void {
    this.#seedSeconds.observe(seconds);
  }

  cacheMissed(): void {
    this.#cacheMisses++;
  }

  secretsCached(provider: string, count: number): void {
    this.#cached.set({ provider_name: provider }, count);
  }

  pluginCalled(provider: string, method: string, code: string, seconds: number): void {
    this.#calls.observe({ provider_name: provider, method_name: method, grpc_status_code: code }, seconds);
  }

  reloaded(status: 'success' | 'failure'): void {
    const labels = { status, ...this.#ofServer };
    this.#reloads.add(labels);
    this.#lastReload.set(labels, this.#now() / 1000);
  }

  /** A file of this SHA-256 is in use. */
  configured(hash: string): void {
    this.#configuration = `sha256:${hash}`;
  }

  get sources(): readonly MetricSource[] {
    const tables = [this.#operations, this.#operationSeconds, this.#calls, this.#keyUses, this.#keyTimes];
    const more = [this.#reportTimes, this.#invalidKeys, this.#cached, this.#reloads, this.#lastReload];
    return [...tables.map(({ source }) => source), ...more.map(({ source }) => source), ...this.#plain()];
  }

  #plain(): readonly MetricSource[] {
    return [
      spreadMetric('apiserver_storage_data_key_generation_duration_seconds', () => [[{}, this.#seedSeconds]]),
      // the source of random numbers either works, or there is no server
      plainMetric('apiserver_storage_data_key_generation_failures_total', () => 0),
      plainMetric('apiserver_storage_envelope_transformation_cache_misses_total', () => this.#cacheMisses),
      metric('apiserver_encryption_config_controller_last_config_info', () =>
        this.#configuration === undefined
          ? []
          : [{ labels: { ...this.#ofServer, hash: this.#configuration }, value: 1 }],
      ),
    ];
  }

  #keyLabels(provider: string, keyId: string) {
    return { provider_name: provider, key_id_hash: labelHash(keyId), ...this.#ofServer };
  }
}
