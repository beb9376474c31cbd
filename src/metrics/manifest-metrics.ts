// Reloads of webhooks and policies in files, under kube-apiserver's names.

import type { ManifestPlugin } from '../admission/engines.ts';
import { type MetricSource, metric } from './metric-source.ts';
import { NumberTable } from './number-table.ts';
import type { ServerLabels } from './server-labels.ts';

export class ManifestMetrics {
  readonly #reloads = new NumberTable('apiserver_manifest_admission_config_controller_automatic_reloads_total');
  readonly #lastReload = new NumberTable(
    'apiserver_manifest_admission_config_controller_automatic_reload_last_timestamp_seconds',
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
    return metric('apiserver_manifest_admission_config_controller_last_config_info', () =>
      [...this.#hashes].map(([plugin, hash]) => ({ labels: { plugin, ...this.#ofServer, hash }, value: 1 })),
    );
  }
}
