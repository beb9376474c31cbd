// The headers of an answer, as they are decoded field by field. The other server chooses all of it.

import { bareRecord } from '../../base/maps/bare-record.ts';
import { makesSense } from '../../http2/field-sense.ts';
import type { FieldSink } from '../../http2/hpack-decoder.ts';
import { type HeaderField, sizeOf } from '../../http2/hpack-tables.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';

export interface DecodedHeaders {
  /** 0 if the status is missing. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The connection is valid, the answer is not: a name or value is invalid or in a wrong place. */
  readonly isMalformed: boolean;
}

/** Bytes of all fields of one answer; a field that is referred to again counts again. */
const maxListBytes = 64 * 1024;

export class AnswerHeaders implements DecodedHeaders, FieldSink {
  readonly headers = bareRecord<string | readonly string[]>();
  status = 0;
  isMalformed = false;
  #bytes = 0;
  #hasFields = false;

  add(field: HeaderField): void {
    const { name, value } = field;
    this.#bytes += sizeOf(field);
    if (this.#bytes > maxListBytes) throw new Http2Error(errorCodes.enhanceYourCalm);
    if (name.charCodeAt(0) === colon) this.#pseudo(name, value);
    else {
      this.#hasFields = true;
      if (isField(field)) this.#put(name, value);
      else this.isMalformed = true;
    }
  }

  /** An answer has one of them, before all others. */
  #pseudo(name: string, value: string): void {
    if (name === ':status' && this.status === 0 && !this.#hasFields && /^[1-9]\d\d$/.test(value))
      this.status = Number(value);
    else this.isMalformed = true;
  }

  /** Joins repeated headers as Node does. */
  #put(name: string, value: string): void {
    const before = this.headers[name];
    if (name === 'set-cookie') this.headers[name] = [...((before as readonly string[] | undefined) ?? []), value];
    else this.headers[name] = before === undefined ? value : `${before as string}, ${value}`;
  }
}

const colon = 0x3a;

/** Only a client may say which trailers it takes. */
const isField = (field: HeaderField): boolean => makesSense(field) && field.name !== 'te';
