// Encryption of what is stored: the file is read at the start, and again where the operator wants it followed. Keys of
// plugins are asked for before the store is opened.

import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../base/time/clock.ts';
import { parseEncryptionFile } from '../../config/encryption-file.ts';
import type { EncryptionConfig } from '../../config/etcd-options.ts';
import { FilePoll } from '../../config/file-poll.ts';
import { type Log, OptionError, readOptionFile } from '../../config/options.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { EncryptionMetrics } from '../../metrics/encryption-metrics.ts';
import { EncryptedStore } from '../../storage/encryption/encrypted-store.ts';
import { type EncryptionRule, fullName, KeyedResources, Transformers } from '../../storage/encryption/transformers.ts';
import type { Store } from '../../storage/store.ts';
import { EncryptionPlugins } from './encryption-plugins.ts';

const option = 'encryptionProviderConfig';

interface EncryptionParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: EncryptionMetrics;
  /** Where the keys of the cluster begin. */
  readonly root: string;
}

interface Loaded {
  readonly transformers: Transformers;
  readonly plugins: EncryptionPlugins;
  /** Says whether the file has changed, without keeping the keys. */
  readonly hash: string;
}

export class Encryption {
  readonly #config: EncryptionConfig;
  readonly #parts: EncryptionParts;
  #loaded: Loaded;
  #store: EncryptedStore | undefined;
  #poll: FilePoll | undefined;
  /** Plugins of the file before, while requests may still need them. */
  readonly #leaving = new Map<EncryptionPlugins, Timer>();
  /** What was last said about a file that cannot be used: it is not said again each time. */
  #problem = '';

  private constructor(config: EncryptionConfig, parts: EncryptionParts, loaded: Loaded) {
    this.#config = config;
    this.#parts = parts;
    this.#loaded = loaded;
    this.#follow(loaded.plugins);
  }

  /** Throws an OptionError for a file that cannot be used: values that are only thought to be encrypted are worse than no server. */
  static async open(config: EncryptionConfig, parts: EncryptionParts): Promise<Encryption> {
    try {
      const bytes = readOptionFile(option, config.file);
      const rules = await parseEncryptionFile(bytes, parts.dialect, warner(config.file, parts.log));
      const loaded = await load(rules, hashOf(bytes), parts);
      parts.metrics.configured(loaded.hash);
      return new Encryption(config, parts, loaded);
    } catch (error) {
      throw error instanceof OptionError ? error : new OptionError(`${option}: ${(error as Error).message}`);
    }
  }

  /** Whether the file is looked at again. */
  get follows(): boolean {
    return this.#config.follows;
  }

  /** Whether there is a check of plugins: always for a file that is followed, which may get some. */
  get hasCheck(): boolean {
    return this.#config.follows || this.#loaded.plugins.size > 0;
  }

  /** What is wrong with the plugins. */
  check(): Promise<string | undefined> {
    return this.#loaded.plugins.check();
  }

  /** Why a stored value cannot be read with these keys; undefined for one that can. */
  async problemOf(key: string, value: Uint8Array): Promise<string | undefined> {
    const { dialect, root } = this.#parts;
    const resource = keyedResources(dialect).of(key);
    const transformer = this.#loaded.transformers.for(resource);
    const place = { path: root + key, resource: fullName(resource) };
    try {
      await transformer.prepare(value, place);
      transformer.read(value, place);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** The store as the server sees it. */
  around(store: Store): Store {
    const { dialect, clock, root } = this.#parts;
    const { transformers } = this.#loaded;
    const encrypted = new EncryptedStore({ store, transformers, resources: keyedResources(dialect), root });
    this.#store = encrypted;
    if (this.#config.follows) this.#poll = new FilePoll(clock, () => this.#look(encrypted));
    return encrypted;
  }

  close(): void {
    this.#poll?.stop();
    this.#loaded.plugins.close();
    for (const [plugins, timer] of this.#leaving) {
      timer.cancel();
      plugins.close();
    }
  }

  /** A plugin that is well again may decrypt what it could not before. */
  #follow(plugins: EncryptionPlugins): void {
    plugins.onRecovery = () => {
      if (plugins === this.#loaded.plugins) this.#store?.use(this.#loaded.transformers);
    };
  }

  async #look(store: EncryptedStore): Promise<void> {
    const { log, dialect, metrics } = this.#parts;
    const { file } = this.#config;
    try {
      const bytes = readOptionFile(option, file);
      if (hashOf(bytes) === this.#loaded.hash) {
        this.#problem = '';
        return;
      }
      const rules = await parseEncryptionFile(bytes, dialect, warner(file, log));
      const loaded = await load(rules, hashOf(bytes), this.#parts);
      await refuseUnhealthy(loaded.plugins);
      this.#problem = '';
      this.#replace(loaded, store);
      log.info({ file }, 'the encryption configuration has changed, the new one is used');
    } catch (error) {
      const { message } = error as Error;
      metrics.reloaded('failure');
      if (message === this.#problem) return;
      this.#problem = message;
      log.error({ file, problem: message }, 'the encryption configuration cannot be used, the old one stays');
    }
  }

  #replace(loaded: Loaded, store: EncryptedStore): void {
    const { plugins } = this.#loaded;
    this.#loaded = loaded;
    this.#follow(loaded.plugins);
    store.use(loaded.transformers);
    this.#parts.metrics.reloaded('success');
    this.#parts.metrics.configured(loaded.hash);
    const timer = this.#parts.clock.after(plugins.graceMs, () => {
      this.#leaving.delete(plugins);
      plugins.close();
    });
    this.#leaving.set(plugins, timer);
  }
}

async function load(rules: readonly EncryptionRule[], hash: string, parts: EncryptionParts): Promise<Loaded> {
  const plugins = await EncryptionPlugins.open(rules, { ...parts, observer: parts.metrics });
  const pluginForm = plugins.formOf.bind(plugins);
  return { transformers: new Transformers(rules, { observer: parts.metrics, pluginForm }), plugins, hash };
}

/** A file whose plugins do not work yet would take the old one's place with nothing. */
async function refuseUnhealthy(plugins: EncryptionPlugins): Promise<void> {
  const problem = await plugins.check();
  if (problem === undefined) return;
  plugins.close();
  throw new Error(problem);
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The group without versions of its own left: what it had is stored as the resources of other groups. */
const removedGroup = 'extensions';

function keyedResources(dialect: Dialect): KeyedResources {
  const all = builtInGroups(dialect)
    .filter(({ group }) => group !== removedGroup)
    .flatMap(({ resources }) => resources);
  return new KeyedResources(
    all.map(({ storagePrefix, group, plural }) => ({ prefix: storagePrefix, group, resource: plural })),
  );
}

const warner = (file: string, log: Log) => (text: string) => log.warn({ file }, `${option}: ${text}`);
