// Lists of a custom resource whose order means nothing: sets, and lists of objects with keys.

import { type Adapter, ListValue, MapValue, ObjectValue, type Value } from './values.ts';
import { perEntry, work, workOnText } from './work.ts';

export class KeyedList extends ListValue {
  /** The key fields of items; empty in a set, whose items are themselves the key. */
  readonly #keys: readonly string[];

  constructor(items: readonly unknown[], keys: readonly string[], adapt?: Adapter) {
    super(items, adapt);
    this.#keys = keys;
  }

  /** Whether another list has equal items, in any order. */
  isLike(other: ListValue, equals: (a: Value, b: Value) => boolean): boolean {
    if (this.size !== other.size) return false;
    const own = new Map(this.toArray().map((item) => [this.#idOf(item), item]));
    return other.toArray().every((item) => {
      const mine = own.get(this.#idOf(item));
      return mine !== undefined && (this.#keys.length === 0 || equals(mine, item));
    });
  }

  /** What another list has under the same key takes the place of the item here; the rest follows. */
  merged(other: ListValue): KeyedList {
    const items = [...this.toArray()];
    const places = new Map(items.map((item, index) => [this.#idOf(item), index]));
    for (const item of other.toArray()) {
      const id = this.#idOf(item);
      const place = places.get(id);
      if (place !== undefined) items[place] = item;
      else places.set(id, items.push(item) - 1);
    }
    return new KeyedList(items, this.#keys);
  }

  /** What equal keys have in common; a scalar is that itself. */
  #idOf(item: Value): unknown {
    const [first, ...rest] = this.#keys;
    work(perEntry * (1 + rest.length));
    if (first === undefined) return read(item);
    if (rest.length === 0) return read(memberOf(item, first));
    return JSON.stringify(this.#keys.map((key) => textOf(read(memberOf(item, key)))));
  }
}

/** A text is hashed where it is looked up. */
function read(value: Value | undefined): Value | undefined {
  if (typeof value === 'string') workOnText(value);
  return value;
}

const textOf = (value: Value | undefined): string => `${typeof value} ${String(value)}`;

function memberOf(item: Value, key: string): Value | undefined {
  if (item instanceof ObjectValue) return item.member(key, (raw) => raw as Value);
  return item instanceof MapValue ? item.get(key) : undefined;
}
