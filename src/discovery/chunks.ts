// Long documents, made and hashed in short turns, so that other requests do not wait for them.

import { createHash } from 'node:crypto';
import { stringifyJson } from '../base/json.ts';
import { YieldTimer } from '../base/yield-timer.ts';

/** One after the other, the bytes of a document. */
export type Chunks = readonly Uint8Array[];

/** Texts are gathered until they have about this many characters. */
const gathered = 64 * 1024;

/** JSON whose members are written one by one down to a depth; what is below that is written at once. */
export async function jsonChunks(value: object, depth: number): Promise<Chunks> {
  const pace = new YieldTimer();
  const chunks: Uint8Array[] = [];
  let text = '';
  for (const part of jsonParts(value, depth)) {
    text += part;
    if (text.length >= gathered) {
      chunks.push(Buffer.from(text));
      text = '';
    }
    if (pace.isDue) await pace.rest();
  }
  return text === '' ? chunks : [...chunks, Buffer.from(text)];
}

function* jsonParts(value: object, depth: number): Iterable<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const head = `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (depth > 1 && isPlain(member)) {
      yield head;
      yield* jsonParts(member, depth - 1);
    } else yield `${head}${stringifyJson(member)}`;
  }
  yield before === '{' ? '{}' : '}';
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** SHA-256 in hexadecimal. */
export async function hashOf(chunks: Chunks): Promise<string> {
  const pace = new YieldTimer();
  const hash = createHash('sha512');
  for (const chunk of chunks) {
    hash.update(chunk);
    if (pace.isDue) await pace.rest();
  }
  return hash.digest('hex').toUpperCase();
}

export const lengthOf = (chunks: Chunks): number => chunks.reduce((sum, { length }) => sum + length, 0);
