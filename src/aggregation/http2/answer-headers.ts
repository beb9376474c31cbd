// The headers of an answer, as they are decoded field by field. The other server chooses all of it.

import type { FieldSink } from '../../http2/hpack-decoder.ts';
import { type HeaderField, sizeOf } from '../../http2/hpack-tables.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';

export interface DecodedHeaders {
  /** 0 where there is none. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** A name or value is none that HTTP knows: the connection is in order, the answer is not. */
  readonly isMalformed: boolean;
}

/** Bytes of all fields of one answer; a field that is referred to again counts again. */
const maxListBytes = 64 * 1024;

const validName = /^:?[!#$%&'*+.^_`|~0-9a-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no value may have
const invalidValue = /[\x00\r\n]/;

export class AnswerHeaders implements DecodedHeaders, FieldSink {
  readonly headers: Record<string, string | readonly string[]> = Object.create(null) as Record<string, string>;
  status = 0;
  isMalformed = false;
  #bytes = 0;

  add(field: HeaderField): void {
    const { name, value } = field;
    this.#bytes += sizeOf(field);
    if (this.#bytes > maxListBytes) throw new Http2Error(errorCodes.enhanceYourCalm);
    if (name === ':status') this.status = /^[1-9]\d\d$/.test(value) ? Number(value) : 0;
    else if (!validName.test(name) || name.startsWith(':') || invalidValue.test(value)) this.isMalformed = true;
    else this.#put(name, value);
  }

  /** As Node shows what was sent several times. */
  #put(name: string, value: string): void {
    const before = this.headers[name];
    if (name === 'set-cookie') this.headers[name] = [...((before as readonly string[] | undefined) ?? []), value];
    else this.headers[name] = before === undefined ? value : `${before as string}, ${value}`;
  }
}
