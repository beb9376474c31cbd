// The beginning of a value's JSON text, without writing the rest of it.

import { isJsonObject, stringifyJson } from './json.ts';

/** All of the text where it is no longer than `limit`, else about that much of it and three dots. */
export function jsonBeginning(value: unknown, limit: number): string {
  const text = new Beginning(limit);
  text.write(value);
  return text.isFull ? `${text.written}...` : text.written;
}

class Beginning {
  written = '';
  readonly #limit: number;
  isFull = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  write(value: unknown): void {
    if (Array.isArray(value)) this.#list(value);
    else if (isJsonObject(value)) this.#object(value);
    else if (typeof value === 'string') this.#add(stringifyJson(value.slice(0, this.#limit)));
    else this.#add(stringifyJson(value) ?? 'null');
  }

  #list(items: readonly unknown[]): void {
    this.#add('[');
    for (const [index, item] of items.entries()) {
      if (this.isFull) return;
      if (index > 0) this.#add(',');
      this.write(item);
    }
    this.#add(']');
  }

  #object(members: Readonly<Record<string, unknown>>): void {
    let before = '{';
    for (const key in members) {
      if (this.isFull) return;
      if (!Object.hasOwn(members, key) || members[key] === undefined) continue;
      this.#add(`${before}${stringifyJson(key.slice(0, this.#limit))}:`);
      this.write(members[key]);
      before = ',';
    }
    this.#add(before === '{' ? '{}' : '}');
  }

  #add(text: string): void {
    if (this.isFull) return;
    const left = this.#limit - this.written.length;
    this.isFull = text.length > left;
    this.written += this.isFull ? text.slice(0, left) : text;
  }
}
