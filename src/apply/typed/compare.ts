// What differs between two objects of a type, as sets of fields.

import { isJsonObject, isSameJson, type JsonObject } from '../../base/json/json.ts';
import { holdsGivenEmpty } from '../../schema/given-empty.ts';
import { fieldElement } from '../fields/element.ts';
import { emptySet, type FieldSet, leaf, type Mutable } from '../fields/field-set.ts';
import { allFields, asList, asObject, fieldsBelow, isHollow, memberType } from './all-fields.ts';
import { itemsByElement } from './list-items.ts';
import {
  fieldValue,
  isAtomic,
  type KeyedList,
  type SetTopology,
  type StructTopology,
  type Topology,
} from './topology.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(topology: StructTopology, before: object, after: object): Comparison {
  const delta = compareValues(topology, before, after);
  if (delta === undefined) return same;
  return { added: delta.added ?? emptySet, modified: delta.modified ?? emptySet, removed: delta.removed ?? emptySet };
}

const same: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

export const isSame = (comparison: Comparison): boolean => comparison === same;

/** One node of the three sets. */
interface Delta {
  readonly added?: FieldSet | undefined;
  readonly modified?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

const modifiedLeaf: Delta = { modified: leaf };

/** Undefined where nothing differs. */
export function compareValues(topology: Topology, before: unknown, after: unknown): Delta | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: allFields(topology, after) };
  if (after === undefined) return { removed: allFields(topology, before) };
  if (isAtomic(topology) || (isHollow(before) && isHollow(after))) return compareLeaves(before, after);
  if (topology.is === 'untyped' && !(isJsonObject(before) && isJsonObject(after)))
    return compareForms(topology, before, after);
  const changes = new Changes();
  if (topology.is === 'set' || topology.is === 'keyed') compareLists(topology, before, after, changes);
  else compareObjects(topology, asObject(before), asObject(after), changes);
  return changes.delta;
}

/** Of values whose type is not known one at most is a map: its members come or go with it. */
function compareForms(topology: Topology, before: unknown, after: unknown): Delta | undefined {
  const delta = compareLeaves(before, after);
  if (before === null || after === null) return delta;
  return {
    ...delta,
    ...(hasMembers(after) ? { added: fieldsBelow(topology, after) } : {}),
    ...(hasMembers(before) ? { removed: fieldsBelow(topology, before) } : {}),
  };
}

const hasMembers = (value: unknown): value is JsonObject => isJsonObject(value) && !isHollow(value);

export function compareLeaves(before: unknown, after: unknown): Delta | undefined {
  return isSameJson(before, after) && !listsGivenEmpty(after) ? undefined : modifiedLeaf;
}

/** compat: a list in which something was given empty is another one, where it has one owner */
function listsGivenEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return holdsGivenEmpty(value);
  return isJsonObject(value) && Object.values(value).some(listsGivenEmpty);
}

function compareObjects(topology: Topology, before: JsonObject, after: JsonObject, changes: Changes): void {
  if (topology.is === 'struct') {
    for (const field of topology.tracked.all) {
      const was = fieldValue(before, field);
      const is = fieldValue(after, field);
      if (was !== is) changes.add(field.element, compareValues(field.type, was, is));
    }
    if (topology.rest === undefined) return;
  }
  const of = memberType(topology);
  const skip = topology.is === 'struct' ? topology.fields : undefined;
  for (const key of Object.keys(after)) {
    if (skip?.has(key)) continue;
    changes.add(fieldElement(key), compareValues(of, own(before, key), after[key]));
  }
  for (const key of Object.keys(before)) {
    if (skip?.has(key) || Object.hasOwn(after, key)) continue;
    changes.add(fieldElement(key), compareValues(of, before[key], undefined));
  }
}

const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

function compareLists(topology: KeyedList | SetTopology, before: unknown, after: unknown, changes: Changes): void {
  const was = itemsByElement(topology, asList(before));
  const is = itemsByElement(topology, asList(after));
  for (const [element, items] of is) changes.add(element, compareItems(topology, was.get(element), items));
  for (const [element, items] of was)
    if (!is.has(element)) changes.add(element, compareItems(topology, items, undefined));
}

/** Several items of one element are compared as a whole: what one of them had goes when others come, and the reverse. */
function compareItems(
  topology: KeyedList | SetTopology,
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
): Delta | undefined {
  if ((before?.length ?? 1) === 1 && (after?.length ?? 1) === 1) {
    return compareValues(topology.of, before?.[0], after?.[0]);
  }
  const [was = [], is = []] = [before, after];
  if (was.length > 1 && is.length > 1) return compareLeaves(was, is);
  if (was.length > 1) return { added: is.length === 0 ? undefined : allFields(topology.of, is[0]), removed: leaf };
  return { added: leaf, removed: was.length === 0 ? undefined : allFields(topology.of, was[0]) };
}

/** Collects the deltas of the members of a value. */
class Changes {
  #added: Mutable | undefined;
  #modified: Mutable | undefined;
  #removed: Mutable | undefined;

  add(element: string, delta: Delta | undefined): void {
    if (delta === undefined) return;
    const { added, modified, removed } = delta;
    if (added !== undefined) this.#added = put(this.#added, element, added);
    if (modified !== undefined) this.#modified = put(this.#modified, element, modified);
    if (removed !== undefined) this.#removed = put(this.#removed, element, removed);
  }

  get delta(): Delta | undefined {
    if ((this.#added ?? this.#modified ?? this.#removed) === undefined) return undefined;
    return { added: this.#added, modified: this.#modified, removed: this.#removed };
  }
}

function put(fields: Mutable = {}, element: string, node: FieldSet): Mutable {
  fields[element] = node;
  return fields;
}
