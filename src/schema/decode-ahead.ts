// Decoding in steps: large lists, maps and structs of a value are decoded piece by piece before the value itself, which then takes
// them as they are. Fields come in their declared order, so that the first mistake is found where decoding at once finds it.

import { countValues, KnownKeys } from '../base/count-values.ts';
import { isJsonObject, type JsonObject, setOwn } from '../base/json.ts';
import { sortInSteps } from '../base/sort-in-steps.ts';
import type { Steps } from '../base/steps.ts';
import { alternativeFor } from './alternatives.ts';
import { areSorted, bareDecoderOf, decoderOf, zeroEntryOf, zeroOf } from './decode.ts';
import type { DecodeContext } from './decode-context.ts';
import { DecodedParts } from './decoded-parts.ts';
import { decodingContentAhead } from './structural/decode.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { ListType, MapType, SchemaType, StructType } from './types.ts';

/** So many values are decoded in a fraction of a millisecond, and are not worth a step of their own. */
const stepValues = 400;

/** Fewer values than these are counted and not looked at one by one. */
const fewValues = 50;

/** Decodes the large parts of a value into `context`; `known` as for decoders. */
export function* decodingAhead(
  type: SchemaType | StructuralType,
  value: unknown,
  context: DecodeContext,
  known?: unknown,
): Steps<void> {
  if (type.is === 'structural') {
    yield* decodingAhead(type.meta, memberOf(value), context, memberOf(known));
    if (isJsonObject(value)) yield* decodingContentAhead(type, value, decoderOf(type.meta), context);
    return;
  }
  const parts = new DecodedParts();
  context.parts = parts;
  try {
    yield* new AheadWalk(context, parts).part(type, value, known);
  } catch {
    // a mistake in the value: the decoder comes to it again, by the same way, and says what it is
    context.returnToStart();
  }
}

const memberOf = (value: unknown): unknown => (isJsonObject(value) ? value['metadata'] : undefined);

class AheadWalk {
  readonly #context: DecodeContext;
  readonly #parts: DecodedParts;
  readonly #keys = new KnownKeys();

  constructor(context: DecodeContext, parts: DecodedParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** How many values are left to decode where the part is needed. */
  *part(type: SchemaType, value: unknown, known?: unknown): Steps<number> {
    if (typeof value !== 'object' || value === null) return 1;
    switch (type.is) {
      case 'scalar':
        return 1;
      case 'list':
        return Array.isArray(value) ? yield* this.#list(type, value) : 1;
      case 'map':
        return isJsonObject(value) ? yield* this.#map(type, value) : 1;
      case 'struct':
        return isJsonObject(value) ? yield* this.#struct(type, value, known) : 1;
      case 'union': {
        const chosen = alternativeFor(type, value);
        return chosen === undefined ? 1 : yield* this.part(chosen.type, value);
      }
    }
  }

  *#struct(type: StructType, value: JsonObject, known: unknown): Steps<number> {
    const context = this.#context;
    const before = isJsonObject(known) ? known : undefined;
    const isOutermost = context.path.length === 0;
    let left = 1;
    for (const { name, type: of } of type.fields) {
      const raw = value[name];
      if (raw === undefined || raw === before?.[name]) continue;
      context.path.push(name);
      left += typeof raw === 'object' ? yield* this.part(of, raw, before?.[name]) : 1;
      context.path.pop();
    }
    if (left < stepValues || isOutermost) return left;
    this.#parts.putStruct(value, type, bareDecoderOf(type)(value, context, known));
    yield;
    return 1;
  }

  *#list(type: ListType, value: readonly unknown[]): Steps<number> {
    const { of, most = Number.POSITIVE_INFINITY } = type;
    if (value.length > most) return 1;
    const count = countValues(value, stepValues, this.#keys);
    if (count < stepValues) return count;
    const items = this.#parts.beginList(value, type);
    const decode = bareDecoderOf(of);
    let left = 0;
    for (const [index, item] of value.entries()) {
      const inItem = countValues(item, fewValues, this.#keys);
      left += inItem < fewValues ? inItem : yield* this.part(of, item);
      if (left < stepValues && index < value.length - 1) continue;
      for (let i = items.length; i <= index; i++)
        items.push(value[i] === null ? zeroOf(of) : decode(value[i], this.#context));
      left = 0;
      yield;
    }
    return 1;
  }

  *#map(type: MapType, value: JsonObject): Steps<number> {
    const { of, most } = type;
    const keys = this.#keys.of(value);
    if (keys.length > most) {
      this.#parts.noteTooMany(value);
      yield;
      return 1;
    }
    const count = keys.length < stepValues ? countValues(value, stepValues, this.#keys) : stepValues;
    if (count < stepValues) return count;
    yield;
    const sorted = areSorted(keys) ? keys : yield* sortInSteps(keys);
    const part = this.#parts.beginMap(value, type, sorted);
    const decode = bareDecoderOf(of);
    let left = 0;
    for (const [index, key] of sorted.entries()) {
      const inItem = countValues(value[key], fewValues, this.#keys);
      left += inItem < fewValues ? inItem : yield* this.part(of, value[key]);
      if (left < stepValues && index < sorted.length - 1) continue;
      for (; part.done <= index; part.done++) {
        const name = sorted[part.done] as string;
        const decoded = value[name] === null ? undefined : decode(value[name], this.#context);
        setOwn(part.entries, name, decoded === undefined ? zeroEntryOf(type) : decoded);
      }
      left = 0;
      yield;
    }
    return 1;
  }
}
