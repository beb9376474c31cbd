// How long the disk under the data folders takes to make a small write durable: it bounds every durable create.
import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../stats.mjs';

const WRITES = 50;
const TMPFS = 0x01021994;

export function syncMs(folder) {
  const file = openSync(join(folder, 'sync-probe'), 'w');
  const page = Buffer.alloc(4096, 'x');
  const times = Array.from({ length: WRITES }, () => {
    const started = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  return median(times);
}

/** On tmpfs nothing is durable and syncing is free: creates look better than they are. */
export function isMemoryFolder(folder) {
  return statfsSync(folder).type === TMPFS;
}
