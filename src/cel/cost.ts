// What calls cost when they run, as Kubernetes counts: by the traversal of strings and lists.

import { ListValue, lengthOf, MapValue, ObjectValue, OpaqueValue, type Value } from './values.ts';
import { perItem, work, workOnText } from './work.ts';

/** A budget that every single evaluation has in Kubernetes. */
export const perCallLimit = 1_000_000;

export const listCost = 10;
export const mapCost = 30;
export const objectCost = 40;
/** A character of a string costs a tenth of a step. */
export const perCharacter = 0.1;
/** One state of a pattern is taken to have four characters. */
export const perPatternCharacter = 0.25;
/** Two checks of rights fit into the budget of an expression. */
export const checkCost = 350_000;

/** Charged before the call runs: calls over the budget do not begin. */
export type CallCost = (args: readonly Value[]) => number;

function sizeOf(value: Value): number {
  if (typeof value === 'string') return lengthOf(value);
  if (value instanceof ListValue || value instanceof MapValue || value instanceof ObjectValue) return value.size;
  if (value instanceof OpaqueValue) return value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

/** The cost of a list or map with its content; texts by their bytes. A list may have one item in many places: the walk is work as well. */
function traversal(value: Value): number {
  work(perItem);
  if (typeof value === 'string') {
    workOnText(value, 1);
    return Math.floor(Buffer.byteLength(value) * perCharacter);
  }
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter);
  let cost = 0;
  if (value instanceof ListValue) for (const item of value.toArray()) cost += traversal(item);
  else if (value instanceof MapValue || value instanceof ObjectValue)
    for (const key of value.keys()) cost += traversal(key) + traversal((value.get(key as string) ?? null) as Value);
  else return 1;
  return cost;
}

const characters = (count: number): number => Math.ceil(count * perCharacter);
export const nominal: CallCost = () => 1;
export const none: CallCost = () => 0;
const first =
  (factor = 1): CallCost =>
  ([value]) =>
    Math.ceil(sizeOf(value as Value) * factor * perCharacter);
const smaller: CallCost = ([a, b]) =>
  a instanceof OpaqueValue ? 1 : characters(Math.min(sizeOf(a as Value), sizeOf(b as Value)));
const pattern = (text: Value, size: number): number =>
  Math.ceil((1 + sizeOf(text)) * perCharacter) * Math.ceil(size * perPatternCharacter);
const matching: CallCost = ([text, expression]) => pattern(text as Value, sizeOf(expression as Value));

/** A selector costs its text and the requirements that so much text may hold. */
const selector: CallCost = ([, text]) => {
  const length = sizeOf(text as Value);
  return listCost + characters(length) + Math.ceil(Math.ceil(length * 0.5) * (listCost + objectCost));
};

/** Every pair of two lists may have to be compared. */
const pairs: CallCost = ([a, b]) => 1 + sizeOf(a as Value) * sizeOf(b as Value);
const pairsBothWays: CallCost = ([a, b]) => 1 + 2 * sizeOf(a as Value) * sizeOf(b as Value);

/** Lists that a function makes: the call, the list, and its items by a factor. */
const made = (items: number, factor = 1): number => Math.floor(items * factor) + 1 + listCost;

/** A slice that cannot be made has the size of an error. */
const sliceSize = (items: Value, start: number, end: number): number =>
  start >= 0 && end <= sizeOf(items) && start <= end ? end - start : 1;

/** Every item may be compared with every other one. */
const comparedWithin = (items: Value | undefined): number => {
  const size = sizeOf(items as Value);
  const item = items instanceof ListValue && size > 0 ? items.at(0) : null;
  return made(size * size, typeof item === 'string' || item instanceof Uint8Array ? 2 + perCharacter : 2);
};

const withinRange =
  (extra: (size: number) => number, parsed: string) =>
  (id: string | undefined): CallCost =>
  ([range, other]) => {
    const size = sizeOf(range as Value);
    const parse = id === parsed ? characters(sizeOf(other as Value)) : 0;
    return characters(2 * size) + extra(size) + parse;
  };

/** By the name of the function, whatever the overload. */
const byName: Readonly<Record<string, CallCost>> = {
  check: () => checkCost,
  fieldSelector: selector,
  labelSelector: selector,
  ...all(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], ([items]) => traversal(items as Value)),
  ...all(
    ['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey', 'strings.quote', 'format'],
    first(),
  ),
  ...all(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], first()),
  ...all(['replace', 'split', 'ip.isCanonical'], first(2)),
  slice: ([items, start, end]) => made(sliceSize(items as Value, Number(start), Number(end))),
  'lists.range': ([count]) => made(typeof count === 'bigint' ? Math.max(0, Number(count)) : 1),
  flatten: ([items, depth]) => made(sizeOf(items as Value), depth === undefined ? 1 : Math.max(0, Number(depth))),
  distinct: ([items]) => comparedWithin(items),
  sort: ([items]) => comparedWithin(items),
  '@sortByAssociatedKeys': ([, keys]) => comparedWithin(keys),
  ...all(['find', 'findAll'], matching),
  // the longest pattern of a named format is not known here; its value has the size to charge
  validate: ([format, text]) => pattern(text as Value, sizeOf(format as Value)),
  'sets.contains': pairs,
  'sets.intersects': pairs,
  'sets.equivalent': pairsBothWays,
};

/** By the overload, where the checker found exactly one. */
const byOverload: Readonly<Record<string, CallCost>> = {
  ...all(['starts_with_string', 'ends_with_string', 'string_to_bytes', 'bytes_to_string', 'string_to_ip'], first()),
  in_list: ([, items]) => sizeOf(items as Value),
  ...all(
    ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
    smaller,
  ),
  equals: smaller,
  not_equals: smaller,
  ...all(['add_string', 'add_bytes'], ([a, b]) => characters(sizeOf(a as Value) + sizeOf(b as Value))),
  // compat: called as a plain function, a pattern costs one
  matches_string: matching,
  list_reverse: ([items]) => made(sizeOf(items as Value)),
  contains_string: ([text, part]) => characters(sizeOf(text as Value)) * characters(sizeOf(part as Value)),
};

function all(names: readonly string[], cost: CallCost): Record<string, CallCost> {
  return Object.fromEntries(names.map((name) => [name, cost]));
}

const containsIp = withinRange(() => 0, 'cidr_contains_ip_string');
const containsCidr = withinRange((size) => characters(size) + 1, 'cidr_contains_cidr_string');

/** The cost of calls of a function; `overload` is undefined when several may be meant. */
export function callCost(name: string, overload: string | undefined): CallCost {
  if (name === 'join') return none;
  if (name === 'containsIP') return containsIp(overload);
  if (name === 'containsCIDR') return containsCidr(overload);
  if (Object.hasOwn(byName, name)) return byName[name] as CallCost;
  if (overload !== undefined && Object.hasOwn(byOverload, overload)) return byOverload[overload] as CallCost;
  return nominal;
}

/** What a call costs besides when its result is known. */
export const resultCost = (name: string): ((result: Value) => number) | undefined =>
  name === 'join' ? (result) => Math.ceil(sizeOf(result) * 2 * perCharacter) : undefined;

/** Calls that cost one, whatever they are given: the plan does not ask then. */
export const isNominal = (cost: CallCost): boolean => cost === nominal;
