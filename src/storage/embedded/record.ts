// How records and pointers are laid out on disk.

import { isUtf8 } from 'node:buffer';
import { passingBuffer } from '../../base/passing-bytes.ts';
import { type Revision, revision } from '../../meta/revision.ts';
import type { CurrentEntry, LogRecord } from '../mvcc/tables.ts';

// record:  flags (1) · previous revision (6) · key length (2) · key · [end, in milliseconds (6)] · value
// pointer: flags (1) · revision (6)
const deletedFlag = 1;
const expiresFlag = 2;
const headerLength = 9;
/** LMDB takes no longer ones. */
const maxKey = 1978;
/** Half of what fits: a server that begins with the largest has as many revisions left as were used before. */
export const maxRevision = 2 ** 47;

/** How many bytes `encodeRecord` makes of a record. */
export function recordLength({ key, value, expiresAt }: LogRecord): number {
  return headerLength + Buffer.byteLength(key) + (expiresAt === undefined ? 0 : 6) + (value?.length ?? 0);
}

export function encodeRecord(record: LogRecord): Buffer {
  const keyLength = Buffer.byteLength(record.key);
  const valueStart = headerLength + keyLength + (record.expiresAt === undefined ? 0 : 6);
  const out = passingBuffer(valueStart + (record.value?.length ?? 0));
  out[0] = (record.value === undefined ? deletedFlag : 0) | (record.expiresAt === undefined ? 0 : expiresFlag);
  out.writeUIntBE(record.previous, 1, 6);
  out.writeUInt16BE(keyLength, 7);
  out.write(record.key, headerLength);
  if (record.expiresAt !== undefined) out.writeUIntBE(record.expiresAt, headerLength + keyLength, 6);
  if (record.value !== undefined) out.set(record.value, valueStart);
  return out;
}

export function decodeRecord(at: Revision, bytes: Buffer): LogRecord {
  const flags = bytes[0] as number;
  const keyEnd = headerLength + bytes.readUInt16BE(7);
  const expires = (flags & expiresFlag) !== 0;
  return {
    revision: at,
    previous: revision(bytes.readUIntBE(1, 6)),
    key: bytes.toString('utf8', headerLength, keyEnd),
    value: flags & deletedFlag ? undefined : bytes.subarray(expires ? keyEnd + 6 : keyEnd),
    ...(expires ? { expiresAt: bytes.readUIntBE(keyEnd, 6) } : {}),
  };
}

/** The value in a record, in the memory of the record; undefined for a delete. */
export function recordValue(bytes: Buffer): Buffer | undefined {
  const flags = bytes[0] as number;
  if ((flags & deletedFlag) !== 0) return undefined;
  return bytes.subarray(headerLength + bytes.readUInt16BE(7) + (flags & expiresFlag ? 6 : 0), bytes.length);
}

/** The error of foreign bytes as the record of an existing object; undefined if they are valid. */
export function recordProblem(bytes: Buffer): string | undefined {
  if (bytes.length < headerLength) return 'is shorter than its head';
  const flags = bytes[0] as number;
  if ((flags & ~expiresFlag) !== 0) return flags & deletedFlag ? 'is of a deleted object' : 'has unknown flags';
  if (bytes.readUIntBE(1, 6) !== 0) return 'replaces another one';
  const keyLength = bytes.readUInt16BE(7);
  if (keyLength === 0 || keyLength > maxKey) return `has a key of ${keyLength} bytes`;
  if (headerLength + keyLength + (flags & expiresFlag ? 6 : 0) > bytes.length) return 'is shorter than its lengths say';
  return isUtf8(bytes.subarray(headerLength, headerLength + keyLength)) ? undefined : 'has a key that is no text';
}

export function encodePointer(at: Revision, deleted: boolean): Buffer {
  const out = passingBuffer(7);
  out[0] = deleted ? deletedFlag : 0;
  out.writeUIntBE(at, 1, 6);
  return out;
}

export function decodePointer(key: string, bytes: Buffer): CurrentEntry {
  return { key, revision: revision(bytes.readUIntBE(1, 6)), deleted: bytes[0] === deletedFlag };
}
