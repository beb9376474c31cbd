// Query parameters: the few shapes that every verb reads.

import { RecentMap } from '../base/maps/recent-map.ts';
import { badRequest } from './status.ts';

export interface Query {
  /** The first value, or undefined when the parameter is absent. */
  get(name: string): string | undefined;
  getAll(name: string): readonly string[];
  has(name: string): boolean;
}

export const emptyQuery: Query = { get: () => undefined, getAll: () => [], has: () => false };

/** Clients ask with the same few queries over and over. Bounded, because they choose them. */
const remembered = new RecentMap<Query>(1000);
const maxRememberedLength = 200;

export function parseQuery(raw: string): Query {
  let query = remembered.get(raw);
  if (query === undefined) {
    query = readQuery(raw);
    if (raw.length <= maxRememberedLength) remembered.set(raw, query);
  }
  return query;
}

function readQuery(raw: string): Query {
  const parameters = readParameters(raw);
  return {
    get: (name) => parameters.get(name) ?? undefined,
    getAll: (name) => parameters.getAll(name),
    has: (name) => parameters.has(name),
  };
}

/** compat: a parameter with a semicolon or a broken escape is left out */
export function readParameters(raw: string): URLSearchParams {
  const isPlain = !raw.includes(';') && !raw.includes('%');
  return new URLSearchParams(isPlain ? raw : raw.split('&').filter(isReadable).join('&'));
}

const isReadable = (parameter: string) => !/;|%(?![0-9a-f]{2})/i.test(parameter);

/** compat: only an absent flag, `0` and `false` in any case mean no; an empty value means yes. */
export function queryFlag(query: Query, name: string): boolean {
  const value = query.get(name);
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}

const int64Max = 2n ** 63n - 1n;

/** An integer parameter, or undefined when absent. */
export function queryInteger(query: Query, name: string): number | undefined {
  const value = query.get(name);
  if (value === undefined) return undefined;
  const refuse = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${why}`);
  if (!/^[+-]?\d+$/.test(value)) throw refuse('invalid syntax');
  if (
    value.length > 20 ||
    BigInt(value.replace('+', '')) > int64Max ||
    BigInt(value.replace('+', '')) < -int64Max - 1n
  ) {
    throw refuse('value out of range');
  }
  return Number(value);
}
