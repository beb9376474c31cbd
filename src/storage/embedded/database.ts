// The LMDB environment in a data folder: its tables and the version of their layout.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Database, RootDatabase } from 'lmdb';
import { type Revision, revision } from '../../meta/revision.ts';

/** Bumped when the layout on disk changes; a newer one is refused. */
const formatVersion = 1;

export class UnknownFormatError extends Error {}

// its CommonJS form is one file and loads faster
const { open } = createRequire(import.meta.url)('lmdb') as typeof import('lmdb');

export interface TableSet {
  readonly meta: Database<number | string, string>;
  readonly current: Database<Buffer, string>;
  readonly log: Database<Buffer, number>;
  readonly expiring: Database<string, [at: number, revision: number]>;
}

/**
 * Where address space costs nothing, all that the data file may grow to is reserved at once: LMDB would map a file that
 * outgrows its mapping again, and keep the old mappings.
 */
const reservedMapping = hasUnlimitedAddressSpace() ? { mapSize: 64 * 1024 ** 3, remapChunks: false } : {};

function hasUnlimitedAddressSpace(): boolean {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return false;
  try {
    return /^Max address space +unlimited /m.test(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return false;
  }
}

export function openRoot(folder: string, { readOnly = false, flushes = true } = {}): RootDatabase {
  return open({
    path: folder,
    encoding: 'binary',
    // a folder, whatever its name looks like
    noSubdir: false,
    maxDbs: 8,
    readOnly,
    noSync: !flushes,
    ...reservedMapping,
    // a commit resolves after fsync, not before
    overlappingSync: false,
    // a batch is already one transaction; the promise of the event tick would fail unhandled
    eventTurnBatching: false,
  });
}

export function openDatabases(root: RootDatabase): TableSet {
  return {
    meta: root.openDB({ name: 'meta', encoding: 'json' }),
    current: root.openDB({ name: 'current', encoding: 'binary' }),
    log: root.openDB({ name: 'log', encoding: 'binary' }),
    expiring: root.openDB({ name: 'expiring', encoding: 'string' }),
  };
}

/** Refuses a layout that this program does not read; a new folder gets the present one. */
export function checkFormat(meta: TableSet['meta'], folder: string, { readOnly = false } = {}): void {
  const storedFormat = meta.get('format');
  if (storedFormat === undefined) {
    if (!readOnly) meta.putSync('format', formatVersion);
    return;
  }
  const problem = formatProblem(storedFormat);
  if (problem !== undefined) throw new UnknownFormatError(`${folder} ${problem}`);
}

function formatProblem(format: unknown): string | undefined {
  if (!Number.isSafeInteger(format) || (format as number) < 1)
    return `has a format that never was, ${JSON.stringify(format)}; restore a snapshot into another folder`;
  if ((format as number) <= formatVersion) return undefined;
  const versions = `(format ${format}, this one reads ${formatVersion})`;
  return `was written by a newer version ${versions}; install that version, or restore an older snapshot into another folder`;
}

/** Notes the release that writes from now on. Values after the newest revision of another release are its own. */
export function noteRelease({ meta, log }: TableSet, release: string): void {
  if (meta.get('release') === release) return;
  const [last = 0] = log.getKeys({ reverse: true, limit: 1 });
  meta.putSync('release', release);
  meta.putSync('ownSince', Math.max(last, Number(meta.get('compacted') ?? 0)) + 1);
}

/** The first revision that the release which opened the data folder may have written; never, where that is unknown. */
export function readOwnSince(meta: TableSet['meta']): Revision {
  return revision(Number(meta.get('ownSince') ?? Number.MAX_SAFE_INTEGER));
}
