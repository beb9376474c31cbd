// JSON text of large values, written in short steps.

import { stringifyJson } from './json.ts';
import type { Steps } from './steps.ts';

/** So many values are written in a fraction of a millisecond. */
const stepValues = 500;

/** What `stringifyJson` writes. */
export function* writingJson(value: unknown): Steps<string> {
  const writer = new Writer();
  yield* writer.write(value);
  return writer.text;
}

class Writer {
  readonly #pieces: string[] = [];
  /** Of large objects: V8 takes long to list them, and each is asked for them by all that it stands in. */
  readonly #keys = new Map<object, readonly string[]>();

  get text(): string {
    return this.#pieces.join('');
  }

  *write(value: unknown): Steps<void> {
    if (this.#count(value, stepValues) < stepValues) this.#pieces.push(stringifyJson(value));
    else if (Array.isArray(value)) yield* this.#list(value);
    else yield* this.#object(value as Readonly<Record<string, unknown>>);
  }

  *#list(list: readonly unknown[]): Steps<void> {
    this.#pieces.push('[');
    let from = 0;
    while (from < list.length) {
      const to = this.#endOfStep(list, from);
      if (from > 0) this.#pieces.push(',');
      if (to - from > 1) this.#pieces.push(stringifyJson(list.slice(from, to)).slice(1, -1));
      else yield* this.write(list[from]);
      from = to;
      yield;
    }
    this.#pieces.push(']');
  }

  /** The first item that is not of the step that begins at `from`; a large one has a step of its own. */
  #endOfStep(list: readonly unknown[], from: number): number {
    let values = 0;
    for (let index = from; index < list.length; index++) {
      values += this.#count(list[index], stepValues);
      if (values >= stepValues) return Math.max(index, from + 1);
    }
    return list.length;
  }

  *#object(object: Readonly<Record<string, unknown>>): Steps<void> {
    yield;
    let values = 0;
    let separator = '{';
    for (const key of this.#keysOf(object)) {
      const member = object[key];
      if (member === undefined) continue;
      const beginning = `${separator}${JSON.stringify(key)}:`;
      separator = ',';
      const count = this.#count(member, stepValues);
      if (count < stepValues) this.#pieces.push(beginning + stringifyJson(member));
      else {
        this.#pieces.push(beginning);
        yield* this.write(member);
      }
      values += count;
      if (values < stepValues) continue;
      values = 0;
      yield;
    }
    this.#pieces.push(separator === '{' ? '{}' : '}');
  }

  /** How many values a value is made of; `most` where there are at least so many. */
  #count(value: unknown, most: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    const isList = Array.isArray(value);
    const members = isList ? value : this.#keysOf(value);
    if (members.length >= most) return most;
    let count = 1;
    for (const member of members) {
      const one: unknown = isList ? member : (value as Readonly<Record<string, unknown>>)[member as string];
      count += typeof one === 'object' ? this.#count(one, most - count) : 1;
      if (count >= most) return most;
    }
    return count;
  }

  #keysOf(object: object): readonly string[] {
    const known = this.#keys.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length >= stepValues) this.#keys.set(object, keys);
    return keys;
  }
}
