// Objects that hold only those fields of a canonical JSON text that are read of them. Which fields these are is learned from
// objects of a declared type: one whose code reads another field is made again, with that field. After a few objects of a kind
// no field is missing. For objects that a user's schema describes, the paths to the fields are given.
//
// Code that lists the fields of an object, or copies them all, must not be given such an object.

import { setOwn } from '../base/json/json.ts';
import { skipValue, UnexpectedJsonError } from '../base/json/json-member.ts';
import { parseJsonText } from '../base/json/json-scan.ts';
import type { SchemaType, StructType } from '../schema/types.ts';

/** A field was read that objects do not hold yet. */
class MissingField {
  readonly fields: PartialFields;
  readonly name: string;

  constructor(fields: PartialFields, name: string) {
    this.fields = fields;
    this.name = name;
  }
}

/** A key, and what becomes of its value. */
interface Member {
  /** With quotes and colon. */
  readonly key: Uint8Array;
  readonly name: string;
  readonly type: SchemaType | undefined;
  /** Its place in canonical text. */
  readonly index: number;
  isRead: boolean;
  /** Of an object, or of the items of a list of objects; without it the value is read as a whole. */
  inner: PartialFields | undefined;
  /** The member that followed this one last. */
  next: Member | undefined;
}

/** The fields of the objects in one place. */
class PartialFields {
  readonly Partial = partialClass();
  /** The place of the last field that is read; unknown where it is infinite. */
  last = -1;
  /** How many fields are read. */
  readCount = 0;
  first: Member | undefined;
  /** By the text of the key, without quotes. */
  readonly #members = new Map<string, Member>();

  /** Fields that are learned when they are read. */
  static ofType({ fields }: StructType, more: readonly string[] = []): PartialFields {
    const own = new PartialFields();
    for (const name of more) own.#learn(name, undefined);
    for (const { name, type } of fields) own.#learn(name, type);
    return own;
  }

  /** Values at the ends of the paths, of which none is empty. */
  static ofPaths(paths: readonly FieldPath[]): PartialFields {
    const own = new PartialFields();
    for (const name of new Set(paths.map(([first]) => first as string))) {
      const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      const member = own.#add(name, undefined);
      member.isRead = true;
      if (below.every(({ length }) => length > 0)) member.inner = PartialFields.ofPaths(below);
      own.readCount++;
    }
    own.last = Number.POSITIVE_INFINITY;
    return own;
  }

  /** `key` is the text between the quotes. */
  find(key: string): Member | undefined {
    return this.#members.get(key);
  }

  /** From now on objects hold this field. */
  read(name: string): void {
    const member = this.find(name) as Member;
    member.isRead = true;
    this.readCount++;
    const item = member.type?.is === 'list' ? member.type.of : member.type;
    if (item?.is === 'struct') member.inner = PartialFields.ofType(item);
    this.last = Math.max(this.last, member.index);
    delete (this.Partial.prototype as Record<string, unknown>)[name];
  }

  #learn(name: string, type: SchemaType | undefined): void {
    this.#add(name, type);
    const get = () => {
      throw new MissingField(this, name);
    };
    Object.defineProperty(this.Partial.prototype, name, { get, configurable: true });
  }

  #add(name: string, type: SchemaType | undefined): Member {
    const key = Buffer.from(`${JSON.stringify(name)}:`);
    const member = { key, name, type, index: this.#members.size, isRead: false, inner: undefined, next: undefined };
    this.#members.set(key.toString('latin1', 1, key.length - 2), member);
    return member;
  }
}

/** Objects of one class have one shape in V8. */
const partialClass = (): (new () => Record<string, unknown>) => class Partial {} as new () => Record<string, unknown>;

/** Names of fields that lead from an object to a value inside it. */
export type FieldPath = readonly string[];

/** Reads one object. */
type ReadPartial = (text: Buffer, metadataEnd: number) => Record<string, unknown>;

export class PartialObjects {
  readonly #fields: PartialFields;
  #text: Buffer = noText;
  #at = 0;
  #fieldCount = 0;
  #valueBytes = 0;
  /** Fields of the metadata, while these are being read, and where it ends. */
  #metadata: PartialFields | undefined;
  #metadataEnd = 0;

  private constructor(fields: PartialFields) {
    this.#fields = fields;
  }

  /** Objects that hold what was read of others of their type. */
  static ofType(type: StructType): PartialObjects {
    return new PartialObjects(PartialFields.ofType(type, ['kind', 'apiVersion']));
  }

  /** Objects that hold what is at the ends of the paths; a value where a path expects an object is held as it is. */
  static ofPaths(paths: readonly FieldPath[]): PartialObjects {
    return new PartialObjects(PartialFields.ofPaths(paths));
  }

  /** How many fields objects hold: one that was read when there were fewer lacks some. */
  get fieldCount(): number {
    return this.#fieldCount;
  }

  /** Bytes of text that the values of the last object were made of. */
  get valueBytes(): number {
    return this.#valueBytes;
  }

  /** Calls `use` once more whenever an object lacks a field that it reads. */
  reading<R>(use: (read: ReadPartial) => R): R {
    for (;;) {
      try {
        return use((text, metadataEnd) => this.#read(text, metadataEnd));
      } catch (error) {
        if (!(error instanceof MissingField)) throw error;
        error.fields.read(error.name);
        this.#fieldCount++;
      } finally {
        this.#text = noText;
      }
    }
  }

  #read(text: Buffer, metadataEnd: number): Record<string, unknown> {
    this.#text = text;
    this.#at = 0;
    this.#valueBytes = 0;
    this.#metadata = this.#fields.find('metadata')?.inner;
    this.#metadataEnd = metadataEnd;
    return this.#object(this.#fields);
  }

  #object(fields: PartialFields): Record<string, unknown> {
    const text = this.#text;
    const object = new fields.Partial();
    if (text[this.#at] !== openBrace) throw new UnexpectedJsonError();
    this.#at++;
    let previous: Member | undefined;
    let readCount = 0;
    while (text[this.#at] !== closeBrace) {
      const member = this.#member(fields, previous);
      if (member !== undefined) {
        previous = member;
        if (member.index > fields.last && this.#canEnd(fields)) return object;
      }
      if (member?.isRead === true) {
        setOwn(object, member.name, this.#value(member));
        readCount++;
        if (readCount === fields.readCount && this.#canEnd(fields)) return object;
      } else this.#at = skipValue(text, this.#at);
      if (text[this.#at] === comma) this.#at++;
      else if (text[this.#at] !== closeBrace) throw new UnexpectedJsonError();
    }
    this.#at++;
    return object;
  }

  /** Where nothing that is read follows: metadata ends at a place that is at hand, and behind the whole object nothing is read. */
  #canEnd(fields: PartialFields): boolean {
    if (fields === this.#metadata) this.#at = this.#metadataEnd;
    return fields === this.#metadata || fields === this.#fields;
  }

  /** Reads a key, up to its value. Undefined for one that the type does not have. */
  #member(fields: PartialFields, previous: Member | undefined): Member | undefined {
    const predicted = previous === undefined ? fields.first : previous.next;
    if (predicted !== undefined && this.#isKey(predicted.key)) {
      this.#at += predicted.key.length;
      return predicted;
    }
    const text = this.#text;
    if (text[this.#at] !== quote) throw new UnexpectedJsonError();
    const end = skipValue(text, this.#at);
    const member = fields.find(text.toString('latin1', this.#at + 1, end - 1));
    this.#at = end + 1;
    if (member !== undefined && previous === undefined) fields.first = member;
    else if (member !== undefined && previous !== undefined) previous.next = member;
    return member;
  }

  #isKey(key: Uint8Array): boolean {
    const text = this.#text;
    const at = this.#at;
    for (let i = 0; i < key.length; i++) if (text[at + i] !== key[i]) return false;
    return true;
  }

  #value(member: Member): unknown {
    const { inner } = member;
    const first = this.#text[this.#at];
    if (inner !== undefined && first === openBrace) return this.#object(inner);
    if (inner !== undefined && first === openList && member.type !== undefined) return this.#list(inner);
    const start = this.#at;
    const text = this.#text;
    this.#at = skipValue(text, start);
    this.#valueBytes += this.#at - start;
    if (first !== quote) return parseJsonText(text.toString('utf8', start, this.#at));
    const content = text.toString('utf8', start + 1, this.#at - 1);
    return content.includes('\\') ? JSON.parse(`"${content}"`) : content;
  }

  #list(inner: PartialFields): unknown[] {
    const text = this.#text;
    const list: unknown[] = [];
    this.#at++;
    while (text[this.#at] !== closeList) {
      if (text[this.#at] !== openBrace) throw new UnexpectedJsonError();
      list.push(this.#object(inner));
      if (text[this.#at] === comma) this.#at++;
      else if (text[this.#at] !== closeList) throw new UnexpectedJsonError();
    }
    this.#at++;
    return list;
  }
}

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const noText = Buffer.alloc(0);
