// The fields of a new object as the text of FieldsV1, in one walk. For objects without managers this replaces four steps: a comparison
// with the zero object of the type (`compare`), `union`, `inOrder` and writing JSON.

import { type JsonObject, stringifyJson } from '../../base/json/json.ts';
import { fieldElement } from '../fields/element.ts';
import { inOrder } from '../fields/field-order.ts';
import { emptySet, union } from '../fields/field-set.ts';
import { asList, asObject, isHollow, memberType } from './all-fields.ts';
import { compareLeaves, compareValues } from './compare.ts';
import { elementOf } from './list-items.ts';
import {
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
    const [before, after] = [asObject(nothing), asObject(value)];
    if (topology.is !== 'struct') return this.#writeKeys(topology, before, after, Object.keys(after), first);
    if (topology.rest === undefined) return this.#writeFields(topology, before, after, first);
    const { fields, tracked } = topology;
    const keys = Object.keys(after).filter((key) => !fields.has(key) || tracked.has(key));
    return this.#writeKeys(topology, before, after, keys, first);
  }

  #writeFields({ tracked }: StructTopology, before: JsonObject, after: JsonObject, first: '' | ','): boolean {
    let isFirst = first === '';
    let hasWritten = false;
    for (const field of tracked.in(after)) {
      const was = fieldValue(before, field);
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
  #writeKeys(topology: Topology, before: JsonObject, after: JsonObject, keys: string[], first: '' | ','): boolean {
    const declared = topology.is === 'struct' ? topology.fields : undefined;
    const of = memberType(topology);
    let separator = first;
    let hasWritten = false;
    for (const key of isSorted(keys) ? keys : keys.sort()) {
      const field = declared?.get(key);
      const was = field === undefined ? own(before, key) : fieldValue(before, field);
      const is = field === undefined ? after[key] : fieldValue(after, field);
      const count = this.#count;
      this.#write(separator);
      this.#write(JSON.stringify(fieldElement(key)));
      this.#write(':');
      if (this.#writeChanged(field?.type ?? of, was, is)) {
        separator = ',';
        hasWritten = true;
      } else this.#count = count;
    }
    return hasWritten;
  }

  /** Several items of one element have one owner together. */
  #writeItems(topology: KeyedList | SetTopology, list: readonly unknown[], first: '' | ','): boolean {
    const items = list.map((item) => ({ element: elementOf(topology, item), item }));
    if (!items.every(({ element }, i) => i === 0 || (items[i - 1] as Item).element < element)) items.sort(byElement);
    let separator = first;
    for (let i = 0; i < items.length; i++) {
      const { element, item } = items[i] as Item;
      if (i > 0 && items[i - 1]?.element === element) continue;
      this.#write(separator);
      this.#write(JSON.stringify(element));
      this.#write(':');
      if (items[i + 1]?.element === element) this.#writeLeaf();
      else this.#writeAll(topology.of, item);
      separator = ',';
    }
    return items.length > 0;
  }
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
