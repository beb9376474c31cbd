// A snapshot as a file: a header, the current entries of the store, and a hash over everything before it.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Revision, revision } from '../../meta/revision.ts';
import type { LogRecord } from '../mvcc/tables.ts';
import { decodeRecord, encodeRecord, maxRevision, recordProblem } from './record.ts';

// magic · header as a line of JSON · entries: length (4) · revision (6) · record · end: 0 (4) · count (6) · SHA-256 (32)
const magic = Buffer.from('keelson snapshot\n');
const frameLength = 10;
const hashLength = 32;
/** Bumped when the layout of the file changes; a newer one is refused. */
const snapshotFormat = 1;

export class SnapshotError extends Error {}

interface SnapshotHeader {
  readonly format: number;
  /** The revision that the entries show. */
  readonly revision: Revision;
}

export interface SnapshotSummary extends SnapshotHeader {
  readonly objects: number;
  /** Of the file, in bytes. */
  readonly size: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly hash: string;
}

/** Writes a whole file or none. */
export async function writeSnapshot(
  path: string,
  at: Revision,
  records: Iterable<LogRecord>,
): Promise<SnapshotSummary> {
  const draft = `${path}.partial`;
  rmSync(draft, { force: true });
  try {
    const summary = await writeDraft(draft, at, records);
    renameSync(draft, path);
    return summary;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

async function writeDraft(draft: string, at: Revision, records: Iterable<LogRecord>): Promise<SnapshotSummary> {
  const header: SnapshotHeader = { format: snapshotFormat, revision: at };
  // objects are secrets as often as not
  const out = createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true });
  const failed = finished(out);
  failed.catch(() => {});
  const hash = createHash('sha256');
  let size = 0;
  let objects = 0;
  const write = async (bytes: Buffer) => {
    size += bytes.length;
    hash.update(bytes);
    if (!out.write(bytes)) await Promise.race([once(out, 'drain'), failed]);
  };
  await write(Buffer.concat([magic, Buffer.from(`${JSON.stringify(header)}\n`)]));
  for (const record of records) {
    const bytes = encodeRecord(record);
    await write(Buffer.concat([frame(bytes.length, record.revision), bytes]));
    objects++;
  }
  await write(frame(0, objects));
  const digest = hash.digest();
  out.end(digest);
  await failed;
  return { ...header, objects, size: size + digest.length, hash: digest.toString('hex') };
}

function frame(length: number, number: number): Buffer {
  const out = Buffer.allocUnsafe(frameLength);
  out.writeUInt32BE(length, 0);
  out.writeUIntBE(number, 4, 6);
  return out;
}

/**
 * Reads a whole file, entry by entry. Only at the end is it known whether the file is sound; throws `SnapshotError`
 * when it is not.
 */
export async function readSnapshot(
  path: string,
  take: (record: LogRecord, header: SnapshotHeader) => void | Promise<void> = () => {},
): Promise<SnapshotSummary> {
  const handle = await open(path);
  const stream = handle.createReadStream({ highWaterMark: 1024 * 1024, autoClose: false });
  try {
    return await readFrom(new ByteSource(stream, (await handle.stat()).size), path, take);
  } finally {
    stream.destroy();
    await handle.close();
  }
}

async function readFrom(
  source: ByteSource,
  path: string,
  take: (record: LogRecord, header: SnapshotHeader) => void | Promise<void>,
): Promise<SnapshotSummary> {
  const broken = (why: string) => new SnapshotError(`${path}: ${why}`);
  if (!(await source.take(magic.length))?.equals(magic)) throw broken('this is no snapshot of Keelson');
  const header = parseHeader(await source.takeLine(), broken);
  let objects = 0;
  for (;;) {
    const head = await source.take(frameLength);
    if (head === undefined) throw broken('the file ends too early');
    const length = head.readUInt32BE(0);
    const number = head.readUIntBE(4, 6);
    if (length === 0) {
      if (number !== objects) throw broken(`${number} objects were saved, ${objects} are there`);
      break;
    }
    if (number === 0 || number > header.revision)
      throw broken(`an entry has revision ${number}, the snapshot is of revision ${header.revision}`);
    const bytes = await source.take(length);
    if (bytes === undefined) throw broken('the file ends too early');
    const problem = recordProblem(bytes);
    if (problem !== undefined) throw broken(`the entry at revision ${number} ${problem}`);
    await take(decodeRecord(revision(number), bytes), header);
    objects++;
  }
  const hash = source.hash();
  const storedHash = await source.take(hashLength);
  if (storedHash === undefined || storedHash.toString('hex') !== hash)
    throw broken('the content does not match its hash');
  if (!(await source.atEnd())) throw broken('something follows the end of the snapshot');
  return { ...header, objects, size: source.size, hash };
}

function parseHeader(line: string | undefined, broken: (why: string) => SnapshotError): SnapshotHeader {
  const header = parseJson(line) as Partial<SnapshotHeader> | undefined;
  if (!Number.isSafeInteger(header?.format) || !Number.isSafeInteger(header?.revision)) {
    throw broken('the header cannot be read');
  }
  const { format, revision: at } = header as SnapshotHeader;
  if (format > snapshotFormat) {
    throw broken(
      `it was written by a newer version (format ${format}, this one reads ${snapshotFormat}); restore it with that version`,
    );
  }
  if (format < 1) throw broken(`there is no format ${format}`);
  if (at < 0 || at > maxRevision) throw broken(`revision ${at} is out of range`);
  return { format, revision: revision(at) };
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Headers are short; a longer line is no header. */
const maxLine = 4096;

/** Bytes of a stream, in the portions that the reader wants. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  readonly #length: number;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes taken so far. */
  size = 0;

  constructor(stream: Readable, length: number) {
    this.#length = length;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Undefined when the stream ends before. */
  async take(length: number): Promise<Buffer | undefined> {
    // before anything is kept for it
    if (length > this.#length - this.size) return undefined;
    const parts = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(length);
    const taken = all.subarray(0, length);
    this.#hash.update(taken);
    this.size += length;
    return taken;
  }

  async takeLine(): Promise<string | undefined> {
    let line = '';
    for (;;) {
      const byte = (await this.take(1))?.toString('latin1');
      if (byte === undefined || line.length > maxLine) return undefined;
      if (byte === '\n') return line;
      line += byte;
    }
  }

  /** Of everything taken so far. */
  hash(): string {
    return this.#hash.copy().digest('hex');
  }

  async atEnd(): Promise<boolean> {
    return this.#rest.length === 0 && (await this.#chunks.next()).done === true;
  }
}

/** Makes names in a folder durable, where the system can. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch {
    // some systems cannot flush folders
  } finally {
    await handle.close();
  }
}
