// How much is in a JSON text, before it is read: it is not the length of a text that takes time, but how many values it has.

import { maxJsonDepth } from './json-scan.ts';

interface JsonWeight {
  /** Not less than the values in it. */
  readonly values: number;
  /** Where objects and lists begin that hold so many values that they are to be read in turns. */
  readonly large: ReadonlySet<number>;
  /** Then nothing is known of what stands further down. */
  readonly isTooDeep: boolean;
}

/** So many values are read in a millisecond or two. */
const largeValues = 2000;

/** Brackets that do not fit together are for the reader to refuse. */
export function weighJson(text: string, most = largeValues): JsonWeight {
  const large = new Set<number>();
  const starts: number[] = [];
  const counts: number[] = [];
  let values = 1;
  let isTooDeep = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2c) values++;
    else if (code === 0x7b || code === 0x5b) {
      isTooDeep = starts.length > maxJsonDepth;
      if (isTooDeep) break;
      starts.push(at);
      counts.push(values++);
    } else if (code === 0x7d || code === 0x5d) {
      const start = starts.pop();
      if (start !== undefined && values - (counts.pop() as number) > most) large.add(start);
    }
  }
  // what is never closed ends with the text
  for (const [index, start] of starts.entries()) if (values - (counts[index] as number) > most) large.add(start);
  return { values, large, isTooDeep };
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
