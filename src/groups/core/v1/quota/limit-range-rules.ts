// What the limits of a namespace may say, and what follows from what they say.

import type { Dialect } from '../../../../meta/dialect.ts';
import { duplicate, forbiddenField, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkQualifiedName } from '../../../../meta/names.ts';
import { atScale, compareQuantities, parseQuantity, type Quantity } from '../../../../meta/quantity.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import {
  mayOvercommit,
  tooManyResources,
  validateContainerResourceName,
  validateResourceName,
} from '../pod/resource-names.ts';
import { roundedIn } from '../pod/rounded-amounts.ts';
import type { limitRangeItem } from './limit-range-type.ts';

type Limits = Infer<typeof limitRangeItem>;
type Amounts = Readonly<Record<string, string>>;

/** For containers the default is the maximum, and the default request the default or the minimum. */
export function defaultLimits(exact: Limits): Limits {
  const limits = roundedIn(exact, named);
  if (limits.type !== 'Container') return limits;
  const given = sorted({ ...limits.max, ...limits.default });
  const requested = sorted({ ...limits.min, ...given, ...limits.defaultRequest });
  return { ...limits, ...(given && { default: given }), ...(requested && { defaultRequest: requested }) };
}

/** Undefined where there are none. Most are in order already, and making them again would take most of the time. */
function sorted(amounts: Amounts): Amounts | undefined {
  const names = Object.keys(amounts);
  if (names.length === 0) return undefined;
  if (names.every((name, index) => index === 0 || (names[index - 1] as string) < name)) return amounts;
  return Object.fromEntries(names.sort().map((name) => [name, amounts[name] as string]));
}

export function validateLimits(all: readonly Limits[], dialect: Dialect): readonly FieldError[] {
  const types = new Set<string>();
  return findEach(all, (limits, index) => {
    const at = `spec.limits[${index}]`;
    const { type = '' } = limits;
    const used = usedFields(limits);
    const many = used.flatMap((field) => tooManyResources(limits[field], `${at}.${field}`));
    if (many.length > 0) return many;
    const again = types.has(type) ? [duplicate(`${at}.type`, type)] : [];
    types.add(type);
    return [
      ...validateType(type, `${at}.type`),
      ...again,
      ...validateNames(limits, dialect, at),
      ...validateUse(limits, at),
      ...findEach(resourcesOf(limits), (name) => validateOrder(name, limits, used, dialect, at)),
    ];
  });
}

const types: readonly string[] = ['Pod', 'Container', 'PersistentVolumeClaim'];

function validateType(type: string, at: string): readonly FieldError[] {
  const malformed = checkQualifiedName(type).map((e) => invalidValue(at, type, e));
  if (malformed.length > 0 || type.includes('/') || types.includes(type)) return malformed;
  return [invalidValue(at, type, 'must be a standard limit type or fully qualified')];
}

const defaulting = ['default', 'defaultRequest'] as const;
const named = ['max', 'min', ...defaulting, 'maxLimitRequestRatio'] as const;

/** Pods have no defaults: their containers do. */
const usedFields = ({ type }: Limits) =>
  named.filter((field) => type !== 'Pod' || (field !== 'default' && field !== 'defaultRequest'));

function validateNames(limits: Limits, dialect: Dialect, at: string): readonly FieldError[] {
  const ofContainers = limits.type === 'Pod' || limits.type === 'Container';
  return usedFields(limits).flatMap((field) =>
    findEach(Object.keys(limits[field] ?? {}), (name) => {
      const key = `${at}.${field}[${name}]`;
      return ofContainers ? validateContainerResourceName(name, dialect, key) : validateResourceName(name, key);
    }),
  );
}

function validateUse(limits: Limits, at: string): readonly FieldError[] {
  const given = defaulting.filter((field) => Object.keys(limits[field] ?? {}).length > 0);
  if (limits.type === 'Pod')
    return given.map((field) => forbiddenField(`${at}.${field}`, "may not be specified when `type` is 'Pod'"));
  const bounded = limits.min?.['storage'] !== undefined || limits.max?.['storage'] !== undefined;
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return limits.type === 'PersistentVolumeClaim' && !bounded ? [required(`${at}.limits`, detail)] : [];
}

function resourcesOf(limits: Limits): readonly string[] {
  return [...new Set(usedFields(limits).flatMap((field) => Object.keys(limits[field] ?? {})))].sort();
}

/** Pairs of which the first may not be more than the second, and where and how that is said. */
const order: readonly {
  readonly less: 'min' | 'default' | 'defaultRequest';
  readonly more: 'max' | 'default' | 'defaultRequest';
  readonly at: 'min' | 'default' | 'defaultRequest';
  // compat: of a default that is out of its bounds, the bound is shown as the invalid value
  readonly shown?: 'min' | 'max';
  readonly words: readonly [string, string];
}[] = [
  { less: 'min', more: 'max', at: 'min', words: ['min', 'max'] },
  { less: 'min', more: 'defaultRequest', at: 'defaultRequest', words: ['min', 'default request'] },
  { less: 'defaultRequest', more: 'max', at: 'defaultRequest', words: ['default request', 'max'] },
  { less: 'defaultRequest', more: 'default', at: 'defaultRequest', words: ['default request', 'default limit'] },
  { less: 'min', more: 'default', at: 'default', shown: 'min', words: ['min', 'default'] },
  { less: 'default', more: 'max', at: 'default', shown: 'max', words: ['default', 'max'] },
];

function amountIn(amounts: Amounts | undefined, name: string): Amount | undefined {
  const text = amounts?.[name];
  return text === undefined ? undefined : { text, quantity: parseQuantity(text) as Quantity };
}

type Used = ReturnType<typeof usedFields>;

function validateOrder(name: string, limits: Limits, used: Used, dialect: Dialect, at: string): readonly FieldError[] {
  const amounts = new Map(used.map((field) => [field, amountIn(limits[field], name)]));
  const amount = (field: (typeof named)[number]) => amounts.get(field);
  const errors: FieldError[] = [];
  for (const { less, more, at: field, shown = field, words } of order) {
    const [low, high] = [amount(less), amount(more)];
    if (low === undefined || high === undefined || compareQuantities(low.quantity, high.quantity) <= 0) continue;
    const detail = `${words[0]} value ${low.text} is greater than ${words[1]} value ${high.text}`;
    errors.push(invalidValue(`${at}.${field}[${name}]`, amount(shown)?.text, detail));
  }
  const [given, requested] = [amount('default'), amount('defaultRequest')];
  const differs = given && requested && compareQuantities(given.quantity, requested.quantity) !== 0;
  if (differs && !mayOvercommit(name, dialect)) {
    const detail = `default value ${given.text} must equal to defaultRequest value ${requested.text} in ${name}`;
    errors.push(invalidValue(`${at}.defaultRequest[${name}]`, requested.text, detail));
  }
  return [...errors, ...validateRatio(name, amount('maxLimitRequestRatio'), amount('min'), amount('max'), at)];
}

interface Amount {
  readonly text: string;
  readonly quantity: Quantity;
}

function validateRatio(
  name: string,
  ratio: Amount | undefined,
  min: Amount | undefined,
  max: Amount | undefined,
  at: string,
): readonly FieldError[] {
  if (ratio === undefined) return [];
  const key = `${at}.maxLimitRequestRatio[${name}]`;
  const milli = ({ quantity }: Amount) => Number(atScale(quantity, -3));
  const below = milli(ratio) < 1000 ? [invalidValue(key, ratio.text, `ratio ${ratio.text} is less than 1`)] : [];
  if (min === undefined || max === undefined) return below;
  const largest = milli(max) / milli(min);
  if (milli(ratio) / 1000 <= largest) return below;
  const detail = `ratio ${ratio.text} is greater than max/min = ${largest.toFixed(6)}`;
  return [...below, invalidValue(key, ratio.text, detail)];
}
