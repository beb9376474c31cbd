// Metrics of encryption: values, keys of plugins, and reloads of the configuration; under kube-apiserver's names.

import { Histogram } from '../base/histogram.ts';
import type { Direction, EncryptionObserver } from '../storage/encryption/encryption-observer.ts';
import { histogramSamples } from './histogram-samples.ts';
import { NumberTable, SecondsTable } from './metric-tables.ts';
import { type MetricSource, metric } from './request-metrics.ts';
import { labelHash, type ServerLabels } from './server-labels.ts';

const storage = 'apiserver_storage';
const envelope = 'apiserver_envelope_encryption';
const controller = 'apiserver_encryption_config_controller';
const seedName = `${storage}_data_key_generation_duration_seconds`;

const doubling = (first: number, count: number) => Array.from({ length: count }, (_, at) => first * 2 ** at);

/** Series of keys are kept for this many keys. */
const mostKeys = 100;

export class EncryptionMetrics implements EncryptionObserver {
  readonly #ofServer: ServerLabels;
  readonly #now: () => number;
  readonly #seedSeconds = new Histogram(doubling(5e-6, 14));
  #cacheMisses = 0;
  #configuration: string | undefined;
  readonly #operations = new NumberTable({
    name: `${storage}_transformation_operations_total`,
    help: 'Stored values that were encrypted or decrypted, by how that ended.',
  });
  readonly #operationSeconds = new SecondsTable(
    { name: `${storage}_transformation_duration_seconds`, help: 'Seconds that it took to encrypt or decrypt values.' },
    doubling(5e-6, 25),
  );
  readonly #calls = new SecondsTable(
    { name: `${envelope}_kms_operations_latency_seconds`, help: 'Seconds that calls of key management plugins took.' },
    doubling(1e-4, 20),
  );
  readonly #keyUses = new NumberTable(
    { name: `${envelope}_key_id_hash_total`, help: 'How often keys of plugins were used.' },
    'counter',
    mostKeys,
  );
  readonly #keyTimes = new NumberTable(
    { name: `${envelope}_key_id_hash_last_timestamp_seconds`, help: 'When keys of plugins were last used.' },
    'gauge',
    mostKeys,
  );
  readonly #reportTimes = new NumberTable(
    {
      name: `${envelope}_key_id_hash_status_last_timestamp_seconds`,
      help: 'When plugins last said that a key is theirs.',
    },
    'gauge',
    mostKeys,
  );
  readonly #invalidKeys = new NumberTable({
    name: `${envelope}_invalid_key_id_from_status_total`,
    help: 'How often plugins named a key that cannot be one.',
  });
  readonly #cached = new NumberTable(
    { name: `${envelope}_dek_source_cache_size`, help: 'Secrets of stored values that plugins have decrypted.' },
    'gauge',
  );
  readonly #reloads = new NumberTable({
    name: `${controller}_automatic_reloads_total`,
    help: 'Reloads of the encryption configuration, by how they ended.',
  });
  readonly #lastReload = new NumberTable(
    {
      name: `${controller}_automatic_reload_last_timestamp_seconds`,
      help: 'When the encryption configuration was last reloaded.',
    },
    'gauge',
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
    const hash = () => this.#configuration;
    return [
      metric(seedName, 'histogram', 'Seconds that it took to make seeds of keys.', () =>
        histogramSamples(seedName, {}, this.#seedSeconds),
      ),
      metric(`${storage}_data_key_generation_failures_total`, 'counter', 'Seeds that could not be made.', () => [
        // the source of random numbers either works, or there is no server
        { labels: {}, value: 0 },
      ]),
      metric(
        `${storage}_envelope_transformation_cache_misses_total`,
        'counter',
        'Secrets that a plugin had to decrypt.',
        () => [{ labels: {}, value: this.#cacheMisses }],
      ),
      metric(`${controller}_last_config_info`, 'gauge', 'The encryption configuration in use.', () =>
        hash() === undefined ? [] : [{ labels: { ...this.#ofServer, hash: hash() }, value: 1 }],
      ),
    ];
  }

  #keyLabels(provider: string, keyId: string) {
    return { provider_name: provider, key_id_hash: labelHash(keyId), ...this.#ofServer };
  }
}
