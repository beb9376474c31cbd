// Writes the header fields of one end of a connection (RFC 7541). Most of them are the same from request to request, or from answer
// to answer: those become a number.

import { fieldOf, type HeaderField, sizeOf, staticFields, usualTableBytes } from './hpack-tables.ts';
import type { OutgoingBytes } from './outgoing-bytes.ts';

/** Different nearly every time: in the table they would only push out others. */
const passing = new Set([
  ':path',
  'audit-id',
  'content-length',
  'if-match',
  'if-none-match',
  'traceparent',
  'x-forwarded-uri',
]);
const maxRemembered = 1024;

const staticNames = new Map<string, number>();
const staticValues = new Map<string, number>();
staticFields.forEach(({ name, value }, at) => {
  if (!staticNames.has(name)) staticNames.set(name, at + 1);
  if (value !== '') staticValues.set(`${name}=${value}`, at + 1);
});

const staticStatus = new Map(
  staticFields.flatMap(({ name, value }, at) => (name === ':status' ? [[Number(value), at + 1] as const] : [])),
);

export class HpackEncoder {
  /** By name and value: how many fields were remembered before. */
  readonly #cachedBlock = new Map<string, Map<string, number>>();
  /** The newest last. */
  readonly #table: HeaderField[] = [];
  #tableBytes = 0;
  #maxTableBytes = usualTableBytes;
  /** The smallest size since the last block, where it changed. */
  #smallest: number | undefined;
  #added = 0;
  /** What lists of fields became while the table was as it is now. */
  #blocks: WeakMap<object, Buffer> | undefined;

  /** What the other end can remember. */
  resize(bytes: number): void {
    const most = Math.min(bytes, usualTableBytes);
    if (most === this.#maxTableBytes) return;
    this.#smallest = Math.min(most, this.#smallest ?? most);
    this.#maxTableBytes = most;
    this.#blocks = undefined;
    this.#evict();
  }

  /** To be called before the fields of a block. */
  begin(out: OutgoingBytes): void {
    const smallest = this.#smallest;
    if (smallest === undefined) return;
    this.#smallest = undefined;
    // the other end forgets what did not fit meanwhile
    if (smallest < this.#maxTableBytes) out.number(0x20, 5, smallest);
    out.number(0x20, 5, this.#maxTableBytes);
  }

  status(out: OutgoingBytes, status: number): void {
    const fixed = staticStatus.get(status);
    if (fixed === undefined) this.field(out, ':status', String(status));
    else out.byte(0x80 | fixed);
  }

  field(out: OutgoingBytes, name: string, value: string): void {
    const at = this.#cachedBlock.get(name)?.get(value);
    if (at === undefined) this.#write(out, name, value);
    else out.number(0x80, 7, staticFields.length + this.#added - at);
  }

  /** Requests that say the same have the same object: it is looked up once, and is the same bytes until the table changes. */
  fields(out: OutgoingBytes, fields: Readonly<Record<string, string | readonly string[]>>): void {
    const cachedBlock = this.#blocks?.get(fields);
    if (cachedBlock !== undefined) {
      out.append(cachedBlock);
      return;
    }
    const from = out.length;
    const added = this.#added;
    for (const name in fields) {
      const value = fields[name] as string | readonly string[];
      if (typeof value === 'string') this.field(out, name, value);
      else for (const one of value) this.field(out, name, one);
    }
    if (this.#added !== added) return;
    this.#blocks ??= new WeakMap();
    this.#blocks.set(fields, out.copy(from));
  }

  #write(out: OutgoingBytes, name: string, value: string): void {
    const fixed = name.startsWith(':') ? staticValues.get(`${name}=${value}`) : undefined;
    if (fixed !== undefined) {
      out.number(0x80, 7, fixed);
      return;
    }
    const isKept = !passing.has(name) && value.length <= maxRemembered;
    const named = staticNames.get(name) ?? 0;
    if (isKept) out.number(0x40, 6, named);
    else out.number(0, 4, named);
    if (named === 0) out.text(name);
    out.text(value);
    if (isKept) this.#remember(fieldOf(name, value));
  }

  #remember(field: HeaderField): void {
    const values = this.#cachedBlock.get(field.name) ?? new Map<string, number>();
    this.#cachedBlock.set(field.name, values.set(field.value, this.#added));
    this.#added++;
    this.#blocks = undefined;
    this.#table.push(field);
    this.#tableBytes += sizeOf(field);
    this.#evict();
  }

  #evict(): void {
    while (this.#tableBytes > this.#maxTableBytes) {
      const field = this.#table.shift() as HeaderField;
      const { name, value } = field;
      this.#tableBytes -= sizeOf(field);
      const values = this.#cachedBlock.get(name);
      values?.delete(value);
      if (values?.size === 0) this.#cachedBlock.delete(name);
    }
  }
}
