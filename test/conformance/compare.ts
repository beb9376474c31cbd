// Where two recordings of the same scenarios differ.

import { isJsonObject } from '../../src/base/json/json.ts';
import type { Recorded } from './run-scenario.ts';

export interface Difference {
  readonly scenario: string;
  readonly request: string;
  /** Which answer of its scenario, counted from 0. */
  readonly at: number;
  /** One for each value: its path, what was recorded and what was found. */
  readonly lines: readonly string[];
}

export function differences(expected: readonly Recorded[], found: readonly Recorded[]): readonly Difference[] {
  const [were, are] = [byScenario(expected), byScenario(found)];
  return [...new Set([...were.keys(), ...are.keys()])].flatMap((scenario) =>
    inScenario(scenario, were.get(scenario) ?? [], are.get(scenario) ?? []),
  );
}

function byScenario(recorded: readonly Recorded[]): ReadonlyMap<string, readonly Recorded[]> {
  const all = new Map<string, Recorded[]>();
  for (const one of recorded) all.set(one.scenario, [...(all.get(one.scenario) ?? []), one]);
  return all;
}

function inScenario(scenario: string, were: readonly Recorded[], are: readonly Recorded[]): readonly Difference[] {
  return Array.from({ length: Math.max(were.length, are.length) }, (_, at) => at).flatMap((at) => {
    const [was, is] = [were[at], are[at]];
    const lines = [...valueDifferences(was, is, '', hasOrder(was))];
    return lines.length === 0 ? [] : [{ scenario, at, request: is?.request ?? was?.request ?? '', lines }];
  });
}

/** Objects of custom resources are written with their members sorted, which no client relies on. */
const hasOrder = (was: Recorded | undefined) => isJsonObject(was?.body) && Object.keys(was.body)[0] !== 'apiVersion';

/** How long ago something was, as tables show it: it grows from day to day. */
const isAge = (value: unknown) => typeof value === 'string' && /^(\d+[ydhms]){1,2}$/.test(value);

function* valueDifferences(was: unknown, is: unknown, path: string, ordered: boolean): Iterable<string> {
  if (isAge(was) && isAge(is)) return;
  if (Array.isArray(was) && Array.isArray(is)) {
    for (let at = 0; at < Math.max(was.length, is.length); at++)
      yield* valueDifferences(was[at], is[at], `${path}[${at}]`, ordered);
    return;
  }
  if (!isJsonObject(was) || !isJsonObject(is)) {
    if (was !== is) yield `  ${path}: recorded ${shown(was)}, found ${shown(is)}`;
    return;
  }
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  for (const key of keys) yield* valueDifferences(was[key], is[key], `${path}.${key}`, ordered);
  const isSameSet = keys.length === Object.keys(was).length && keys.length === Object.keys(is).length;
  if (ordered && isSameSet && Object.keys(was).join() !== Object.keys(is).join())
    yield `  ${path}: recorded in the order ${Object.keys(was).join()}, found ${Object.keys(is).join()}`;
}

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
