// What `TextEncoder` needs to know of a type, worked out once: which key of a JSON text is which field, in what form its value
// is written, and what stands in the message where the text lacks the field.

import type { JsonObject } from '../../base/json/json.ts';
import { memoized } from '../../base/memoized.ts';
import type { Alternative, Field, ScalarName, SchemaType, StructType, UnionType } from '../../schema/types.ts';
import { encodePart, type Layout, layoutOf, type Part } from './message.ts';
import { RecentField } from './recent-values.ts';
import { fieldTag, ProtobufWriter } from './writer.ts';

type FormName =
  | Exclude<ScalarName, 'int32' | 'int64' | 'raw-extension' | 'any-json' | 'fields-v1'>
  | 'integer'
  | 'json'
  | 'struct'
  | 'union'
  | 'list'
  | 'wrapped-list'
  | 'map';

/** How the text of a value becomes the value of a field. One class for all, which V8 reads fastest. */
export class ValueForm {
  readonly is: FormName;
  readonly type: SchemaType;
  /** Form of the items of a list, or of the values of a map. */
  readonly of: ValueForm | undefined;
  /** What stands before a value of a map, and before an item of a list in its own message. */
  readonly valueTag: Uint8Array;
  /** Bytes of the length of the last such message: the next one is likely to have as many. */
  lengthBytes = 1;
  #plan: TextPlan | undefined;
  #alternatives: readonly UnionAlternative[] | undefined;

  constructor(type: SchemaType) {
    this.is = nameOf(type);
    this.type = type;
    this.of = type.is === 'list' || type.is === 'map' ? new ValueForm(type.of) : undefined;
    this.valueTag = type.is === 'map' ? tagOf(2, type.of) : type.is === 'list' ? tagOf(1, type.of) : noTag;
  }

  /** Whether it holds other values, and so tends to be long. */
  get isLong(): boolean {
    return longForms.has(this.is);
  }

  /** Of a struct. On first use: types may contain themselves. */
  get plan(): TextPlan {
    this.#plan ??= textPlanOf(this.type as StructType);
    return this.#plan;
  }

  /** Of a union. */
  get alternatives(): readonly UnionAlternative[] {
    this.#alternatives ??= (this.type as UnionType).alternatives.map(({ number, type }) => ({
      ...{ number, type },
      tag: tagOf(number, type),
      form: new ValueForm(type),
    }));
    return this.#alternatives;
  }
}

const longForms: ReadonlySet<FormName> = new Set(['struct', 'list', 'wrapped-list', 'map', 'json', 'union']);

const noTag = new Uint8Array(0);

interface UnionAlternative extends Alternative {
  readonly tag: Uint8Array;
  readonly form: ValueForm;
}

/** One part of a message, in the place that its first member has in the text. */
export interface TextPart {
  /** Parts rise in the text of an object. */
  readonly index: number;
  /** Place of the part in the message, where parts rise by their numbers. */
  readonly place: number;
  readonly tag: Uint8Array;
  /** A nested part has members of its own instead. */
  readonly form: ValueForm | undefined;
  readonly nested: TextPlan | undefined;
  /** What is written where the text has no member of it. */
  readonly zero: Uint8Array;
  /** Bytes of the length of the last such message: the next one is likely to have as many. */
  lengthBytes: number;
  /** For values that are long as a rule. */
  readonly recent: RecentField | undefined;
}

/** A key and its part; undefined for one that has no place in the message. */
export interface TextMember {
  /** With quotes and colon. */
  readonly key: Uint8Array;
  readonly part: TextPart | undefined;
  /** The member that followed this one last. */
  next: TextMember | undefined;
}

export class TextPlan {
  readonly parts: readonly TextPart[];
  /** For each index the first from there on that is written even if the text lacks it. */
  readonly nextZero: readonly number[];
  /** Whether members that are not of this plan belong to the object around it. */
  readonly isNested: boolean;
  /** Whether the numbers of the parts rise in the text too. */
  readonly isInOrder: boolean;
  /** The first member of the object that was read last. */
  first: TextMember | undefined;
  readonly #members = new Map<string, TextMember>();
  /** Members by the hash of their key. */
  readonly #byHash: TextMember[][] = Array.from({ length: hashes }, () => []);

  constructor(fields: readonly Field[], layout: Layout, isNested: boolean) {
    this.isNested = isNested;
    const parts = inTextOrder(fields, layout);
    const places = [...layout.keys()];
    this.parts = parts.map(({ part }, index) => textPart(part, [index, places.indexOf(part.number)], fields));
    this.isInOrder = this.parts.every(({ index, place }) => index === place);
    for (const [index, { names }] of parts.entries())
      for (const name of names) this.#add(name, this.parts[index] as TextPart);
    if (!isNested) for (const name of typeNames) if (!this.#members.has(name)) this.#add(name, undefined);
    const nextZero: number[] = [this.parts.length];
    for (let i = this.parts.length - 1; i >= 0; i--)
      nextZero.unshift((this.parts[i] as TextPart).zero.length > 0 ? i : (nextZero[0] as number));
    this.nextZero = nextZero;
  }

  find(name: string): TextMember | undefined {
    return this.#members.get(name);
  }

  /** The member whose name is between `start` and `end` of a text. */
  memberAt(json: Uint8Array, start: number, end: number): TextMember | undefined {
    for (const member of this.#byHash[hashAt(json, start, end)] as readonly TextMember[])
      if (isNameAt(json, start, end, member.key)) return member;
    return undefined;
  }

  #add(name: string, part: TextPart | undefined): void {
    const member = { key: Buffer.from(`"${name}":`), part, next: undefined };
    this.#members.set(name, member);
    this.#byHash[hashAt(member.key, 1, member.key.length - 2)]?.push(member);
  }
}

const hashes = 64;

/** Length, beginning and end distinguish most names of a type. */
function hashAt(json: Uint8Array, start: number, end: number): number {
  const first = json[start] as number;
  const last = json[end - 1] as number;
  return (first * 5 + last * 11 + (end - start) * 3) & (hashes - 1);
}

/** `key` has quotes and a colon. */
function isNameAt(json: Uint8Array, start: number, end: number, key: Uint8Array): boolean {
  if (key.length !== end - start + 3) return false;
  for (let i = start; i < end; i++) if (json[i] !== key[i - start + 1]) return false;
  return true;
}

/** JSON says what an object is, the message does not. */
const typeNames = ['kind', 'apiVersion'];

export const textPlanOf = memoized((type: StructType): TextPlan => new TextPlan(type.fields, layoutOf(type), false));

/** Parts in the order of their first member in the text, with the names of all their members. */
function inTextOrder(fields: readonly Field[], layout: Layout): { part: Part; names: readonly string[] }[] {
  const names = new Map<Part, string[]>();
  for (const field of fields) {
    const part = [...layout.values()].find((one) => holds(one, field.name)) as Part;
    names.set(part, [...(names.get(part) ?? []), field.name]);
  }
  return [...names].map(([part, members]) => ({ part, names: members }));
}

function holds(part: Part, name: string): boolean {
  return part.is === 'field' ? part.field.name === name : [...part.parts.values()].some((one) => holds(one, name));
}

function textPart(part: Part, [index, place]: readonly [number, number], fields: readonly Field[]): TextPart {
  const zero = new ProtobufWriter();
  encodePart(part, {} as JsonObject, zero);
  const [form, nested] =
    part.is === 'field'
      ? [new ValueForm(part.field.type), undefined]
      : [undefined, new TextPlan(membersOf(part, fields), part.parts, true)];
  const tag = part.is === 'field' ? tagOf(part.number, part.field.type) : fieldTag(part.number, 2);
  const recent = form?.isLong === true ? new RecentField() : undefined;
  return { index, place, tag, form, nested, zero: zero.finish(), lengthBytes: 1, recent };
}

const membersOf = (part: Part, fields: readonly Field[]) => fields.filter(({ name }) => holds(part, name));

const wireTypes: Partial<Record<ScalarName, number>> = { int32: 0, int64: 0, bool: 0, double: 1 };

function tagOf(number: number, type: SchemaType): Uint8Array {
  const item = type.is === 'list' && !type.wrapped ? type.of : type;
  return fieldTag(number, item.is === 'scalar' ? (wireTypes[item.name] ?? 2) : 2);
}

function nameOf(type: SchemaType): FormName {
  if (type.is === 'list') return type.wrapped === true ? 'wrapped-list' : 'list';
  if (type.is !== 'scalar') return type.is;
  const { name } = type;
  if (name === 'int32' || name === 'int64') return 'integer';
  return name === 'raw-extension' || name === 'any-json' || name === 'fields-v1' ? 'json' : name;
}
