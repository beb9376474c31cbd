// Reloads of webhooks and policies in files, under kube-apiserver's names.

import type { ManifestPlugin } from '../admission/engines.ts';
import { NumberTable } from './metric-tables.ts';
import { type MetricSource, metric } from './request-metrics.ts';
import type { ServerLabels } from './server-labels.ts';

const prefix = 'apiserver_manifest_admission_config_controller';

export class ManifestMetrics {
  readonly #reloads = new NumberTable({
    name: `${prefix}_automatic_reloads_total`,
    help: 'Reloads of admission manifests, by how they ended.',
  });
  readonly #lastReload = new NumberTable(
    {
      name: `${prefix}_automatic_reload_last_timestamp_seconds`,
      help: 'When admission manifests were last reloaded.',
    },
    'gauge',
  );
  readonly #hashes = new Map<ManifestPlugin, string>();
  readonly #ofServer: ServerLabels;

  constructor(ofServer: ServerLabels) {
    this.#ofServer = ofServer;
  }

  reloaded(plugin: ManifestPlugin, status: 'success' | 'failure', now: number): void {
    const labels = { status, plugin, ...this.#ofServer };
    this.#reloads.add(labels);
    this.#lastReload.set(labels, now / 1000);
  }

  /** Files of this hash are in use. */
  configured(plugin: ManifestPlugin, hash: string): void {
    this.#hashes.set(plugin, hash);
  }

  get sources(): readonly MetricSource[] {
    return [this.#reloads.source, this.#lastReload.source, this.#inUse()];
  }

  #inUse(): MetricSource {
    return metric(`${prefix}_last_config_info`, 'gauge', 'The admission manifests in use, by plugin.', () =>
      [...this.#hashes].map(([plugin, hash]) => ({ labels: { plugin, ...this.#ofServer, hash }, value: 1 })),
    );
  }
}
