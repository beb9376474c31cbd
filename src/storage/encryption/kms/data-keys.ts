// Keys of one plugin: the seed that new values are encrypted with, and the secrets it has decrypted. The plugin is asked
// for its state once a minute, which is how a new key of it becomes known.

import { createHash, randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { formatTime } from '../../../meta/time.ts';
import { type Cipher, newSeed, seededGcm } from '../ciphers.ts';
import { type EncryptionObserver, secondsSince } from '../encryption-observer.ts';
import { DecryptedSecrets } from './decrypted-secrets.ts';
import { checkWrapped, keyIdProblem, type PluginStatus, type WrappedSecret } from './messages.ts';
import type { Plugin } from './plugin-settings.ts';

interface DataKeyParts {
  readonly name: string;
  readonly plugin: Plugin;
  readonly clock: Clock;
  readonly observer: EncryptionObserver;
  /** Called once for each problem, and with undefined when the plugin works again. */
  readonly onHealth: (problem: string | undefined) => void;
}

/** What new values are encrypted with. */
interface WriteKey extends WrappedSecret {
  readonly cipher: Cipher;
  readonly sourceType: 'seed';
  /** Writes end at this time, unless the plugin confirms the key before. */
  readonly expires: number;
}

/** A check that is younger than this is not repeated. */
const goodCheckMs = 20_000;
const badCheckMs = 3000;
/** The interval of status requests to the plugin. */
const goodIntervalMs = 60_000;
const badIntervalMs = 10_000;
/** How long writes may use a key that the plugin does not confirm. */
const writeMs = 3 * 60_000;

const versions: readonly string[] = ['v2', 'v2beta1'];

interface Check {
  readonly problem: string | undefined;
  readonly until: number;
}

export class DataKeys {
  readonly #parts: DataKeyParts;
  /** What the plugin has decrypted. */
  readonly secrets: DecryptedSecrets;
  #write: WriteKey | undefined;
  #last: Check | undefined;
  #checking: Promise<string | undefined> | undefined;
  #version: string | undefined;
  #timer: Timer | undefined;
  #isClosed = false;
  #toldProblem: string | undefined;

  constructor(parts: DataKeyParts) {
    this.#parts = parts;
    this.secrets = new DecryptedSecrets(parts);
  }

  get name(): string {
    return this.#parts.name;
  }

  /** Calls the plugin once; the start continues without an answer, and the call is repeated later. */
  async start(): Promise<void> {
    const problem = await this.check();
    this.#wait(problem === undefined ? goodIntervalMs : badIntervalMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#parts.plugin.close();
  }

  /** The problem of the plugin; an answer of the last seconds is reused. */
  check(): Promise<string | undefined> {
    if (this.#last !== undefined && this.#parts.clock.now() < this.#last.until)
      return Promise.resolve(this.#last.problem);
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Throws while there is no key to write with. */
  writeKey(): WriteKey {
    const key = this.#write;
    if (key === undefined) throw new Error(`the plugin ${JSON.stringify(this.name)} has not named its key yet`);
    const now = this.#parts.clock.now();
    if (now > key.expires)
      throw new Error(
        `encryptedDEKSource with keyID hash ${JSON.stringify(hashOf(key.keyId))} expired at ${formatTime(key.expires)} (current time is ${formatTime(now)})`,
      );
    return key;
  }

  /** The key that the plugin names at present. */
  get keyId(): string | undefined {
    return this.#write?.keyId;
  }

  #wait(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#parts.clock.after(ms, () => {
      void this.check().then((problem) => this.#wait(problem === undefined ? goodIntervalMs : badIntervalMs));
    });
  }

  async #ask(): Promise<string | undefined> {
    const problem = await this.#problem();
    const ms = problem === undefined ? goodCheckMs : badCheckMs;
    this.#last = { problem, until: this.#parts.clock.now() + ms };
    if (!this.#isClosed) this.#tell(problem);
    return problem;
  }

  #tell(problem: string | undefined): void {
    if (problem === this.#toldProblem) return;
    this.#toldProblem = problem;
    this.secrets.forgetRefusals();
    this.#parts.onHealth(problem);
  }

  async #problem(): Promise<string | undefined> {
    try {
      const problems = await this.#judge(await this.#parts.plugin.status());
      if (problems.length === 0) return undefined;
      return `kmsv2 Provider ${this.name} is not healthy, error: ${listed(problems)}`;
    } catch (error) {
      const { message } = error as Error;
      return `failed to perform status section of the healthz check for KMS Provider ${this.name}, error: ${message}`;
    }
  }

  async #judge({ healthz, version, keyId }: PluginStatus): Promise<readonly string[]> {
    const { observer } = this.#parts;
    const problems = healthz === 'ok' ? [] : [`got unexpected healthz status: ${healthz}`];
    const wrongVersion = this.#versionProblem(version);
    if (wrongVersion !== undefined) problems.push(wrongVersion);
    const wrong = keyIdProblem(keyId);
    if (wrong !== undefined) {
      observer.invalidKeyReported(this.name, wrong.code);
      return [...problems, `got invalid KMSv2 KeyID hash ${JSON.stringify(hashOf(keyId))}: ${wrong.message}`];
    }
    observer.keyReported(this.name, keyId);
    const failure = await this.#rotate(keyId);
    return failure === undefined ? problems : [...problems, failure];
  }

  #versionProblem(version: string): string | undefined {
    if (!versions.includes(version)) return `expected KMSv2 API version v2, got ${version}`;
    this.#version ??= version;
    if (this.#version === version) return undefined;
    return `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`;
  }

  /** A new seed where the plugin has a new key; the old one stays where that fails, until it expires. */
  async #rotate(keyId: string): Promise<string | undefined> {
    const expires = this.#parts.clock.now() + writeMs;
    if (this.#write?.keyId === keyId) {
      this.#use({ ...this.#write, expires });
      return undefined;
    }
    const failed = `failed to rotate the seed for keyID hash ${JSON.stringify(hashOf(keyId))}`;
    try {
      const { seed, wrapped } = await this.#newSeed();
      if (wrapped.keyId !== keyId)
        return `${failed}: it was encrypted with keyID hash ${JSON.stringify(hashOf(wrapped.keyId))}`;
      this.#use({ ...wrapped, cipher: seededGcm(seed), sourceType: 'seed', expires });
      return undefined;
    } catch (error) {
      return `${failed}: ${(error as Error).message}`;
    }
  }

  /** Values written with this key can be read without a call. */
  #use(key: WriteKey): void {
    this.#write = key;
    this.secrets.keep(key, key.cipher);
  }

  async #newSeed(): Promise<{ readonly seed: Buffer; readonly wrapped: WrappedSecret }> {
    const start = performance.now();
    const seed = newSeed();
    this.#parts.observer.seedMade(secondsSince(start));
    const wrapped = await this.#parts.plugin.encrypt(seed, randomUUID());
    checkWrapped(wrapped);
    return { seed, wrapped };
  }
}

/** Key ids are shown as their hash: some are secrets of their owner. */
const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

const listed = (problems: readonly string[]) => (problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
