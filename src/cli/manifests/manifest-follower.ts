// Keeps a server equal to manifests on disk: applies them at the start and after each save.

import { statSync } from 'node:fs';
import { UsageError } from '../usage-error.ts';
import type { LocalServer } from './local-server.ts';
import { ManifestSync, type SyncOptions, type SyncResult } from './manifest-sync.ts';
import { WatchedPaths } from './watched-paths.ts';

interface FollowerOptions extends SyncOptions {
  onSync(result: SyncResult): void;
  /** The manifests could not be read at all. */
  onError(message: string): void;
}

/** Throws a UsageError for a path that cannot be followed. */
export function checkFollowedPaths(paths: readonly string[]): void {
  if (paths.includes('-')) throw new UsageError('standard input cannot be followed: name a file or a folder');
  for (const path of paths)
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(`${path}: there is no such file or folder`);
}

export class ManifestFollower {
  readonly #options: FollowerOptions;
  readonly #sync: ManifestSync;
  #watched: WatchedPaths | undefined;
  /** One after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(server: LocalServer, options: FollowerOptions) {
    this.#options = options;
    this.#sync = new ManifestSync(server, options);
  }

  /** Resolves when the manifests are applied; later changes are followed. */
  async start(): Promise<void> {
    const { paths, recursive } = this.#options;
    await this.apply();
    if (paths.length > 0) this.#watched = new WatchedPaths(paths, recursive, () => void this.apply());
  }

  /** Applies the manifests as they are now. */
  apply(): Promise<void> {
    this.#work = this.#work.then(async () => {
      try {
        this.#options.onSync(await this.#sync.run());
      } catch (error) {
        this.#options.onError((error as Error).message);
      }
    });
    return this.#work;
  }

  /** Applies the manifests again after `restore` has removed all objects of them. */
  reapplyAfter(restore: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      await restore();
      this.#sync.forget();
    });
    return this.apply();
  }

  async close(): Promise<void> {
    this.#watched?.close();
    await this.#work;
  }
}
