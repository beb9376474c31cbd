// Webhooks and policies in files that the configuration names: loaded before the server answers, and again when the files change.

import type { AdmissionEngines, ManifestPlugin, Manifests } from '../../admission/engines.ts';
import { loadManifests, type ManifestObjects } from '../../admission/manifests/load-manifests.ts';
import { readManifestFiles } from '../../admission/manifests/manifest-files.ts';
import type { Clock } from '../../base/time/clock.ts';
import { FilePoll } from '../../config/file-poll.ts';
import { OptionError } from '../../config/option-error.ts';
import type { Log } from '../../config/options.ts';
import type { ManifestMetrics } from '../../metrics/manifest-metrics.ts';

interface ManifestParts {
  readonly folders: Readonly<Partial<Record<ManifestPlugin, string>>>;
  readonly engines: () => Pick<AdmissionEngines, 'dialect' | 'resourceOf' | 'complete' | 'create'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ManifestMetrics;
}

interface Folder {
  readonly plugin: ManifestPlugin;
  readonly path: string;
  /** Of the files that were read last, whether they could be used or not. */
  seen: string | undefined;
  objects: ManifestObjects;
}

export class AdmissionManifests implements Manifests {
  readonly #parts: ManifestParts;
  readonly #folders: readonly Folder[];
  readonly #listeners: (() => void)[] = [];
  #poll: FilePoll | undefined;
  #isClosed = false;

  constructor(parts: ManifestParts) {
    this.#parts = parts;
    this.#folders = Object.entries(parts.folders).map(([plugin, path]) => ({
      ...{ plugin: plugin as ManifestPlugin, path, seen: undefined, objects: new Map() },
    }));
  }

  objectsOf(plural: string) {
    return this.#folders.flatMap(({ objects }) => objects.get(plural) ?? []);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Throws for files that cannot be used. */
  async start(): Promise<void> {
    if (this.#folders.length === 0 || this.#poll !== undefined) return;
    for (const folder of this.#folders) await this.#begin(folder);
    this.#tell();
    if (!this.#isClosed) this.#poll = new FilePoll(this.#parts.clock, () => this.#lookAgain());
  }

  close(): void {
    this.#isClosed = true;
    this.#poll?.stop();
  }

  async #begin(folder: Folder): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#load(folder);
    } catch (error) {
      const why = (error as Error).message;
      throw new OptionError(`admissionControlConfigFile: plugin ${JSON.stringify(folder.plugin)}: ${why}`);
    }
    log.info({ plugin: folder.plugin, folder: folder.path }, 'admission manifests are loaded');
  }

  async #lookAgain(): Promise<void> {
    for (const folder of this.#folders) await this.#reload(folder);
  }

  async #reload(folder: Folder): Promise<void> {
    const { log, metrics, clock } = this.#parts;
    const fields = { plugin: folder.plugin, folder: folder.path };
    try {
      if (!(await this.#load(folder)) || this.#isClosed) return;
      log.info(fields, 'admission manifests have changed');
      this.#tell();
    } catch (error) {
      metrics.reloaded(folder.plugin, 'failure', clock.now());
      log.warn({ ...fields, err: error }, 'admission manifests cannot be used, the old ones stay');
    }
  }

  /** Whether there is something new. What is wrong is wrong until it changes. */
  async #load(folder: Folder): Promise<boolean> {
    const { engines, metrics, clock } = this.#parts;
    const files = readManifestFiles(folder.path);
    if (files.hash === folder.seen) return false;
    folder.seen = files.hash;
    folder.objects = await loadManifests(engines(), folder.plugin, files);
    metrics.reloaded(folder.plugin, 'success', clock.now());
    metrics.configured(folder.plugin, files.hash);
    return true;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
