// A log file that is put aside when it is full. Old files carry the time in their names, may be compressed, and go
// when there are too many or they are too old.

import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../base/time/clock.ts';
import type { LineSink } from './log-backend.ts';

export interface RotationConfig {
  readonly path: string;
  readonly maxBytes: number;
  /** Old files to keep; 0 for all. */
  readonly maxBackups: number;
  /** Days to keep old files; 0 for ever. */
  readonly maxAgeDays: number;
  readonly compresses: boolean;
}

const dayMs = 24 * 3600 * 1000;

export class RotatingFile implements LineSink {
  readonly #config: RotationConfig;
  readonly #clock: Clock;
  readonly #onTidyError: (error: unknown) => void;
  #file: FileHandle | undefined;
  #size = 0;
  /** The last write failed in the middle of a line. */
  #isTorn = false;
  #tidying: Promise<void> | undefined;

  constructor(config: RotationConfig, clock: Clock, onTidyError: (error: unknown) => void) {
    this.#config = config;
    this.#clock = clock;
    this.#onTidyError = onTidyError;
  }

  /** Opens the file, so that a path that cannot be written to is found at once. */
  async open(): Promise<void> {
    await mkdir(dirname(this.#config.path), { recursive: true });
    this.#file = await open(this.#config.path, 'a', 0o600);
    this.#size = (await this.#file.stat()).size;
  }

  async append(text: string): Promise<void> {
    // readers of the file get whole lines again after one that was cut
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    if (this.#file === undefined) await this.open();
    if (this.#size > 0 && this.#size + bytes.length > this.#config.maxBytes) await this.#rotate();
    await this.#writeAll(this.#file as FileHandle, bytes);
  }

  async close(): Promise<void> {
    await this.#tidying;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
    let at = 0;
    try {
      while (at < bytes.length) {
        const { bytesWritten } = await file.write(bytes, at);
        at += bytesWritten;
        this.#size += bytesWritten;
      }
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn ||= at > 0;
      throw error;
    }
  }

  async #rotate(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await rename(this.#config.path, await this.#backupPath());
    this.#isTorn = false;
    await this.open();
    // one at a time; the next rotation looks at everything again
    this.#tidying ??= this.#tidy().finally(() => {
      this.#tidying = undefined;
    });
  }

  /** A name that no file has. */
  async #backupPath(): Promise<string> {
    const { stem, suffix, folder } = this.#names();
    const taken = new Set(await readdir(folder));
    for (let at = this.#clock.now(); ; at++) {
      const name = `${stem}-${timestamp(at)}${suffix}`;
      if (!taken.has(name) && !taken.has(`${name}.gz`)) return join(folder, name);
    }
  }

  #names() {
    const { path } = this.#config;
    const suffix = extname(path);
    return { folder: dirname(path), suffix, stem: basename(path, suffix) };
  }

  async #tidy(): Promise<void> {
    try {
      const { folder } = this.#names();
      const backups = await this.#dropOld();
      if (!this.#config.compresses) return;
      for (const { name } of backups) if (!name.endsWith('.gz')) await compress(join(folder, name));
    } catch (error) {
      this.#onTidyError(error);
    }
  }

  /** Deletes old files and returns the others. */
  async #dropOld(): Promise<readonly Backup[]> {
    const { maxBackups, maxAgeDays } = this.#config;
    const { folder, stem, suffix } = this.#names();
    const backupsInFolder = (await readdir(folder)).flatMap((name) => backupOf(name, `${stem}-`, suffix));
    const newestFirst = backupsInFolder.sort((a, b) => b.at - a.at);
    const oldest = maxAgeDays === 0 ? Number.NEGATIVE_INFINITY : this.#clock.now() - maxAgeDays * dayMs;
    const keeps = ({ at }: Backup, index: number) => at >= oldest && (maxBackups === 0 || index < maxBackups);
    const dropped = newestFirst.filter((backup, index) => !keeps(backup, index));
    for (const { name } of dropped) await unlink(join(folder, name));
    return newestFirst.filter((backup) => !dropped.includes(backup));
  }
}

interface Backup {
  readonly name: string;
  readonly at: number;
}

/** `2026-11-15T19-13-36.123`: a time without characters that file systems mind. */
const timestamp = (ms: number) => new Date(ms).toISOString().slice(0, -1).replaceAll(':', '-');

const backupTime = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

function backupOf(name: string, prefix: string, suffix: string): readonly Backup[] {
  const plain = name.endsWith('.gz') ? name.slice(0, -'.gz'.length) : name;
  if (!plain.startsWith(prefix) || !plain.endsWith(suffix)) return [];
  const match = backupTime.exec(plain.slice(prefix.length, plain.length - suffix.length));
  if (match === null) return [];
  const at = Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
  return Number.isNaN(at) ? [] : [{ name, at }];
}

/** Writes under another name until the file is complete: every .gz file can be read. */
async function compress(path: string): Promise<void> {
  const partial = `${path}.gz.partial`;
  const { createGzip } = await import('node:zlib');
  await pipeline(createReadStream(path), createGzip(), createWriteStream(partial, { mode: 0o600 }));
  await rename(partial, `${path}.gz`);
  await unlink(path);
}
