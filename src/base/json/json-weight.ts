// How much is in a JSON text, before it is read: it is not the length of a text that takes time, but how many values it has.

import { maxJsonDepth } from './json-scan.ts';

interface JsonWeight {
  /** Not less than the values in it. */
  readonly values: number;
  /** Then nothing is known of what stands further down. */
  readonly isTooDeep: boolean;
}

/** Brackets that do not fit together are for the reader to refuse. */
export function weighJson(text: string): JsonWeight {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2c) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > maxJsonDepth + 1) return { values, isTooDeep: true };
    } else if (code === 0x7d || code === 0x5d) depth = Math.max(0, depth - 1);
  }
  return { values, isTooDeep: false };
}

/** The closing quote of a string; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return at;
}
