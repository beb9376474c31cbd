// What the protobuf layouts of OpenAPI 2 and 3, those of the gnostic project, have in common.

import { stringifyJson } from '../../base/json/json.ts';
import { lengthPrefix, ProtobufWriter } from '../../codec/protobuf/writer.ts';
import { type Chunks, eachMember, lengthOf } from '../chunks.ts';

export type Json = Readonly<Record<string, unknown>>;

export const entries = (value: unknown): [string, unknown][] => Object.entries((value ?? {}) as Json);

/** Documents of other servers may leave out what ours always have. */
export const textIn = (value: unknown) => (value ?? '') as string;
export const textsIn = (value: unknown) => (value ?? []) as readonly string[];
/** A type, or several. */
export const typesIn = (value: unknown) => (Array.isArray(value) ? value : [value]) as readonly string[];

/** Maps are lists of name and value. */
export function named(out: ProtobufWriter, number: number, name: string, write: (value: ProtobufWriter) => void): void {
  out.message(number, (entry) => entry.string(1, name).message(2, write));
}

/** The entries of a large map, one after the other; other requests are served in between. */
export async function eachNamed(
  members: unknown,
  number: number,
  write: (out: ProtobufWriter, member: Json) => void,
): Promise<Chunks> {
  const chunks: Uint8Array[] = [];
  await eachMember((members ?? {}) as Readonly<Record<string, Json>>, (name, member) => {
    const out = new ProtobufWriter();
    named(out, number, name, (value) => write(value, member));
    chunks.push(out.finish());
  });
  return chunks;
}

/** A message that was written in parts. */
export const messageOf = (number: number, parts: Chunks): Chunks => [lengthPrefix(number, lengthOf(parts)), ...parts];

/** Any value, as YAML text; JSON is YAML. */
export function writeAny(out: ProtobufWriter, value: unknown): void {
  out.string(2, `${stringifyJson(value)}\n`);
}

export function writeExtensions(out: ProtobufWriter, number: number, source: Json, write = writeAny): void {
  for (const [key, value] of Object.entries(source)) {
    if (key.startsWith('x-')) named(out, number, key, (any) => write(any, value));
  }
}

/** What a client has to show: names of ways, each with the scopes that it needs. */
export function writeSecurity(out: ProtobufWriter, number: number, requirements: unknown): void {
  for (const requirement of (requirements ?? []) as Json[]) {
    out.message(number, (all) => {
      for (const [name, scopes] of entries(requirement))
        named(all, 1, name, (list) => {
          for (const scope of scopes as string[]) list.string(1, scope);
        });
    });
  }
}
