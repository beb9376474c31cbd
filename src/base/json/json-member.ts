// Finding a member of compact JSON without parsing the rest: what most readers of a large object want is small.

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
// by comparison, not by a set: every byte of what is passed over is asked for
const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d;

/** The text is not what JSON.stringify writes, so that nothing can be said about it. */
export class UnexpectedJsonError extends Error {}

/** Bytes of a member's value, or undefined when there is none. `path` leads through objects. */
export function findValue(json: Uint8Array, path: readonly string[]): Uint8Array | undefined {
  const start = startOfValue(json, path);
  return start < 0 ? undefined : json.subarray(start, skipValue(json, start));
}

/** The text without a member; unchanged bytes where the text lacks it. */
export function withoutMember(json: Uint8Array, path: readonly string[]): Uint8Array {
  const value = startOfValue(json, path);
  if (value < 0) return json;
  const name = value - (path.at(-1) as string).length - '"":'.length;
  const end = skipValue(json, value);
  // one comma goes with it
  const isLater = json[name - 1] === comma;
  const rest = json.subarray(!isLater && json[end] === comma ? end + 1 : end);
  return Buffer.concat([json.subarray(0, isLater ? name - 1 : name), rest]);
}

/** -1 when there is none. */
function startOfValue(json: Uint8Array, path: readonly string[]): number {
  let start = 0;
  for (const name of path) {
    start = findMember(json, start, name);
    if (start < 0) return start;
  }
  return start;
}

/** Bytes of each item of an array. */
export function* itemsIn(json: Uint8Array): Iterable<Uint8Array> {
  let at = 1;
  while (at < json.length && json[at] !== 0x5d) {
    const end = skipValue(json, at);
    yield json.subarray(at, end);
    at = json[end] === comma ? end + 1 : end;
  }
}

/** Where the value of a member begins in the object that begins at `start`; -1 when there is none. */
export function findMember(json: Uint8Array, start: number, name: string): number {
  if (json[start] !== 0x7b) return -1;
  let at = start + 1;
  while (json[at] === quote) {
    const end = skipString(json, at);
    if (json[end] !== colon) throw new UnexpectedJsonError();
    if (isName(json, at + 1, end - 1, name)) return end + 1;
    at = skipValue(json, end + 1);
    if (json[at] !== comma) break;
    at++;
  }
  if (json[at] !== 0x7d) throw new UnexpectedJsonError();
  return -1;
}

function isName(json: Uint8Array, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (json[from + i] !== name.charCodeAt(i)) return false;
  return true;
}

/** Bytes without an escaped quote after which the end of a string is searched natively: a call costs as much as this many bytes. */
const longRun = 48;

/** The closing quote of a string; the end of the text, or a byte further, where there is none. */
export function endOfString(json: Uint8Array, start: number): number {
  let run = start + 1;
  let at = run;
  for (; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) return at;
    if (byte === backslash) {
      at++;
      if (json[at] === quote) run = at + 1;
    } else if (at - run >= longRun) {
      const end = json.indexOf(quote, at);
      if (end < 0) return json.length;
      if (!isEscaped(json, at, end)) return end;
      at = end;
      run = end + 1;
    }
  }
  return at;
}

function skipString(json: Uint8Array, start: number): number {
  const end = endOfString(json, start);
  if (end >= json.length) throw new UnexpectedJsonError();
  return end + 1;
}

/** Whether an odd number of backslashes stands before `end`; `from` is not within an escape. */
function isEscaped(json: Uint8Array, from: number, end: number): boolean {
  let at = end;
  while (at > from && json[at - 1] === backslash) at--;
  return (end - at) % 2 === 1;
}

/** Where what follows a value begins. */
export function skipValue(json: Uint8Array, start: number): number {
  if (json[start] === quote) return skipString(json, start);
  if (isOpening(json[start] as number)) return skipNested(json, start);
  let at = start;
  while (at < json.length && json[at] !== comma && !isClosing(json[at] as number)) at++;
  return at;
}

function skipNested(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte === quote) at = skipString(json, at) - 1;
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte) && --depth === 0) return at + 1;
  }
  throw new UnexpectedJsonError();
}
