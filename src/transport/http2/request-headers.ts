// The headers of a request over HTTP/2, field by field as they are decoded, and whether they make sense (RFC 9113, section 8).

import { makesSense } from '../../http2/field-sense.ts';
import type { FieldSink } from '../../http2/hpack-decoder.ts';
import { type HeaderField, sizeOf } from '../../http2/hpack-tables.ts';

/** Bytes of all fields of one request; a field that is referred to again counts again. */
export const maxListBytes = 64 * 1024;
/** As many as over HTTP/1.1. */
const maxFields = 2000;

const validMethod = /^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/;
const validPath = /^(?:\/[\x21-\x7e\x80-\xff]*|\*)$/;
/** Without user info, which is no part of it. */
const validAuthority = /^[\w!$%&'()*+,.:;=[\]~-]+$/;
const validScheme = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const validLength = /^\d{1,15}$/;

/** Of these the first counts; of others all of them together. */
export const singleHeaders: ReadonlySet<string> = new Set([
  ...[
    'age',
    'authorization',
    'content-encoding',
    'content-language',
    'content-length',
    'content-location',
    'content-md5',
  ],
  ...[
    'content-range',
    'content-type',
    'date',
    'dnt',
    'etag',
    'expires',
    'from',
    'host',
    'if-match',
    'if-modified-since',
  ],
  ...['if-none-match', 'if-range', 'if-unmodified-since', 'last-modified', 'location', 'max-forwards'],
  ...['proxy-authorization', 'range', 'referer', 'retry-after', 'user-agent', 'x-content-type-options'],
  ...['access-control-max-age', 'access-control-request-method', 'upgrade-insecure-requests', 'tk'],
]);

export class RequestHeaders implements FieldSink {
  method: string | undefined;
  path: string | undefined;
  scheme: string | undefined;
  authority: string | undefined;
  /** Bytes of the body, if the client sent its length. */
  contentLength: number | undefined;
  /** More or longer fields than are read: none of them counts. */
  isTooLarge = false;
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #bytes = 0;
  #isMalformed = false;

  add(field: HeaderField): void {
    this.#bytes += sizeOf(field);
    if (this.#bytes > maxListBytes || this.#names.length >= maxFields) this.isTooLarge = true;
    else if (field.name.charCodeAt(0) === 0x3a) this.#addPseudo(field.name, field.value);
    else this.#addField(field);
  }

  /** Bytes of all fields, as HPACK counts them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a request that has all of its headers makes no sense; `isWhole` where it has no body. */
  isMalformed(isWhole: boolean): boolean {
    const { method, path, scheme, authority } = this;
    if (this.#isMalformed || method === undefined) return true;
    if (isWhole && this.contentLength !== undefined && this.contentLength !== 0) return true;
    if (method === 'CONNECT') return path !== undefined || scheme !== undefined || authority === undefined;
    if (path === undefined || scheme === undefined || (path === '*' && method !== 'OPTIONS')) return true;
    return this.#isForAnother();
  }

  get(name: string): string | undefined {
    const at = this.#names.indexOf(name);
    if (at < 0) return name === ':authority' ? this.authority : undefined;
    const first = this.#values[at] as string;
    return this.#names.indexOf(name, at + 1) < 0 || singleHeaders.has(name) ? first : this.#joined(name);
  }

  hasPrefix(prefix: string): boolean {
    for (const name of this.#names) if (name.startsWith(prefix)) return true;
    return false;
  }

  pairs(): readonly (readonly [string, string])[] {
    return this.#names.map((name, at) => [name, this.#values[at] as string]);
  }

  /** Both have to name the same server. */
  #isForAnother(): boolean {
    const at = this.#names.indexOf('host');
    if (at < 0) return this.authority === undefined;
    const host = this.#values[at] as string;
    if (!validAuthority.test(host) || this.#names.indexOf('host', at + 1) >= 0) return true;
    return this.authority !== undefined && this.authority.toLowerCase() !== host.toLowerCase();
  }

  #joined(name: string): string {
    return this.#values.filter((_, at) => this.#names[at] === name).join(', ');
  }

  #addPseudo(name: string, value: string): void {
    // they come before all others
    const isEarly = this.#names.length === 0;
    if (name === ':path' && isEarly && this.path === undefined && validPath.test(value)) this.path = value;
    else if (name === ':method' && isEarly && this.method === undefined && validMethod.test(value)) this.method = value;
    else if (name === ':scheme' && isEarly && this.scheme === undefined && validScheme.test(value)) this.scheme = value;
    else if (name === ':authority' && isEarly && this.authority === undefined && validAuthority.test(value))
      this.authority = value;
    else this.#isMalformed = true;
  }

  #addField(field: HeaderField): void {
    if (!makesSense(field)) this.#isMalformed = true;
    const { name, value } = field;
    if (name === 'content-length') this.#addLength(value);
    // in crumbs, it is easier to compress
    const before = name === 'cookie' ? this.#names.indexOf(name) : -1;
    if (before >= 0) this.#values[before] += `; ${value}`;
    else {
      this.#names.push(name);
      this.#values.push(value);
    }
  }

  #addLength(value: string): void {
    if (this.contentLength !== undefined || !validLength.test(value)) this.#isMalformed = true;
    else this.contentLength = Number(value);
  }
}

/** Fields behind a body: nothing here asks for them, but they have to make sense. */
export class RequestTrailers implements FieldSink {
  isMalformed = false;

  add(field: HeaderField): void {
    if (!makesSense(field)) this.isMalformed = true;
  }
}
