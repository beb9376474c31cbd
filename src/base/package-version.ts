// The version of this package, as its package.json has it.

import { readFileSync } from 'node:fs';

export function packageVersion(): string {
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
