// Encryption of what is stored: the file is read at the start, and again where the operator wants it followed.

import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { parseEncryptionFile } from '../config/encryption-file.ts';
import type { EncryptionConfig } from '../config/etcd-options.ts';
import { FilePoll } from '../config/file-poll.ts';
import { type Log, OptionError, readOptionFile } from '../config/options.ts';
import { builtInGroups } from '../groups/catalog.ts';
import type { Dialect } from '../meta/dialect.ts';
import { EncryptedStore } from '../storage/encryption/encrypted-store.ts';
import { KeyedResources, Transformers } from '../storage/encryption/transformers.ts';
import type { Store } from '../storage/store.ts';

const option = 'encryptionProviderConfig';

interface EncryptionParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the keys of the cluster begin. */
  readonly root: string;
}

interface Loaded {
  readonly transformers: Transformers;
  /** Says whether the file has changed, without keeping the keys. */
  readonly hash: string;
}

export class Encryption {
  readonly #config: EncryptionConfig;
  readonly #parts: EncryptionParts;
  #loaded: Loaded;
  #poll: FilePoll | undefined;
  /** What was last said about a file that cannot be used: it is not said again each time. */
  #problem = '';

  private constructor(config: EncryptionConfig, parts: EncryptionParts, loaded: Loaded) {
    this.#config = config;
    this.#parts = parts;
    this.#loaded = loaded;
  }

  /** Throws an OptionError for a file that cannot be used: values that are only thought to be encrypted are worse than no server. */
  static async open(config: EncryptionConfig, parts: EncryptionParts): Promise<Encryption> {
    try {
      return new Encryption(config, parts, await load(readOptionFile(option, config.file), parts.dialect));
    } catch (error) {
      throw error instanceof OptionError ? error : new OptionError(`${option}: ${(error as Error).message}`);
    }
  }

  /** The store as the server sees it. */
  around(store: Store): Store {
    const { dialect, clock, root } = this.#parts;
    const { transformers } = this.#loaded;
    const encrypted = new EncryptedStore({ store, transformers, resources: keyedResources(dialect), root });
    if (this.#config.follows) this.#poll = new FilePoll(clock, () => this.#look(encrypted));
    return encrypted;
  }

  close(): void {
    this.#poll?.stop();
  }

  async #look(store: EncryptedStore): Promise<void> {
    const { log, dialect } = this.#parts;
    try {
      const bytes = readOptionFile(option, this.#config.file);
      if (hashOf(bytes) === this.#loaded.hash) {
        this.#problem = '';
        return;
      }
      const loaded = await load(bytes, dialect);
      this.#problem = '';
      this.#loaded = loaded;
      store.use(loaded.transformers);
      log.info({ file: this.#config.file }, 'the encryption configuration has changed, the new one is used');
    } catch (error) {
      const { message } = error as Error;
      if (message === this.#problem) return;
      this.#problem = message;
      log.error(
        { file: this.#config.file, problem: message },
        'the encryption configuration cannot be used, the old one stays',
      );
    }
  }
}

async function load(bytes: Uint8Array, dialect: Dialect): Promise<Loaded> {
  return { transformers: new Transformers(await parseEncryptionFile(bytes, dialect)), hash: hashOf(bytes) };
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
