// Long documents: written and hashed piece by piece, so that other requests do not wait for them.

import { createHash } from 'node:crypto';
import { stringifyJson } from '../base/json/json.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { forEachInTurns } from '../base/time/turns.ts';

/** One after the other, the bytes of a document. */
export type Chunks = readonly Uint8Array[];

/** The members of a large part of a document, one after the other; other requests are served in between. */
export function eachMember<T>(
  value: Readonly<Record<string, T>>,
  work: (name: string, member: T) => MaybePromise<void>,
): MaybePromise<void> {
  return forEachInTurns(Object.entries(value), ([name, member]) => work(name, member));
}

/** Texts are gathered until they have about this many characters. */
const gathered = 64 * 1024;

/** JSON whose members are written one by one down to a depth; what is below that is written at once. */
export async function jsonChunks(value: object, depth: number): Promise<Chunks> {
  const chunks: Uint8Array[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') chunks.push(Buffer.from(text));
    text = '';
  };
  await writeMembers(value, depth, (part) => {
    text += part;
    if (text.length >= gathered) flush();
  });
  flush();
  return chunks;
}

function writeMembers(value: object, depth: number, write: (part: string) => void): MaybePromise<void> {
  let before = '{';
  const written = eachMember(value as Readonly<Record<string, unknown>>, (name, member) => {
    if (member === undefined) return;
    write(`${before}${JSON.stringify(name)}:`);
    before = ',';
    if (depth > 1 && isPlain(member)) return writeMembers(member, depth - 1, write);
    write(stringifyJson(member));
  });
  return andThen(written, () => write(before === '{' ? '{}' : '}'));
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** SHA-512 in hexadecimal. */
export async function hashOf(chunks: Chunks): Promise<string> {
  const hash = createHash('sha512');
  await forEachInTurns(chunks, (chunk) => {
    hash.update(chunk);
  });
  return hash.digest('hex').toUpperCase();
}

export const lengthOf = (chunks: Chunks): number => chunks.reduce((sum, { length }) => sum + length, 0);
