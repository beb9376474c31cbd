// The W3C trace context: ids of a trace and of the span that calls, as `traceparent` and `tracestate` carry them.

import { randomFillSync } from 'node:crypto';
import type { TraceContext } from '../meta/request-notes.ts';

const hex = /^[0-9a-f]+$/;
const zeros = /^0+$/;
/** Longer values are not passed on: the standard asks for at least 512 characters. */
const maxStateLength = 512;
const maxStateMembers = 32;

/** Undefined for an absent or invalid header. Later versions of the format may append fields. */
export function parseTraceParent(parent: string | undefined, state: string | undefined): TraceContext | undefined {
  if (parent === undefined || parent.length > 256) return undefined;
  const [version = '', traceId = '', spanId = '', flags = '', ...more] = parent.trim().split('-');
  if (!isId(version, 2, true) || version === 'ff' || (version === '00' && more.length > 0)) return undefined;
  if (!isId(traceId, 32) || !isId(spanId, 16) || !isId(flags, 2, true)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, isSampled, state: validState(state) };
}

function isId(text: string, length: number, mayBeZero = false): boolean {
  return text.length === length && hex.test(text) && (mayBeZero || !zeros.test(text));
}

function validState(state: string | undefined): string | undefined {
  if (state === undefined || state.length > maxStateLength || state.trim() === '') return undefined;
  const members = state.split(',').map((member) => member.trim());
  if (members.length > maxStateMembers) return undefined;
  const isValid = members.every(
    (member) => member === '' || /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x7e]{0,256}$/.test(member),
  );
  return isValid ? state.trim() : undefined;
}

/** Headers of a call that belongs to the span. */
export function traceHeaders(
  { traceId, isSampled, state }: TraceContext,
  spanId: string,
): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}

/** Random bytes are expensive one by one. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const text = pool.toString('hex', used - bytes, used);
  return zeros.test(text) ? randomHex(bytes) : text;
}

export const newTraceId = (): string => randomHex(16);
export const newSpanId = (): string => randomHex(8);

const million = 1_000_000;

/**
 * Whether a trace without a sampled parent is among those that are kept. Decided by the id, as OpenTelemetry does it, so that
 * all servers decide equally: the last 8 bytes without their lowest bit are compared with a part of 2^63.
 */
export function isSampledAtRate(traceId: string, perMillion: number): boolean {
  if (perMillion <= 0) return false;
  if (perMillion >= million) return true;
  const bound = (BigInt(Math.round(perMillion)) << 63n) / BigInt(million);
  return BigInt(`0x${traceId.slice(16)}`) >> 1n < bound;
}
