// What differs between two objects of a type, as sets of fields.

import { isJsonObject, isSameJson, type JsonObject } from '../../base/json.ts';
import { atOnce, type Steps } from '../../base/steps.ts';
import { holdsGivenEmpty } from '../../schema/given-empty.ts';
import { fieldElement } from '../fields/element.ts';
import { emptySet, type FieldSet, leaf, NodeBuilder } from '../fields/field-set.ts';
import { asList, asObject, FieldWalk, isHollow, memberType } from './all-fields.ts';
import { itemsByElement, sortingByElement } from './list-items.ts';
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

export function* comparing(topology: StructTopology, before: object, after: object): Steps<Comparison> {
  const walk = new Walk();
  const delta = yield* settled(() => compareValues(topology, before, after, walk), walk);
  yield* walk.rest();
  return comparisonOf(delta);
}

/** For those who cannot rest. */
export function compare(topology: StructTopology, before: object, after: object): Comparison {
  return atOnce(comparing(topology, before, after));
}

function comparisonOf(delta: Delta | undefined): Comparison {
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

/** Two lists, or two maps, that are compared by themselves, in steps. */
interface LongPair {
  readonly topology: Topology;
  readonly before: unknown;
  readonly after: unknown;
}

/** Ends a comparison that came to a pair before it was compared: small objects have none, and are compared at once. */
class UnknownPair extends Error {
  readonly pair: LongPair;

  constructor(pair: LongPair) {
    super();
    this.pair = pair;
  }
}

/** So many members are not compared at once. */
const manyMembers = 500;

class Walk extends FieldWalk {
  /** By the value that comes after. */
  readonly #known = new Map<unknown, LongPair & { readonly delta: Delta | undefined }>();

  learn(pair: LongPair, delta: Delta | undefined): void {
    this.#known.set(pair.after, { ...pair, delta });
  }

  /** What differs between a long pair. */
  recall(topology: Topology, before: unknown, after: unknown): Delta | undefined {
    const known = this.#known.get(after);
    if (known !== undefined && known.before === before && known.topology === topology) return known.delta;
    throw new UnknownPair({ topology, before, after });
  }
}

/** The outcome of a comparison once all long pairs that it comes to are known. */
function* settled(compareParts: () => Delta | undefined, walk: Walk): Steps<Delta | undefined> {
  for (;;) {
    try {
      return compareParts();
    } catch (error) {
      if (!(error instanceof UnknownPair)) throw error;
      walk.learn(error.pair, yield* comparingLong(error.pair, walk));
    }
  }
}

function* comparingLong({ topology, before, after }: LongPair, walk: Walk): Steps<Delta | undefined> {
  const changes = new Changes();
  if (topology.is === 'set' || topology.is === 'keyed') yield* comparingLists(topology, before, after, changes, walk);
  else yield* comparingMaps(topology, asObject(before), asObject(after), changes, walk);
  return changes.delta;
}

function* comparingLists(
  topology: KeyedList | SetTopology,
  before: unknown,
  after: unknown,
  changes: Changes,
  walk: Walk,
): Steps<void> {
  const was = yield* sortingByElement(topology, asList(before));
  const is = yield* sortingByElement(topology, asList(after));
  for (const [element, items] of is) {
    changes.add(element, yield* settled(() => compareItems(topology, was.get(element), items, walk), walk));
    if (changes.isStepOver()) yield;
  }
  for (const [element, items] of was) {
    if (!is.has(element)) changes.add(element, compareItems(topology, items, undefined, walk));
    if (changes.isStepOver()) yield;
  }
}

function* comparingMaps(
  topology: Topology,
  before: JsonObject,
  after: JsonObject,
  changes: Changes,
  walk: Walk,
): Steps<void> {
  const of = memberType(topology);
  const compareMember = (key: string) => compareValues(of, own(before, key), own(after, key), walk);
  for (const key of Object.keys(after)) {
    changes.add(fieldElement(key), yield* settled(() => compareMember(key), walk));
    if (changes.isStepOver()) yield;
  }
  yield;
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) changes.add(fieldElement(key), compareMember(key));
    if (changes.isStepOver()) yield;
  }
}

/** Undefined where nothing differs. */
function compareValues(topology: Topology, before: unknown, after: unknown, walk: Walk): Delta | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: walk.allFields(topology, after) };
  if (after === undefined) return { removed: walk.allFields(topology, before) };
  if (isAtomic(topology) || (isHollow(before) && isHollow(after))) return compareLeaves(before, after);
  if (topology.is === 'untyped' && !(isJsonObject(before) && isJsonObject(after)))
    return compareForms(topology, before, after, walk);
  if (isLong(topology, before, after)) return walk.recall(topology, before, after);
  const changes = new Changes();
  if (topology.is === 'set' || topology.is === 'keyed') compareLists(topology, before, after, changes, walk);
  else compareObjects(topology, asObject(before), asObject(after), changes, walk);
  return changes.delta;
}

/** Structs have no more members than were declared, as far as they are looked at here. */
function isLong(topology: Topology, before: unknown, after: unknown): boolean {
  if (topology.is === 'struct') return false;
  if (topology.is === 'set' || topology.is === 'keyed')
    return asList(before).length + asList(after).length > manyMembers;
  return Object.keys(asObject(before)).length + Object.keys(asObject(after)).length > manyMembers;
}

/** Of values whose type is not known one at most is a map: its members come or go with it. */
function compareForms(topology: Topology, before: unknown, after: unknown, walk: Walk): Delta | undefined {
  const delta = compareLeaves(before, after);
  if (before === null || after === null) return delta;
  return {
    ...delta,
    ...(hasMembers(after) ? { added: walk.fieldsBelow(topology, after) } : {}),
    ...(hasMembers(before) ? { removed: walk.fieldsBelow(topology, before) } : {}),
  };
}

const hasMembers = (value: unknown): value is JsonObject => isJsonObject(value) && !isHollow(value);

function compareLeaves(before: unknown, after: unknown): Delta | undefined {
  return isSameJson(before, after) && !listsGivenEmpty(after) ? undefined : modifiedLeaf;
}

/** compat: a list in which something was given empty is another one, where it has one owner */
function listsGivenEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return holdsGivenEmpty(value);
  return isJsonObject(value) && Object.values(value).some(listsGivenEmpty);
}

function compareObjects(topology: Topology, before: JsonObject, after: JsonObject, changes: Changes, walk: Walk): void {
  if (topology.is === 'struct') {
    for (const field of topology.tracked) {
      const was = fieldValue(before, field);
      const is = fieldValue(after, field);
      if (was !== is) changes.add(field.element, compareValues(field.type, was, is, walk));
    }
    if (topology.rest === undefined) return;
  }
  const of = memberType(topology);
  const skip = topology.is === 'struct' ? topology.fields : undefined;
  for (const key of Object.keys(after)) {
    if (skip?.has(key)) continue;
    changes.add(fieldElement(key), compareValues(of, own(before, key), after[key], walk));
  }
  for (const key of Object.keys(before)) {
    if (skip?.has(key) || Object.hasOwn(after, key)) continue;
    changes.add(fieldElement(key), compareValues(of, before[key], undefined, walk));
  }
}

const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

function compareLists(
  topology: KeyedList | SetTopology,
  before: unknown,
  after: unknown,
  changes: Changes,
  walk: Walk,
): void {
  const was = itemsByElement(topology, asList(before));
  const is = itemsByElement(topology, asList(after));
  for (const [element, items] of is) changes.add(element, compareItems(topology, was.get(element), items, walk));
  for (const [element, items] of was)
    if (!is.has(element)) changes.add(element, compareItems(topology, items, undefined, walk));
}

/** Several items of one element are compared as a whole: what one of them had goes when others come, and the reverse. */
function compareItems(
  topology: KeyedList | SetTopology,
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
  walk: Walk,
): Delta | undefined {
  if ((before?.length ?? 1) === 1 && (after?.length ?? 1) === 1) {
    return compareValues(topology.of, before?.[0], after?.[0], walk);
  }
  const [was = [], is = []] = [before, after];
  if (was.length > 1 && is.length > 1) return compareLeaves(was, is);
  if (was.length > 1) return { added: is.length === 0 ? undefined : walk.allFields(topology.of, is[0]), removed: leaf };
  return { added: leaf, removed: was.length === 0 ? undefined : walk.allFields(topology.of, was[0]) };
}

/** Collects the deltas of the members of a value. */
class Changes {
  #added: NodeBuilder | undefined;
  #modified: NodeBuilder | undefined;
  #removed: NodeBuilder | undefined;
  #members = 0;

  /** To be asked after each member. */
  isStepOver(): boolean {
    return ++this.#members % manyMembers === 0;
  }

  add(element: string, delta: Delta | undefined): void {
    if (delta === undefined) return;
    const { added, modified, removed } = delta;
    if (added !== undefined) this.#added = put(this.#added, element, added);
    if (modified !== undefined) this.#modified = put(this.#modified, element, modified);
    if (removed !== undefined) this.#removed = put(this.#removed, element, removed);
  }

  get delta(): Delta | undefined {
    if ((this.#added ?? this.#modified ?? this.#removed) === undefined) return undefined;
    return { added: this.#added?.node, modified: this.#modified?.node, removed: this.#removed?.node };
  }
}

function put(fields = new NodeBuilder(), element: string, node: FieldSet): NodeBuilder {
  fields.put(element, node);
  return fields;
}
