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

class Lines {
  readonly #lines: string[] = [];
  #length = 0;
  #visits = 0;

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Counts a look at a value; false when there were enough. */
  visit(): boolean {
    this.#visits++;
    return this.#visits <= changeLimits.visits && this.#length < changeLimits.bytes;
  }

  add(line: string): void {
    const rest = changeLimits.bytes - this.#length;
    const shown = Buffer.byteLength(line) <= rest ? line : `${Buffer.from(line).subarray(0, rest).toString()}…`;
    this.#lines.push(shown);
    this.#length += Buffer.byteLength(line) + 1;
  }
}

function compare(path: string, before: JsonValue | undefined, after: JsonValue | undefined, lines: Lines): void {
  if (before === after || !lines.visit()) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(path === '' ? key : `${path}.${key}`, before[key], after[key], lines);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let at = 0; at < Math.max(before.length, after.length); at++)
      compare(`${path}[${at}]`, before[at], after[at], lines);
    return;
  }
  lines.add(`${path}: ${shown(before)} → ${shown(after)}`);
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  const text = stringifyJson(value);
  return text.length <= changeLimits.valueLength ? text : `${text.slice(0, changeLimits.valueLength)}…`;
}
