// Builds what has changed, once before the tests of the console.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build.mjs'), '--if-stale'], {
    stdio: 'inherit',
  });
}
