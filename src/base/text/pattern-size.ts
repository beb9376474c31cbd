// How large a pattern is when its counted repetitions are written out: ten characters can stand for a million.

const repetition = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** In characters, classes counting as one; rather too many than too few, also of texts that are no patterns. */
export function patternSize(text: string): number {
  const counted = new Counter();
  for (let at = 0; at < text.length; ) at = step(text, at, counted);
  return counted.total;
}

/** Reads one thing, and says where the next one begins. */
function step(text: string, at: number, counted: Counter): number {
  switch (text[at]) {
    case '(':
      counted.open();
      return at + 1;
    case ')':
      counted.close();
      return at + 1;
    case '{':
      return afterRepetition(text, at, counted);
    case '[':
      counted.add();
      return afterClass(text, at);
    case '\\':
      counted.add();
      return afterEscape(text, at);
    default:
      counted.add();
      return at + 1;
  }
}

function afterRepetition(text: string, at: number, counted: Counter): number {
  repetition.lastIndex = at;
  const found = repetition.exec(text);
  if (found === null) {
    counted.add();
    return at + 1;
  }
  counted.repeat(Math.max(1, Number(found[1]), Number(found[2] ?? 0)));
  return at + found[0].length;
}

function afterClass(text: string, start: number): number {
  let at = start + 1;
  if (text[at] === '^') at++;
  // a bracket that comes first is a member
  if (text[at] === ']') at++;
  while (at < text.length && text[at] !== ']') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Codes and names of classes may stand in braces. */
function afterEscape(text: string, at: number): number {
  const isNamed = text[at + 2] === '{' && 'xpP'.includes(text[at + 1] as string);
  const end = isNamed ? text.indexOf('}', at) : -1;
  return end < 0 ? at + 2 : end + 1;
}

class Counter {
  /** Sizes of what stands before each group that is open. */
  readonly #outer: number[] = [];
  #size = 0;
  /** What a repetition would repeat. */
  #last = 0;

  get total(): number {
    return this.#outer.reduce((sum, size) => sum + size, this.#size);
  }

  add(size = 1): void {
    this.#last = size;
    this.#size += size;
  }

  repeat(times: number): void {
    this.#size += this.#last * (times - 1);
    this.#last *= times;
  }

  open(): void {
    this.#outer.push(this.#size);
    this.#size = 0;
    this.#last = 0;
  }

  close(): void {
    const inside = this.#size + 1;
    this.#size = this.#outer.pop() ?? 0;
    this.add(inside);
  }
}
