// Follows a collection: lists it, watches it, and starts again by itself when the stream ends.

import { type Clock, systemClock } from '../base/time/clock.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Client, WatchEvent } from './client.ts';

export interface InformerOptions {
  readonly client: Client;
  /** The clock of the system when not given. */
  readonly clock?: Clock;
  /** Path of the collection; selectors may follow as a query. */
  readonly path: string;
  /** An object is new or has changed; called for every object after each list. */
  onChange(object: ApiObject): void;
  onDelete?(object: ApiObject): void;
  /** The server could not be followed; another attempt is made after a pause. */
  onError(error: unknown): void;
}

/** The history was compacted: the collection has to be listed again. */
class Expired extends Error {}

const retryMs = 1000;

export class Informer {
  readonly #options: InformerOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let version: string | undefined;
    while (!this.#stop.signal.aborted) {
      try {
        version ??= await this.#list();
        version = await this.#watch(version);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        version = undefined;
        if (error instanceof Expired) continue;
        this.#options.onError(error);
        await this.#pause();
      }
    }
  }

  async #list(): Promise<string> {
    const { metadata, items } = await this.#options.client.list(this.#options.path);
    for (const item of items) this.#options.onChange(item);
    return metadata.resourceVersion;
  }

  /** The version to go on from when the stream has ended. */
  async #watch(from: string): Promise<string> {
    let version = from;
    for await (const event of this.#options.client.watch(this.#options.path, from, this.#stop.signal)) {
      version = this.#take(event) ?? version;
    }
    return version;
  }

  #take({ type, object }: WatchEvent): string | undefined {
    if (type === 'ERROR') throw new Expired();
    if (type === 'DELETED') this.#options.onDelete?.(object);
    else if (type !== 'BOOKMARK') this.#options.onChange(object);
    return object.metadata.resourceVersion;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const { clock = systemClock } = this.#options;
      const timer = clock.after(retryMs, resolve);
      this.#stop.signal.addEventListener(
        'abort',
        () => {
          timer.cancel();
          resolve();
        },
        { once: true },
      );
    });
  }
}
