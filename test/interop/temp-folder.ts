// A folder that is gone at the closing brace.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class TempFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'keelson-interop-'));

  /** Writes a file and gives its path. */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
