// JSON text of large values, written in short steps.

import { stringifyJson } from './json.ts';
import type { Steps } from './steps.ts';

/** So many values are written in a fraction of a millisecond. */
const stepValues = 500;

/** What `stringifyJson` writes. */
export function* writingJson(value: unknown, indent = 0): Steps<string> {
  const writer = new Writer(indent);
  yield* writer.write(value, 0);
  return writer.text;
}

class Writer {
  readonly #indent: number;
  readonly #texts: string[] = [];
  #pieces: string[] = [];
  /** Of large objects: V8 takes long to list them, and each is asked for them by all that it stands in. */
  readonly #keys = new Map<object, readonly string[]>();

  constructor(indent: number) {
    this.#indent = indent;
  }

  get text(): string {
    this.#endStep();
    return this.#texts.join('');
  }

  /** Makes one text of what was written since the last step: all at once at the end that would take long. */
  #endStep(): void {
    this.#texts.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** `depth` is how many values the value is inside of. */
  *write(value: unknown, depth: number): Steps<void> {
    if (this.#count(value, stepValues) < stepValues) this.#pieces.push(this.#small(value, depth));
    else if (Array.isArray(value)) yield* this.#list(value, depth);
    else yield* this.#object(value as Readonly<Record<string, unknown>>, depth);
  }

  #small(value: unknown, depth: number): string {
    const text = stringifyJson(value, this.#indent);
    // a line break in JSON text is always indentation: those in strings are escaped
    return this.#indent === 0 || depth === 0 ? text : text.replaceAll('\n', this.#line(depth));
  }

  /** A line break and the indentation after it; empty for compact text. */
  #line(depth: number): string {
    return this.#indent === 0 ? '' : `\n${' '.repeat(this.#indent * depth)}`;
  }

  *#list(list: readonly unknown[], depth: number): Steps<void> {
    this.#pieces.push('[');
    const line = this.#line(depth + 1);
    let from = 0;
    while (from < list.length) {
      const to = this.#endOfStep(list, from);
      this.#pieces.push(from > 0 ? `,${line}` : line);
      if (to - from > 1) this.#pieces.push(this.#items(list.slice(from, to), depth));
      else yield* this.write(list[from], depth + 1);
      from = to;
      this.#endStep();
      yield;
    }
    this.#pieces.push(`${this.#line(depth)}]`);
  }

  /** Several small items of a list, without what stands around them. */
  #items(items: readonly unknown[], depth: number): string {
    const text = this.#small(items, depth);
    return text.slice(1 + this.#line(depth + 1).length, -1 - this.#line(depth).length);
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

  *#object(object: Readonly<Record<string, unknown>>, depth: number): Steps<void> {
    yield;
    const line = this.#line(depth + 1);
    const colon = this.#indent === 0 ? ':' : ': ';
    let values = 0;
    let separator = '{';
    for (const key of this.#keysOf(object)) {
      const member = object[key];
      if (member === undefined) continue;
      const beginning = `${separator}${line}${JSON.stringify(key)}${colon}`;
      separator = ',';
      const count = this.#count(member, stepValues);
      if (count < stepValues) this.#pieces.push(beginning + this.#small(member, depth + 1));
      else {
        this.#pieces.push(beginning);
        yield* this.write(member, depth + 1);
      }
      values += count;
      if (values < stepValues) continue;
      values = 0;
      this.#endStep();
      yield;
    }
    this.#pieces.push(separator === '{' ? '{}' : `${this.#line(depth)}}`);
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
