// How much is in a JSON text, before it is read: it is not the length of a text that takes time, but how many values it has.

import { maxJsonDepth } from './json-scan.ts';
import { atOnce, type Steps } from './steps.ts';

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

/** So many characters are looked at in a fraction of a millisecond. */
const charactersAStep = 64 * 1024;

/** Brackets that do not fit together are for the reader to refuse. */
export function weighJson(text: string, most = largeValues): JsonWeight {
  return atOnce(weighingJson(text, most));
}

export function* weighingJson(text: string, most = largeValues): Steps<JsonWeight> {
  const look = new Look(text, most);
  for (let at = 0; at < text.length && !look.isTooDeep; ) {
    at = look.on(at, Math.min(at + charactersAStep, text.length));
    if (at < text.length) yield;
  }
  look.end();
  return look;
}

class Look implements JsonWeight {
  readonly #text: string;
  readonly #most: number;
  readonly large = new Set<number>();
  /** Of what is not closed yet: where it begins, and how many values came before. */
  readonly #starts: number[] = [];
  readonly #counts: number[] = [];
  values = 1;
  isTooDeep = false;

  constructor(text: string, most: number) {
    this.#text = text;
    this.#most = most;
  }

  /** Says where to go on: a string is looked at as a whole. */
  on(from: number, to: number): number {
    const text = this.#text;
    let at = from;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) at = endOfString(text, at);
      else if (code === 0x2c) this.values++;
      else if (code === 0x7b || code === 0x5b) {
        this.isTooDeep = this.#starts.length > maxJsonDepth;
        if (this.isTooDeep) return at;
        this.#starts.push(at);
        this.#counts.push(this.values++);
      } else if (code === 0x7d || code === 0x5d) this.#close();
    }
    return at;
  }

  /** What is never closed ends with the text. */
  end(): void {
    while (this.#starts.length > 0) this.#close();
  }

  #close(): void {
    const start = this.#starts.pop();
    if (start !== undefined && this.values - (this.#counts.pop() as number) > this.#most) this.large.add(start);
  }
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
