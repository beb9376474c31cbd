// Large content of custom resources, decoded piece by piece.

import { countValues, KnownKeys } from '../../base/count-values.ts';
import { type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import { sortInSteps } from '../../base/sort-in-steps.ts';
import type { Steps } from '../../base/steps.ts';
import { tooManyItems } from '../../meta/status.ts';
import { mostKeys } from '../types.ts';
import { missingDefaults } from './default.ts';
import type { DefaultsBudget } from './defaults-budget.ts';
import { type Fate, fateOf, isOwnMeta, itemFate } from './prune.ts';
import { isSorted, sortedKeys } from './sorted.ts';

/** Decodes a part of an object by its schema, or keeps it as it is; `isPiece` where it lacks members that stand elsewhere. */
export type PartDecoder = (value: JsonValue, fate: Fate, isPiece?: boolean) => JsonValue;

/** An object in a custom resource has no more members than a map of any other kind. */
export function checkCount(object: JsonObject): void {
  refuseMore(Object.keys(object), 'the object', mostKeys);
}

function refuseMore(keys: readonly string[], at: string, most: number): void {
  if (keys.length > most) throw tooManyItems(at, most);
}

/** So many values are decoded in a fraction of a millisecond, and are not worth a step of their own. */
const stepValues = 400;

/** Fewer values than these are decoded with those around them. */
const fewValues = 50;

/**
 * Decodes large values from the inside out: what is decoded is out of the way of all that is done with what it stands in.
 * A value that decoding does not change is returned as the very value.
 */
export class ContentWalk {
  readonly #decode: PartDecoder;
  readonly #budget: DefaultsBudget | undefined;
  readonly #most: number;
  readonly #keys = new KnownKeys();

  /** Objects with more than `most` members are refused. Without a budget, missing members are not filled in. */
  constructor(decode: PartDecoder, budget: DefaultsBudget | undefined, most = mostKeys) {
    this.#decode = decode;
    this.#budget = budget;
    this.#most = most;
  }

  *value(value: JsonValue, fate: Fate, at: string): Steps<JsonValue> {
    if (countValues(value, stepValues, this.#keys) < stepValues) return this.#decode(value, fate);
    return Array.isArray(value)
      ? yield* this.#list(value, fate, at)
      : yield* this.#object(value as JsonObject, fate, at);
  }

  *#list(list: readonly JsonValue[], fate: Fate, at: string): Steps<JsonValue> {
    const result: JsonValue[] = [];
    const ofItems = typeof fate === 'object' ? itemFate(fate) : fate;
    let piece = new Piece<JsonValue[]>([]);
    for (const [index, item] of list.entries()) {
      piece.into.push(yield* this.#part(item, ofItems, `${at}[${index}]`, piece));
      if (!piece.isFull && index < list.length - 1) continue;
      for (const one of this.#decode(piece.into, fate) as JsonValue[]) result.push(piece.whole(one));
      piece = new Piece([]);
      yield;
    }
    return isSameList(result, list) ? (list as JsonValue[]) : result;
  }

  *#object(object: JsonObject, fate: Fate, at: string): Steps<JsonValue> {
    const keys = this.#keys.of(object);
    refuseMore(keys, at, this.#most);
    yield;
    const sorted = yield* sortInSteps(keys);
    const result: JsonObject = {};
    let isSame = isSorted(keys);
    let count = 0;
    let piece = new Piece<JsonObject>({});
    for (const [index, key] of sorted.entries()) {
      const member = object[key] as JsonValue;
      const path = at === '' ? key : `${at}.${key}`;
      setOwn(piece.into, key, yield* this.#part(member, memberFate(fate, key), path, piece));
      if (!piece.isFull && index < sorted.length - 1) continue;
      const decoded = this.#decode(piece.into, fate, true) as JsonObject;
      for (const one of Object.keys(decoded)) {
        const whole = piece.whole(decoded[one] as JsonValue);
        setOwn(result, one, whole);
        isSame &&= whole === object[one];
        count++;
      }
      piece = new Piece({});
      yield;
    }
    const decoded = isSame && count === keys.length ? object : result;
    if (typeof fate !== 'object' || this.#budget === undefined) return decoded;
    return completed(decoded, missingDefaults(decoded, fate, this.#budget));
  }

  /** A part as it goes into a piece: something else for a large one, which is decoded by itself. */
  *#part(part: JsonValue, fate: Fate | 'raw', at: string, piece: Piece<unknown>): Steps<JsonValue> {
    if (typeof part !== 'object' || part === null || fate === 'gone' || fate === 'raw') return piece.take(part, 1);
    const count = countValues(part, fewValues, this.#keys);
    if (count < fewValues) return piece.take(part, count);
    const decoded = yield* this.value(part, fate, at);
    yield;
    return piece.standIn(decoded);
  }
}

const isSameList = (a: readonly JsonValue[], b: readonly JsonValue[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** Metadata of an embedded object is decoded with the object. */
const memberFate = (fate: Fate, key: string): Fate | 'raw' => {
  if (typeof fate !== 'object') return fate;
  return isOwnMeta(fate, key) ? 'raw' : fateOf(fate, key);
};

/** The object with the members that it lacks. */
function completed(object: JsonObject, missing: JsonObject): JsonObject {
  const keys = Object.keys(missing);
  if (keys.length === 0) return object;
  const result: JsonObject = {};
  for (const key of [...Object.keys(object), ...keys].sort())
    setOwn(
      result,
      key,
      Object.hasOwn(object, key) ? (object[key] as JsonValue) : sortedKeys(missing[key] as JsonValue),
    );
  return result;
}

/** Some parts of a list or an object. */
class Piece<T> {
  readonly into: T;
  /** Decoded parts by what stands for them: no schema says anything about a symbol, and nothing is done with it. */
  readonly #decoded = new Map<unknown, JsonValue>();
  #values = 0;

  constructor(into: T) {
    this.into = into;
  }

  get isFull(): boolean {
    return this.#values >= stepValues;
  }

  take(part: JsonValue, values: number): JsonValue {
    this.#values += values;
    return part;
  }

  standIn(decoded: JsonValue): JsonValue {
    const symbol = Symbol();
    this.#decoded.set(symbol, decoded);
    return this.take(symbol as unknown as JsonValue, 1);
  }

  whole(part: JsonValue): JsonValue {
    return typeof part === 'symbol' ? (this.#decoded.get(part) as JsonValue) : part;
  }
}
