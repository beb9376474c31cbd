// Canonical JSON text to a protobuf message in one pass: no object is made.
// What canonical text does not hold, such as members out of order or nulls in lists, is left to `encodeMessage`.

import { findMember, skipValue, UnexpectedJsonError } from '../../base/json/json-member.ts';
import { parseJsonText } from '../../base/json/json-scan.ts';
import type { StructType } from '../../schema/types.ts';
import { writeValue } from './message.ts';
import { type RecentField, RecentValues } from './recent-values.ts';
import {
  backslash,
  closeBrace,
  closeList,
  colon,
  comma,
  dot,
  escapes,
  firstField,
  integerField,
  letterF,
  letterN,
  letterT,
  letterZ,
  openBrace,
  openList,
  quote,
  secondInteger,
  thirdText,
  zero,
} from './text-bytes.ts';
import { unicodeEscape } from './text-escape.ts';
import { Pieces } from './text-pieces.ts';
import { type TextMember, type TextPart, type TextPlan, textPlanOf, type ValueForm } from './text-plan.ts';
import { microsAt, secondsAt } from './text-time.ts';
import { ProtobufWriter, varintLength } from './writer.ts';

/** Memory for messages that is kept. */
const keptBytes = 256 * 1024;
/** Characters of a string that are copied one by one before the rest is copied as a block. */
const shortString = 64;
/** Longer integers may be rounded. */
const maxDigits = 15;

const noText = Buffer.alloc(0);
/** The text is not canonical. One for all: its stack would cost more than the message. */
const irregular = new Error('the text is not canonical');

class TextTranscoder {
  #json: Buffer = noText;
  #at = 0;
  #out = Buffer.allocUnsafeSlow(keptBytes);
  /** Where the next byte is written. A byte behind the end of `#out` is counted only. */
  #to = 0;
  /** The next backslash in the text; not looked for yet where it is before `#at`. */
  #slash = -1;
  readonly #pieces = new Pieces();
  readonly #recent = new RecentValues();

  /** A message of the whole text. The next call uses its memory again. Undefined for a text that is not canonical. */
  whole(type: StructType, json: Buffer): Uint8Array | undefined {
    return this.#run(json, () => {
      this.#object(textPlanOf(type));
      return this.#at === json.length;
    });
  }

  /** A message of one member of the text only. */
  onlyMember(type: StructType, name: string, json: Buffer): Uint8Array | undefined {
    return this.#run(json, () => {
      const part = textPlanOf(type).find(name)?.part;
      this.#at = findMember(json, 0, name);
      if (part === undefined || this.#at < 0) return false;
      this.#field(part);
      return true;
    });
  }

  #run(json: Buffer, write: () => boolean): Uint8Array | undefined {
    this.#json = json;
    try {
      this.#begin();
      if (!write()) return undefined;
      if (this.#to > this.#out.length) {
        this.#out = Buffer.allocUnsafeSlow(this.#to);
        this.#begin();
        write();
      }
      return this.#out.subarray(0, this.#to);
    } catch (error) {
      if (error === irregular || error instanceof UnexpectedJsonError) return undefined;
      throw error;
    } finally {
      this.#json = noText;
      if (this.#out.length > keptBytes) this.#out = Buffer.allocUnsafeSlow(keptBytes);
    }
  }

  #begin(): void {
    this.#pieces.clear();
    this.#at = 0;
    this.#to = 0;
    this.#slash = -1;
  }

  #object(plan: TextPlan): void {
    if (this.#json[this.#at] !== openBrace) throw irregular;
    this.#at++;
    this.#members(plan);
    this.#at++;
  }

  /** From a key or the closing brace up to the closing brace, or up to a key that is not of a nested plan. */
  #members(plan: TextPlan): void {
    const json = this.#json;
    const pieces = plan.isInOrder ? undefined : this.#pieces;
    const firstPiece = this.#pieces.begin();
    let next = 0;
    let previous: TextMember | undefined;
    while (json[this.#at] !== closeBrace) {
      const member = this.#member(plan, previous);
      if (member === undefined && plan.isNested) break;
      if (member !== undefined) previous = member;
      const part = member?.part;
      if (part === undefined) this.#at = skipValue(json, this.#at);
      else {
        if (part.index < next) throw irregular;
        if (json[this.#at] !== letterN) {
          this.#zeros(plan, next, part.index, pieces);
          next = part.index + 1;
          pieces?.add(part.place, this.#to);
          if (part.nested === undefined) this.#field(part);
          else this.#nested(part, part.nested);
        } else this.#at += 4;
      }
      if (json[this.#at] === comma) this.#at++;
    }
    this.#zeros(plan, next, plan.parts.length, pieces);
    pieces?.sort(firstPiece, this.#out, this.#to);
  }

  /**
   * Reads a key. Afterwards the text is at the value, except for members of a nested plan and for unknown members in one, whose
   * key is still to be read.
   */
  #member(plan: TextPlan, previous: TextMember | undefined): TextMember | undefined {
    const predicted = previous === undefined ? plan.first : previous.next;
    if (predicted !== undefined && this.#isKey(predicted.key)) {
      if (predicted.part?.nested === undefined) this.#at += predicted.key.length;
      return predicted;
    }
    const end = this.#endOfKey();
    const member = plan.memberAt(this.#json, this.#at + 1, end);
    if (member === undefined ? !plan.isNested : member.part?.nested === undefined) this.#at = end + 2;
    if (member !== undefined) {
      if (previous === undefined) plan.first = member;
      else previous.next = member;
    }
    return member;
  }

  #isKey(key: Uint8Array): boolean {
    const json = this.#json;
    const at = this.#at;
    for (let i = 0; i < key.length; i++) if (json[at + i] !== key[i]) return false;
    return true;
  }

  #endOfKey(): number {
    const json = this.#json;
    if (json[this.#at] !== quote) throw irregular;
    let end = this.#at + 1;
    while (json[end] !== quote) {
      if (json[end] === backslash || end >= json.length) throw irregular;
      end++;
    }
    if (json[end + 1] !== colon) throw irregular;
    return end;
  }

  /** Writes what is written even where the text lacks it. */
  #zeros(plan: TextPlan, from: number, to: number, pieces: Pieces | undefined): void {
    const { nextZero, parts } = plan;
    for (let i = nextZero[from] as number; i < to; i = nextZero[i + 1] as number) {
      const { zero, place } = parts[i] as TextPart;
      pieces?.add(place, this.#to);
      this.#bytes(zero);
    }
  }

  #nested(part: TextPart, plan: TextPlan): void {
    this.#bytes(part.tag);
    const start = this.#to;
    const width = part.lengthBytes;
    this.#to += width;
    this.#members(plan);
    part.lengthBytes = this.#close(start, width);
  }

  #field({ form, tag, recent }: TextPart): void {
    if (recent?.isTried === true) this.#repeated(form as ValueForm, tag, recent);
    else this.#fieldOf(form as ValueForm, tag);
  }

  /** Copies a field that another object had too. */
  #repeated(form: ValueForm, tag: Uint8Array, recent: RecentField): void {
    const json = this.#json;
    const at = this.#at;
    const start = this.#to;
    const value = this.#recent.copy(recent, json, at, { out: this.#out, to: start });
    if (value !== undefined) {
      this.#at += value.textLength;
      this.#to += value.messageLength;
      return;
    }
    this.#fieldOf(form, tag);
    if (this.#to <= this.#out.length)
      this.#recent.keep(recent, json.subarray(at, this.#at), this.#out.subarray(start, this.#to));
  }

  #fieldOf(form: ValueForm, tag: Uint8Array): void {
    if (form.is === 'list') this.#items(form.of as ValueForm, tag);
    else if (form.is === 'map') this.#entries(form, tag);
    else {
      this.#bytes(tag);
      this.#value(form);
    }
  }

  #items(of: ValueForm, tag: Uint8Array): void {
    const json = this.#json;
    if (json[this.#at] !== openList) throw irregular;
    this.#at++;
    while (json[this.#at] !== closeList) {
      this.#bytes(tag);
      this.#value(of);
      if (json[this.#at] === comma) this.#at++;
      else if (json[this.#at] !== closeList) throw irregular;
    }
    this.#at++;
  }

  #entries(form: ValueForm, tag: Uint8Array): void {
    const json = this.#json;
    const of = form.of as ValueForm;
    if (json[this.#at] !== openBrace) throw irregular;
    this.#at++;
    while (json[this.#at] !== closeBrace) {
      this.#bytes(tag);
      const start = this.#to;
      const width = form.lengthBytes;
      this.#to += width + 1;
      this.#out[start + width] = firstField;
      this.#string();
      if (json[this.#at] !== colon) throw irregular;
      this.#at++;
      this.#bytes(form.valueTag);
      this.#value(of);
      form.lengthBytes = this.#close(start, width);
      if (json[this.#at] === comma) this.#at++;
      else if (json[this.#at] !== closeBrace) throw irregular;
    }
    this.#at++;
  }

  #value(form: ValueForm): void {
    const { is } = form;
    if (is === 'string') this.#string();
    else if (is === 'struct') this.#struct(form);
    else if (is === 'integer') this.#integer(form);
    else if (is === 'bool') this.#bool();
    else if (is === 'date-time' || is === 'micro-time') this.#time(form);
    else if (is === 'int-or-string') this.#intOrString(form);
    else if (is === 'double' || is === 'bytes') this.#other(form);
    else this.#message(form);
  }

  /** What is in its own message. */
  #message(form: ValueForm): void {
    const start = this.#to;
    const width = form.lengthBytes;
    this.#to += width;
    if (form.is === 'quantity') this.#text();
    else if (form.is === 'json') this.#jsonText();
    else if (form.is === 'union') this.#alternatives(form);
    else if (form.is === 'map') throw irregular;
    else this.#items(form.of as ValueForm, form.valueTag);
    form.lengthBytes = this.#close(start, width);
  }

  #struct(form: ValueForm): void {
    const start = this.#to;
    const width = form.lengthBytes;
    this.#to += width;
    this.#object(form.plan);
    form.lengthBytes = this.#close(start, width);
  }

  /** Writes the length of what was written behind `width` bytes at `start`. Returns how many bytes the length takes. */
  #close(start: number, width: number): number {
    const out = this.#out;
    let length = this.#to - start - width;
    const needed = varintLength(length);
    if (needed !== width) {
      out.copyWithin(start + needed, start + width, this.#to);
      this.#to += needed - width;
    }
    let at = start;
    while (length > 127) {
      out[at++] = (length & 127) | 128;
      length >>>= 7;
    }
    out[at] = length;
    return needed;
  }

  /** A string with its length. */
  #string(): void {
    const start = this.#to;
    this.#to++;
    this.#characters();
    const length = this.#to - start - 1;
    if (length < 128) this.#out[start] = length;
    else this.#close(start, 1);
  }

  #characters(): void {
    const json = this.#json;
    const out = this.#out;
    if (json[this.#at] !== quote) throw irregular;
    let at = this.#at + 1;
    let to = this.#to;
    let blockAt = at + shortString;
    for (;;) {
      const byte = json[at] as number;
      if (byte === quote) break;
      if (byte === backslash || at >= blockAt) {
        this.#at = at;
        this.#to = to;
        if (byte === backslash) this.#escape();
        else this.#block();
        at = this.#at;
        to = this.#to;
        blockAt = at + shortString;
      } else {
        out[to++] = byte;
        at++;
      }
    }
    this.#at = at + 1;
    this.#to = to;
  }

  /** Copies up to the next quote or backslash. */
  #block(): void {
    const json = this.#json;
    const at = this.#at;
    const end = json.indexOf(quote, at);
    if (end < 0) throw irregular;
    if (this.#slash < at) {
      const slash = json.indexOf(backslash, at);
      this.#slash = slash < 0 ? json.length : slash;
    }
    const stop = Math.min(end, this.#slash);
    json.copy(this.#out, Math.min(this.#to, this.#out.length), at, stop);
    this.#to += stop - at;
    this.#at = stop;
  }

  #escape(): void {
    const letter = this.#json[this.#at + 1] as number;
    const byte = escapes[letter];
    if (byte !== undefined) {
      this.#out[this.#to++] = byte;
      this.#at += 2;
      return;
    }
    const text = unicodeEscape(this.#json, this.#at);
    if (text === undefined) throw irregular;
    this.#bytes(Buffer.from(JSON.parse(`"${text}"`) as string));
    this.#at += text.length;
  }

  #bytes(bytes: Uint8Array): void {
    const out = this.#out;
    let to = this.#to;
    for (let i = 0; i < bytes.length; i++) out[to++] = bytes[i] as number;
    this.#to = to;
  }

  #varint(value: number): void {
    const out = this.#out;
    let rest = value;
    while (rest > 127) {
      out[this.#to++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    out[this.#to++] = rest;
  }

  #integer(form: ValueForm): void {
    const value = this.#digits();
    if (value < 0) this.#other(form);
    else this.#varint(value);
  }

  /** An integer that a double holds; -1 for any other number, which is still to be read. */
  #digits(): number {
    const json = this.#json;
    const start = this.#at;
    let at = start;
    let value = 0;
    for (;;) {
      const digit = (json[at] as number) - zero;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      at++;
    }
    const end = json[at];
    const isEnd = end === comma || end === closeBrace || end === closeList;
    if (at === start || at - start > maxDigits || !isEnd) return -1;
    this.#at = at;
    return value;
  }

  #bool(): void {
    const isTrue = this.#json[this.#at] === letterT;
    if (!isTrue && this.#json[this.#at] !== letterF) throw irregular;
    this.#out[this.#to++] = isTrue ? 1 : 0;
    this.#at += isTrue ? 4 : 5;
  }

  /** A string as the first field of a message. */
  #text(): void {
    this.#out[this.#to++] = firstField;
    this.#string();
  }

  #jsonText(): void {
    const json = this.#json;
    const at = this.#at;
    if (json[at] === letterN) throw irregular;
    const end = skipValue(json, at);
    this.#out[this.#to++] = firstField;
    this.#varint(end - at);
    json.copy(this.#out, Math.min(this.#to, this.#out.length), at, end);
    this.#to += end - at;
    this.#at = end;
  }

  #time(form: ValueForm): void {
    const json = this.#json;
    const at = this.#at;
    const seconds = json[at] === quote ? secondsAt(json, at + 1) : -1;
    const hasMicros = form.is === 'micro-time' && json[at + 20] === dot;
    const micros = hasMicros ? microsAt(json, at + 21) : 0;
    const end = at + (hasMicros ? 27 : 20);
    if (seconds < 0 || micros < 0 || json[end] !== letterZ || json[end + 1] !== quote) {
      this.#other(form);
      return;
    }
    const start = this.#to;
    this.#out[start + 1] = integerField;
    this.#to += 2;
    this.#varint(seconds);
    this.#out[this.#to++] = secondInteger;
    this.#varint(micros * 1000);
    this.#close(start, 1);
    this.#at = end + 2;
  }

  #intOrString(form: ValueForm): void {
    const isText = this.#json[this.#at] === quote;
    const start = this.#to;
    const number = isText ? 0 : this.#digits();
    if (number < 0) {
      this.#other(form);
      return;
    }
    this.#out[start + 1] = integerField;
    this.#out[start + 2] = isText ? 1 : 0;
    this.#out[start + 3] = secondInteger;
    this.#to += 4;
    this.#varint(number);
    this.#out[this.#to++] = thirdText;
    if (isText) this.#string();
    else this.#out[this.#to++] = 0;
    this.#close(start, 1);
  }

  /** As `writeUnion` of the encoder of objects. */
  #alternatives(form: ValueForm): void {
    const first = this.#json[this.#at];
    const is = first === openList ? 'list' : first === openBrace ? 'struct' : 'bool';
    const chosen = form.alternatives.find((one) => one.form.is === is);
    if (chosen === undefined) throw irregular;
    for (const one of form.alternatives) {
      if (one === chosen) this.#fieldOf(one.form, one.tag);
      else if (one.form.is === 'bool') {
        this.#bytes(one.tag);
        this.#out[this.#to++] = 1;
      }
    }
  }

  /** A value that is rare or written in a rare way. */
  #other({ type }: ValueForm): void {
    const json = this.#json;
    const end = skipValue(json, this.#at);
    const value = parseJsonText(json.toString('utf8', this.#at, end));
    const field = new ProtobufWriter();
    writeValue(1, type, value, field);
    this.#bytes(field.finish().subarray(1));
    this.#at = end;
  }
}

/** One for all: a message is complete before anything else happens. */
export const textTranscoder = new TextTranscoder();
