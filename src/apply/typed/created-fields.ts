// The fields of a new object as the text of FieldsV1, in one walk. For objects without managers this replaces four steps: a comparison
// with the zero object of the type (`compare`), `union`, `inOrder` and writing JSON.

import { type JsonObject, stringifyJson } from '../../base/json/json.ts';
import { RecentMap } from '../../base/maps/recent-map.ts';
import { fieldElement } from '../fields/element.ts';
import { inOrder } from '../fields/field-order.ts';
import { emptySet, union } from '../fields/field-set.ts';
import { asList, asObject, isHollow, memberType } from './all-fields.ts';
import { compareLeaves, compareValues } from './compare.ts';
import { elementOf } from './list-items.ts';
import {
  type FieldTopology,
  fieldValue,
  isAtomic,
  type KeyedList,
  type SetTopology,
  type StructTopology,
  type Topology,
} from './topology.ts';

/** The array of a larger object is freed. */
const maxReservedPieces = 4096;

/** Joins pieces of text, most of which belong to the type: adding them by `+` takes three times as much memory. */
export class CreatedFields {
  /** Only the first `#count` belong to the text: V8 would free the memory of an array that gets shorter. */
  readonly #pieces: string[] = [];
  #count = 0;

  /** `nothing` is the zero object of the type. Returns `{}` where the object is equal to it. */
  of(topology: StructTopology, nothing: object, created: object): string {
    this.#count = 0;
    if (!this.#writeChanged(topology, nothing, created)) return '{}';
    const text = this.#pieces.slice(0, this.#count).join('');
    if (this.#pieces.length > maxReservedPieces) this.#pieces.length = 0;
    return text;
  }

  /** Writes nothing, and returns false, where nothing was added. */
  #writeChanged(topology: Topology, nothing: unknown, value: unknown): boolean {
    if (nothing === value || value === undefined) return false;
    if (nothing === undefined) return this.#writeAll(topology, value);
    const isNothing = isHollow(nothing);
    if (isAtomic(topology) || (isNothing && isHollow(value)))
      return compareLeaves(nothing, value) !== undefined && this.#writeLeaf();
    if (topology.is === 'untyped' || (!isNothing && topology.is !== 'struct'))
      return this.#writeCompared(topology, nothing, value);
    const count = this.#count;
    this.#write('{');
    const hasMembers = this.#writeMembers(topology, nothing, value, '');
    if (hasMembers) this.#write('}');
    else this.#count = count;
    return hasMembers;
  }

  #write(piece: string): void {
    this.#pieces[this.#count++] = piece;
  }

  #writeLeaf(): true {
    this.#write('{}');
    return true;
  }

  /** As sets, for types whose zero object has such a value. */
  #writeCompared(topology: Topology, nothing: unknown, value: unknown): boolean {
    const { added = emptySet, modified = emptySet } = compareValues(topology, nothing, value) ?? {};
    const fields = union(modified, added);
    if (fields === emptySet) return false;
    this.#write(stringifyJson(inOrder(fields)));
    return true;
  }

  /** The value itself and every field in it. */
  #writeAll(topology: Topology, value: unknown): true {
    if (isAtomic(topology) || typeof value !== 'object') return this.#writeLeaf();
    const count = this.#count;
    this.#write('{".":{}');
    if (this.#writeMembers(topology, undefined, value, ',')) {
      this.#write('}');
      return true;
    }
    this.#count = count;
    return this.#writeLeaf();
  }

  /** Returns whether there are any. `first` stands before the first one. */
  #writeMembers(topology: Topology, nothing: unknown, value: unknown, first: '' | ','): boolean {
    if (topology.is === 'set' || topology.is === 'keyed') return this.#writeItems(topology, asList(value), first);
    const before = nothing === undefined ? undefined : asObject(nothing);
    const after = asObject(value);
    if (topology.is !== 'struct') return this.#writeKeys(topology, before, after, Object.keys(after), first);
    if (topology.rest === undefined) return this.#writeFields(topology, before, after, first);
    const { fields, tracked } = topology;
    const keys = Object.keys(after).filter((key) => !fields.has(key) || tracked.has(key));
    return this.#writeKeys(topology, before, after, keys, first);
  }

  #writeFields({ tracked }: StructTopology, before: Before, after: JsonObject, first: '' | ','): boolean {
    const { fields, leaves } = tracked.planOf(after);
    if (leaves !== undefined && before === undefined && hasAll(after, fields)) {
      this.#write(first === '' ? leaves.slice(1) : leaves);
      return fields.length > 0;
    }
    let isFirst = first === '';
    let hasWritten = false;
    for (const field of fields) {
      const was = before && fieldValue(before, field);
      const is = fieldValue(after, field);
      if (was === undefined && is !== undefined && isAtomic(field.type)) {
        this.#write(isFirst ? field.leaf.slice(1) : field.leaf);
      } else {
        const count = this.#count;
        this.#write(isFirst ? field.label.slice(1) : field.label);
        if (!this.#writeChanged(field.type, was, is)) {
          this.#count = count;
          continue;
        }
      }
      isFirst = false;
      hasWritten = true;
    }
    return hasWritten;
  }

  /** Members by name, of which clients chose some; most are in order. */
  #writeKeys(topology: Topology, before: Before, after: JsonObject, keys: string[], first: '' | ','): boolean {
    const declared = topology.is === 'struct' ? topology.fields : undefined;
    const of = memberType(topology);
    let separator = first;
    let hasWritten = false;
    for (const key of isSorted(keys) ? keys : keys.sort()) {
      const field = declared?.get(key);
      const was = before && (field === undefined ? own(before, key) : fieldValue(before, field));
      const is = field === undefined ? after[key] : fieldValue(after, field);
      const count = this.#count;
      const label = labelOf(key);
      this.#write(separator === '' ? label.slice(1) : label);
      if (this.#writeChanged(field?.type ?? of, was, is)) {
        separator = ',';
        hasWritten = true;
      } else this.#count = count;
    }
    return hasWritten;
  }

  #writeItems(topology: KeyedList | SetTopology, list: readonly unknown[], first: '' | ','): boolean {
    if (list.length > 1) return this.#writeSortedItems(topology, list, first);
    if (list.length === 1) this.#writeItem(topology, elementOf(topology, list[0]), list[0], first);
    return list.length === 1;
  }

  /** Several items of one element have one owner together. */
  #writeSortedItems(topology: KeyedList | SetTopology, list: readonly unknown[], first: '' | ','): boolean {
    const items = list.map((item) => ({ element: elementOf(topology, item), item }));
    if (!items.every(({ element }, i) => i === 0 || (items[i - 1] as Item).element < element)) items.sort(byElement);
    let separator = first;
    for (let i = 0; i < items.length; i++) {
      const { element, item } = items[i] as Item;
      if (i > 0 && items[i - 1]?.element === element) continue;
      const isRepeated = items[i + 1]?.element === element;
      this.#writeItem(topology, element, isRepeated ? undefined : item, separator);
      separator = ',';
    }
    return true;
  }

  /** An item that is undefined has no fields of its own. */
  #writeItem({ of }: KeyedList | SetTopology, element: string, item: unknown, separator: '' | ','): void {
    this.#write(separator);
    this.#write(JSON.stringify(element));
    this.#write(':');
    if (item === undefined) this.#writeLeaf();
    else this.#writeAll(of, item);
  }
}

/** What the zero object of the type has there; undefined where it has nothing. */
type Before = JsonObject | undefined;

function hasAll(object: JsonObject, fields: readonly FieldTopology[]): boolean {
  for (const { name } of fields) if (object[name] === undefined) return false;
  return true;
}

/** The keys of maps that clients chose lately, as members of FieldsV1: labels and annotations have few. */
const recentLabels = new RecentMap<string>(1000);
const maxRecentLength = 100;

function labelOf(key: string): string {
  const recent = recentLabels.get(key);
  if (recent !== undefined) return recent;
  const label = `,${JSON.stringify(fieldElement(key))}:`;
  if (key.length <= maxRecentLength) recentLabels.set(key, label);
  return label;
}

interface Item {
  readonly element: string;
  readonly item: unknown;
}

const byElement = (a: Item, b: Item): number => (a.element < b.element ? -1 : a.element > b.element ? 1 : 0);

const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  return true;
}
