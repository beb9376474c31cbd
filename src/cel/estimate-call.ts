// The range of the cost of a call and of the size of its result, computed from the ranges of its arguments.

import { checkCost, listCost, objectCost, perCharacter, perPatternCharacter } from './cost.ts';
import { vendorName } from './library/vendor.ts';
import { either, fixed, plus, type Range, scaled, times, unlimited } from './ranges.ts';
import { type CelType, runtimeName, sameType } from './types.ts';

/** An argument as far as estimates see it. */
export interface Operand {
  readonly size: Range;
  /** Of the items when it is a list; undefined for other types. */
  readonly item: { readonly size: Range; readonly isText: boolean } | undefined;
  /** The value of an integer literal. */
  readonly literal: number | undefined;
  /** What the operand itself costs. */
  readonly cost: Range;
  readonly type: CelType;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
  /** The arguments are in the cost already: not all of them are evaluated. */
  readonly whole?: true;
}

/** A target comes first. */
type Estimate = (operands: readonly Operand[]) => CallEstimate;

const one: Estimate = () => ({ cost: fixed(1) });
const all = (names: string, estimate: Estimate): Record<string, Estimate> =>
  Object.fromEntries(names.split(' ').map((name) => [name, estimate]));

const sizeAt = (operands: readonly Operand[], index: number): Range => operands[index]?.size ?? fixed(0);
const characters = (size: Range): Range => scaled(size, perCharacter);

/** Reads its first argument once; the result is as long. */
const readsFirst: Estimate = (operands) => {
  const size = sizeAt(operands, 0);
  return { cost: characters(size), size };
};

const reads =
  (index: number, factor = 1): Estimate =>
  (operands) => ({ cost: scaled(sizeAt(operands, index), factor * perCharacter) });

const matching: Estimate = (operands) => {
  const text = sizeAt(operands, 0);
  const cost = times(characters(plus(text, fixed(1))), scaled(sizeAt(operands, 1), perPatternCharacter));
  return { cost, size: { min: 0, max: text.max } };
};

const walksList: Estimate = ([target]) => {
  const { size, item } = target as Operand;
  if (item === undefined) return { cost: characters(size) };
  return { cost: times(size, item.isText ? plus(fixed(1), characters(item.size)) : fixed(1)) };
};

const smaller: Estimate = (operands) => {
  const max = Math.min(sizeAt(operands, 0).max, sizeAt(operands, 1).max);
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, perCharacter) };
};

const authorization = ['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
  (name) => `authorization.${name}`,
);

/** Comparisons of values that are not looked into as a text is; the longest name of a format has 64 characters. */
const comparisons: Readonly<Record<string, Estimate>> = {
  ...all('net.IP net.CIDR', one),
  ...all(['Quantity', 'Semver', ...authorization].map(vendorName).join(' '), one),
  [vendorName('NamedFormat')]: () => ({ cost: scaled({ min: 1, max: 64 }, perCharacter) }),
  [vendorName('URL')]: (operands) => ({ cost: scaled({ min: 1, max: sizeAt(operands, 1).max }, perCharacter) }),
};

const compared: Estimate = (operands) => {
  const [left, right] = operands as readonly [Operand, Operand];
  const name = sameType(left.type, right.type) ? runtimeName(left.type) : '';
  return (Object.hasOwn(comparisons, name) ? (comparisons[name] as Estimate) : smaller)(operands);
};

const selector: Estimate = (operands) => {
  const size = sizeAt(operands, 1);
  const requirements = scaled(scaled(size, 0.5), listCost + objectCost);
  return { cost: plus(plus(fixed(listCost), characters(size)), requirements) };
};

/** The longest result: the smallest parts replaced by the longest text; the shortest the other way round. */
const replaced: Estimate = (operands) => {
  const [text, part, by] = [0, 1, 2].map((index) => sizeAt(operands, index)) as [Range, Range, Range];
  const longest = () => {
    if (part.min === 0) return (text.max + 1) * by.max + text.max;
    return by.max <= part.min ? text.max : Math.ceil(text.max / part.min) * by.max;
  };
  const shortest = () => {
    if (part.max === 0) return (text.min + 1) * by.min + text.min;
    return part.max <= by.min ? text.min : Math.ceil(text.min / part.max) * by.min;
  };
  const size = { min: Math.min(shortest(), unlimited), max: Math.min(longest(), unlimited) };
  return { cost: scaled(text, 2 * perCharacter), size };
};

/** An empty separator makes an item of every character. */
const splitted: Estimate = (operands) => {
  const text = sizeAt(operands, 0);
  const most = operands[2]?.literal ?? text.max;
  return { cost: scaled(text, 2 * perCharacter), size: { min: 0, max: most < 0 ? unlimited : most } };
};

const joined: Estimate = (operands) => {
  const target = operands[0] as Operand;
  const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
  const separators = operands.length > 1 ? times(sizeAt(operands, 1), gaps) : fixed(0);
  const size = plus(target.item === undefined ? fixed(0) : times(target.size, target.item.size), separators);
  return { cost: characters(size), size };
};

const pairs =
  (factor: number): Estimate =>
  (operands) => ({ cost: plus(scaled(times(sizeAt(operands, 0), sizeAt(operands, 1)), factor), fixed(1)) });

/** A list that the call makes. */
const made = (size: Range, factor = 1): CallEstimate => ({
  cost: plus(scaled(size, factor), fixed(1 + listCost)),
  size,
});

/** Each item is compared with each. */
const comparedWithin =
  (index: number, isText: boolean): Estimate =>
  (operands) => {
    const size = sizeAt(operands, index);
    return made(times(size, size), isText ? 2 + perCharacter : 2);
  };

const sortable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function sorted(type: string): [string, Estimate][] {
  const isText = type === 'string' || type === 'bytes';
  return [
    [`list_${type}_sort`, comparedWithin(0, isText)],
    [`list_${type}_sortByAssociatedKeys`, comparedWithin(1, isText)],
  ];
}

/** The value of a literal, at least 0; `otherwise` for other operands. */
const count = (operand: Operand | undefined, otherwise: number): number => Math.max(0, operand?.literal ?? otherwise);

const sliced: Estimate = (operands) => {
  const length = count(operands[2], sizeAt(operands, 0).max) - count(operands[1], 0);
  // as in 64 bits without a sign, where a count below 0 is a large one
  return made(fixed(length < 0 ? unlimited : length));
};

/** Addresses have 4 or 16 bytes. */
const address: Range = { min: 4, max: 16 };
const inRange = (extra: Range, parses: boolean): Estimate => {
  const compared = plus(characters(plus(address, address)), extra);
  return (operands) => ({ cost: parses ? plus(compared, characters(sizeAt(operands, 1))) : compared });
};
const masked = plus(characters(address), fixed(1));

const added =
  (factor: number | undefined): Estimate =>
  (operands) => {
    const size = plus(sizeAt(operands, 0), sizeAt(operands, 1));
    return { cost: factor === undefined ? fixed(1) : scaled(size, factor), size };
  };

const shortCircuit: Estimate = ([left, right]) => {
  const [first, second] = [(left as Operand).cost, (right as Operand).cost];
  return { cost: { min: first.min, max: plus(first, second).max }, whole: true };
};

const conditional: Estimate = ([test, then, otherwise]) => {
  const [yes, no] = [then as Operand, otherwise as Operand];
  return {
    cost: plus((test as Operand).cost, either(yes.cost, no.cost)),
    size: either(yes.size, no.size),
    whole: true,
  };
};

const resized =
  (factor: number, change: (size: Range) => Range): Estimate =>
  (operands) => {
    const size = sizeAt(operands, 0);
    return { cost: scaled(size, factor), size: change(size) };
  };

const byName: Readonly<Record<string, Estimate>> = {
  check: () => ({ cost: fixed(checkCost) }),
  ...all('fieldSelector labelSelector', selector),
  ...all('isSorted sum max min indexOf lastIndexOf', walksList),
  ...all('url jsonpatch.escapeKey lowerAscii upperAscii substring trim', readsFirst),
  replace: replaced,
  split: splitted,
  join: joined,
  ...all('find findAll', matching),
  slice: sliced,
  'lists.range': ([length]) => made(fixed(count(length, unlimited))),
  flatten: (operands) => made(sizeAt(operands, 0), operands.length > 1 ? count(operands[1], unlimited) : 1),
  distinct: comparedWithin(0, false),
  ...all('cidr isIP isCIDR quantity isQuantity semver isSemver', reads(0)),
  'ip.isCanonical': reads(0, 2),
  // the longest pattern of a named format
  validate: (operands) => ({ cost: scaled(characters(sizeAt(operands, 1)), 128 * perPatternCharacter) }),
};

const byOverload: Readonly<Record<string, Estimate>> = {
  string_to_ip: reads(0),
  cidr_contains_ip_string: inRange(fixed(0), true),
  cidr_contains_ip_ip: inRange(fixed(0), false),
  cidr_contains_cidr_string: inRange(masked, true),
  cidr_contains_cidr: inRange(masked, false),
  string_format: (operands) => ({ cost: characters(sizeAt(operands, 0)) }),
  string_to_bytes: resized(perCharacter, ({ min, max }) => ({ min, max: Math.min(4 * max, unlimited) })),
  bytes_to_string: resized(perCharacter, ({ min, max }) => ({ min: Math.floor(min / 4), max })),
  strings_quote: resized(perCharacter, ({ min, max }) => ({ min: min + 2, max: Math.min(2 * max + 2, unlimited) })),
  ...all('starts_with_string ends_with_string', reads(1)),
  in_list: (operands) => ({ cost: sizeAt(operands, 1) }),
  ...all('matches matches_string', (operands) => ({ cost: matching(operands).cost })),
  contains_string: (operands) => ({ cost: times(characters(sizeAt(operands, 0)), characters(sizeAt(operands, 1))) }),
  list_reverse: (operands) => made(sizeAt(operands, 0)),
  ...all('logical_and logical_or', shortCircuit),
  conditional,
  ...all('add_string add_bytes', added(perCharacter)),
  add_list: added(undefined),
  ...all('less_string less_bytes less_equals_string less_equals_bytes', smaller),
  ...all('greater_string greater_bytes greater_equals_string greater_equals_bytes not_equals', smaller),
  equals: compared,
  ...Object.fromEntries(sortable.flatMap(sorted)),
  ...all('list_sets_contains_list list_sets_intersects_list', pairs(1)),
  list_sets_equivalent_list: pairs(2),
};

/** The estimate of one overload; the operands are added by the caller unless the estimate is whole. */
export function estimateCall(name: string, overload: string, operands: readonly Operand[]): CallEstimate {
  const estimate = Object.hasOwn(byName, name) ? byName[name] : undefined;
  const special = Object.hasOwn(byOverload, overload) ? byOverload[overload] : undefined;
  return (estimate ?? special ?? one)(operands);
}
