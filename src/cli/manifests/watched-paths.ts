// Changes of files and folders, joined: editors write a file in several steps.

import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Changes of one save come within this time. */
const quietMs = 80;

export class WatchedPaths {
  readonly #watchers: readonly FSWatcher[];
  #timer: NodeJS.Timeout | undefined;

  constructor(paths: readonly string[], recursive: boolean, onChange: () => void) {
    const later = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(onChange, quietMs);
    };
    this.#watchers = paths.map((path) => {
      if (statSync(path).isDirectory()) return watch(path, { recursive }, later);
      // a file that an editor replaces is another file: its folder is watched
      const name = basename(path);
      return watch(dirname(path), (_, changed) => (changed === null || changed === name) && later());
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }
}
