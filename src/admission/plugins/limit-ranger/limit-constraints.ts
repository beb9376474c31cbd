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

/** Names in order: what is wrong is told the same way every time. */
function* demands(given: Given): Iterable<readonly [name: string, amount: Quantity]> {
  for (const [name, amount] of [...amountsOf(given)].sort(([a], [b]) => (a < b ? -1 : 1))) yield [name, amount];
}

/** Everything that is wrong with what a container or a pod asks for. */
export function* violations(item: LimitItem, asked: Asked): Iterable<string> {
  const type = item.type ?? '';
  for (const [name, least] of demands(item.min)) yield* tooLittle(type, name, least, asked);
  for (const [name, most] of demands(item.max)) yield* tooMuch(type, name, most, asked);
  for (const [name, ratio] of demands(item.maxLimitRequestRatio)) yield* tooFar(type, name, ratio, asked);
}

/** The same for what only has a request. */
export function* requestViolations(item: LimitItem, requests: Amounts): Iterable<string> {
  const type = item.type ?? '';
  for (const [name, least] of demands(item.min)) yield* tooLittle(type, name, least, { requests, limits: new Map() });
  for (const [name, most] of demands(item.max)) {
    const usage = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
    const request = requests.get(name);
    if (request === undefined) yield `${usage}.  No request is specified`;
    else if (compareQuantities(request, most) > 0) yield `${usage}, but request is ${formatQuantity(request)}`;
  }
}

function* tooLittle(type: string, name: string, least: Quantity, { requests, limits }: Asked): Iterable<string> {
  const usage = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined) yield `${usage}.  No request is specified`;
  else if (compareQuantities(request, least) < 0) yield `${usage}, but request is ${formatQuantity(request)}`;
  else if (limit !== undefined && compareQuantities(limit, least) < 0)
    yield `${usage}, but limit is ${formatQuantity(limit)}`;
}

function* tooMuch(type: string, name: string, most: Quantity, { requests, limits }: Asked): Iterable<string> {
  const usage = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (limit === undefined) yield `${usage}.  No limit is specified`;
  else if (compareQuantities(limit, most) > 0) yield `${usage}, but limit is ${formatQuantity(limit)}`;
  else if (request !== undefined && compareQuantities(request, most) > 0)
    yield `${usage}, but request is ${formatQuantity(request)}`;
}

const thousandths = (amount: Quantity) => Number(atScale(amount, -3));

function* tooFar(type: string, name: string, most: Quantity, { requests, limits }: Asked): Iterable<string> {
  const ratio = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined || request.digits === 0n) yield `${ratio}, but no request is specified or request is 0`;
  else if (limit === undefined || limit.digits === 0n) yield `${ratio}, but no limit is specified or limit is 0`;
  else {
    const provided = thousandths(limit) / thousandths(request);
    if (provided * 1000 > thousandths(most)) yield `${ratio}, but provided ratio is ${provided.toFixed(6)}`;
  }
}
