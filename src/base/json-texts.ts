// JSON texts of values that never change and are written more than once.

import { stringifyJson } from './json.ts';

const texts = new WeakMap<object, string>();

/** The JSON of a value that never changes. */
export function textOfConstant(value: unknown): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  let text = texts.get(value);
  if (text === undefined) {
    text = stringifyJson(value);
    texts.set(value, text);
  }
  return text;
}

/** Stores the text of a value that was made of it. */
export function rememberText(value: object, text: string): void {
  texts.set(value, text);
}
