// The version of this package, as its package.json has it.

import { readFileSync } from 'node:fs';

let known: string | undefined;

/** Read once: it does not change while the process runs. */
export function packageVersion(): string {
  known ??= readVersion();
  return known;
}

function readVersion(): string {
  // the sources and the built files stand at different depths
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as Record<
        string,
        string
      >;
      if (name === 'keelson' && version !== undefined) return version;
    } catch {
      // try the next one
    }
  }
  return '0.0.0';
}
