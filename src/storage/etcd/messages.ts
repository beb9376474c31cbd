// The few messages of etcd's v3 API that a store needs. Field numbers are those of etcdserverpb and mvccpb.

import { asBytes, asInteger, asText, readFields } from '../../codec/protobuf/reader.ts';
import { ProtobufWriter } from '../../codec/protobuf/writer.ts';

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly modRevision: number;
}

export interface RangeRequest {
  readonly key: string;
  /** Exclusive; a single key when absent. */
  readonly end?: string;
  readonly limit?: number;
  /** The latest when absent. */
  readonly revision?: number;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  readonly revision: number;
  readonly entries: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export function encodeRange({ key, end, limit, revision, countOnly }: RangeRequest): Buffer {
  const out = new ProtobufWriter().string(1, key);
  if (end !== undefined) out.string(2, end);
  if (limit !== undefined) out.integer(3, limit);
  if (revision !== undefined) out.integer(4, revision);
  if (countOnly) out.bool(9, true);
  return out.finish();
}

export function decodeRange(bytes: Uint8Array): RangeResponse {
  const entries: KeyValue[] = [];
  let revision = 0;
  let more = false;
  let count = 0;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) revision = decodeHeader(asBytes(value));
    else if (number === 2) entries.push(decodeKeyValue(asBytes(value)));
    else if (number === 3) more = asInteger(value) !== 0;
    else if (number === 4) count = asInteger(value);
  }
  return { revision, entries, more, count };
}

function decodeHeader(bytes: Uint8Array): number {
  for (const { number, value } of readFields(bytes)) if (number === 3) return asInteger(value);
  return 0;
}

function decodeKeyValue(bytes: Uint8Array): KeyValue {
  let key = '';
  let value: Uint8Array = new Uint8Array(0);
  let modRevision = 0;
  for (const field of readFields(bytes)) {
    if (field.number === 1) key = asBytes(field.value).toString();
    else if (field.number === 3) modRevision = asInteger(field.value);
    // copied: the message it stands in is larger and would be kept alive
    else if (field.number === 5) value = Uint8Array.from(asBytes(field.value));
  }
  return { key, value, modRevision };
}

interface TxnRequest {
  readonly key: string;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
  /** The key must have been modified last at this revision; 0 means it must not exist. */
  readonly expected: number;
  /** The lease that ends the key. */
  readonly lease?: number;
}

interface TxnResponse {
  readonly succeeded: boolean;
  readonly revision: number;
  /** The entry as it is, when the condition did not hold. */
  readonly current: KeyValue | undefined;
}

const targetMod = 2;

/** One write under one condition; when that does not hold, the entry is read instead. */
export function encodeTxn({ key, value, expected, lease = 0 }: TxnRequest): Buffer {
  const out = new ProtobufWriter();
  out.message(1, (compare) => compare.integer(2, targetMod).string(3, key).integer(6, expected));
  out.message(2, (success) => {
    if (value === undefined) success.message(3, (remove) => remove.string(1, key));
    else success.message(2, (put) => put.string(1, key).bytes(2, value).integer(3, lease));
  });
  return out.message(3, (failure) => failure.bytes(1, encodeRange({ key }))).finish();
}

export function decodeTxn(bytes: Uint8Array): TxnResponse {
  let succeeded = false;
  let revision = 0;
  let current: KeyValue | undefined;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) revision = decodeHeader(asBytes(value));
    else if (number === 2) succeeded = asInteger(value) !== 0;
    else if (number === 3) current = decodeResponseRange(asBytes(value));
  }
  return { succeeded, revision, current };
}

function decodeResponseRange(bytes: Uint8Array): KeyValue | undefined {
  for (const { number, value } of readFields(bytes)) if (number === 1) return decodeRange(asBytes(value)).entries[0];
  return undefined;
}

export const encodeCompaction = (revision: number): Buffer => new ProtobufWriter().integer(1, revision).finish();

export const encodeLeaseGrant = (id: number, ttlSeconds: number): Buffer =>
  new ProtobufWriter().integer(1, ttlSeconds).integer(2, id).finish();

export const encodeAuthenticate = (name: string, password: string): Buffer =>
  new ProtobufWriter().string(1, name).string(2, password).finish();

export function decodeToken(bytes: Uint8Array): string {
  for (const { number, value } of readFields(bytes)) if (number === 2) return asText(value);
  return '';
}

export function encodeWatchCreate(key: string, end: string, startRevision: number): Buffer {
  const out = new ProtobufWriter();
  out.message(1, (create) =>
    create.string(1, key).string(2, end).integer(3, startRevision).bool(4, true).bool(6, true),
  );
  return out.finish();
}

export const encodeWatchProgress = (): Buffer => new ProtobufWriter().message(3, () => {}).finish();

export interface WatchedEvent {
  readonly deleted: boolean;
  readonly entry: KeyValue;
  readonly previous: KeyValue | undefined;
}

interface WatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** More than 0 if the watch was canceled because its history was compacted. */
  readonly compactRevision: number;
  readonly events: readonly WatchedEvent[];
}

export function decodeWatch(bytes: Uint8Array): WatchResponse {
  const events: WatchedEvent[] = [];
  const response = { revision: 0, created: false, canceled: false, compactRevision: 0 };
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) response.revision = decodeHeader(asBytes(value));
    else if (number === 3) response.created = asInteger(value) !== 0;
    else if (number === 4) response.canceled = asInteger(value) !== 0;
    else if (number === 5) response.compactRevision = asInteger(value);
    else if (number === 11) events.push(decodeEvent(asBytes(value)));
  }
  return { ...response, events };
}

function decodeEvent(bytes: Uint8Array): WatchedEvent {
  let deleted = false;
  let entry: KeyValue = { key: '', value: new Uint8Array(0), modRevision: 0 };
  let previous: KeyValue | undefined;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) deleted = asInteger(value) === 1;
    else if (number === 2) entry = decodeKeyValue(asBytes(value));
    else if (number === 3) previous = decodeKeyValue(asBytes(value));
  }
  return { deleted, entry, previous };
}
