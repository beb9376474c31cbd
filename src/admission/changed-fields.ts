// The fields in which two objects differ, as short text for traces: one line each.

import { isJsonObject, type JsonValue, stringifyJson } from '../base/json/json.ts';
import type { ApiObject } from '../meta/object.ts';

export const changeLimits = { bytes: 2048, valueLength: 200, visits: 20_000 } as const;

/** Cut at the limits. Empty where nothing differs. */
export function changedFields(before: ApiObject | undefined, after: ApiObject | undefined): string {
  const lines = new Lines();
  compare('', before as JsonValue | undefined, after as JsonValue | undefined, lines);
  return lines.text;
}

/** The paths of the fields in which two objects differ, at most so many. */
export function changedPaths(before: ApiObject | undefined, after: ApiObject | undefined, most: number): string[] {
  const paths: string[] = [];
  let visits = 0;
  compare('', before as JsonValue | undefined, after as JsonValue | undefined, {
    visit: () => ++visits <= changeLimits.visits && paths.length < most,
    add: (path) => paths.push(path),
  });
  return paths;
}

/** Receives the differences of two objects. */
interface Differences {
  /** Called for each value that is looked at; false when there were enough. */
  visit(): boolean;
  add(path: string, before: JsonValue | undefined, after: JsonValue | undefined): void;
}

class Lines implements Differences {
  readonly #lines: string[] = [];
  #length = 0;
  #visits = 0;

  get text(): string {
    return this.#lines.join('\n');
  }

  visit(): boolean {
    this.#visits++;
    return this.#visits <= changeLimits.visits && this.#length < changeLimits.bytes;
  }

  add(path: string, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const line = `${path}: ${shown(before)} → ${shown(after)}`;
    const rest = changeLimits.bytes - this.#length;
    const cut = Buffer.byteLength(line) <= rest ? line : `${Buffer.from(line).subarray(0, rest).toString()}…`;
    this.#lines.push(cut);
    this.#length += Buffer.byteLength(line) + 1;
  }
}

function compare(path: string, before: JsonValue | undefined, after: JsonValue | undefined, found: Differences): void {
  if (before === after || !found.visit()) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(path === '' ? key : `${path}.${key}`, before[key], after[key], found);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let at = 0; at < Math.max(before.length, after.length); at++)
      compare(`${path}[${at}]`, before[at], after[at], found);
    return;
  }
  found.add(path, before, after);
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  const text = stringifyJson(value);
  return text.length <= changeLimits.valueLength ? text : `${text.slice(0, changeLimits.valueLength)}…`;
}
