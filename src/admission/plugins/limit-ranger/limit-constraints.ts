// What a LimitRange demands of amounts: at least, at most, and how far a limit may be above its request.

import { atScale, compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../../meta/quantity.ts';

type Amounts = ReadonlyMap<string, Quantity>;

export interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type Given = Readonly<Record<string, string>> | undefined;

export interface LimitItem {
  readonly type?: string;
  readonly min?: Given;
  readonly max?: Given;
  readonly maxLimitRequestRatio?: Given;
}

export function amountsOf(given: Given = {}): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(given)) {
    const amount = parseQuantity(text);
    if (amount !== undefined) amounts.set(name, amount);
  }
  return amounts;
}

/** Names in order: errors are listed in the same order every time. */
const demandsOf = (given: Given): readonly (readonly [name: string, amount: Quantity])[] =>
  [...amountsOf(given)].sort(([a], [b]) => (a < b ? -1 : 1));

/** Everything that is wrong with what a container or a pod asks for. */
export function violations(item: LimitItem, asked: Asked): readonly string[] {
  const type = item.type ?? '';
  return [
    ...demandsOf(item.min).flatMap(([name, least]) => belowMinimum(type, name, least, asked) ?? []),
    ...demandsOf(item.max).flatMap(([name, most]) => aboveMaximum(type, name, most, asked) ?? []),
    ...demandsOf(item.maxLimitRequestRatio).flatMap(([name, ratio]) => aboveRatio(type, name, ratio, asked) ?? []),
  ];
}

/** The same for what only has a request. */
export function requestViolations(item: LimitItem, requests: Amounts): readonly string[] {
  const type = item.type ?? '';
  const asked = { requests, limits: new Map<string, Quantity>() };
  return [
    ...demandsOf(item.min).flatMap(([name, least]) => belowMinimum(type, name, least, asked) ?? []),
    ...demandsOf(item.max).flatMap(([name, most]) => requestAboveMaximum(type, name, most, requests) ?? []),
  ];
}

function requestAboveMaximum(type: string, name: string, most: Quantity, requests: Amounts): string | undefined {
  const usage = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  const request = requests.get(name);
  if (request === undefined) return `${usage}.  No request is specified`;
  return compareQuantities(request, most) > 0 ? `${usage}, but request is ${formatQuantity(request)}` : undefined;
}

function belowMinimum(type: string, name: string, least: Quantity, { requests, limits }: Asked): string | undefined {
  const usage = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined) return `${usage}.  No request is specified`;
  if (compareQuantities(request, least) < 0) return `${usage}, but request is ${formatQuantity(request)}`;
  return limit !== undefined && compareQuantities(limit, least) < 0
    ? `${usage}, but limit is ${formatQuantity(limit)}`
    : undefined;
}

function aboveMaximum(type: string, name: string, most: Quantity, { requests, limits }: Asked): string | undefined {
  const usage = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (limit === undefined) return `${usage}.  No limit is specified`;
  if (compareQuantities(limit, most) > 0) return `${usage}, but limit is ${formatQuantity(limit)}`;
  return request !== undefined && compareQuantities(request, most) > 0
    ? `${usage}, but request is ${formatQuantity(request)}`
    : undefined;
}

const thousandths = (amount: Quantity) => Number(atScale(amount, -3));

function aboveRatio(type: string, name: string, most: Quantity, { requests, limits }: Asked): string | undefined {
  const ratio = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined || request.digits === 0n) return `${ratio}, but no request is specified or request is 0`;
  if (limit === undefined || limit.digits === 0n) return `${ratio}, but no limit is specified or limit is 0`;
  const provided = thousandths(limit) / thousandths(request);
  return provided * 1000 > thousandths(most) ? `${ratio}, but provided ratio is ${provided.toFixed(6)}` : undefined;
}
