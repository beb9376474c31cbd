// How records and pointers are laid out on disk.

import { type Revision, revision } from '../../meta/revision.ts';
import type { CurrentEntry, LogRecord } from '../mvcc/tables.ts';

// record:  flags (1) · previous revision (6) · key length (2) · key · value
// pointer: flags (1) · revision (6)
const deletedFlag = 1;
const headerLength = 9;

export function encodeRecord(record: LogRecord): Buffer {
  const keyLength = Buffer.byteLength(record.key);
  const out = Buffer.allocUnsafe(headerLength + keyLength + (record.value?.length ?? 0));
  out[0] = record.value === undefined ? deletedFlag : 0;
  out.writeUIntBE(record.previous, 1, 6);
  out.writeUInt16BE(keyLength, 7);
  out.write(record.key, headerLength);
  if (record.value !== undefined) out.set(record.value, headerLength + keyLength);
  return out;
}

export function decodeRecord(at: Revision, bytes: Buffer): LogRecord {
  const valueStart = headerLength + bytes.readUInt16BE(7);
  return {
    revision: at,
    previous: revision(bytes.readUIntBE(1, 6)),
    key: bytes.toString('utf8', headerLength, valueStart),
    value: bytes[0] === deletedFlag ? undefined : bytes.subarray(valueStart),
  };
}

export function encodePointer(at: Revision, deleted: boolean): Buffer {
  const out = Buffer.allocUnsafe(7);
  out[0] = deleted ? deletedFlag : 0;
  out.writeUIntBE(at, 1, 6);
  return out;
}

export function decodePointer(key: string, bytes: Buffer): CurrentEntry {
  return { key, revision: revision(bytes.readUIntBE(1, 6)), deleted: bytes[0] === deletedFlag };
}
