// JSON texts of values that never change and are written more than once.

import { memoized } from '../memoized.ts';
import { stringifyJson } from './json.ts';

/** Texts that values came with. */
const sources = new WeakMap<object, string>();

const textOfObject = memoized((value: object): string => sources.get(value) ?? stringifyJson(value));

/** The JSON of a value that never changes. */
export const textOfConstant = (value: unknown): string =>
  typeof value === 'object' && value !== null ? textOfObject(value) : stringifyJson(value);

/** Stores the text of a value that was made of it. */
export function rememberText(value: object, text: string): void {
  sources.set(value, text);
}
