// The shape of decoded JSON, and safe access to objects whose keys a client chose.

/** Integers that a double would round are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values say the same; the order of keys does not matter, one that is undefined is still a key. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  return !Array.isArray(b) && isSameObject(a as Record<string, unknown>, b as Record<string, unknown>);
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));

function isSameObject(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !isSameJson(a[key], b[key])) return false;
  return true;
}

/** Sets an own property whatever its name is: `__proto__` becomes data, never a prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Reads an own property; inherited names such as `constructor` are absent. */
export function getOwn<T>(source: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

/** Members in the order of their keys. By keys: of a large object V8 takes several times as long to list or to spread members. */
export function inOrderOfKeys<T>(members: ReadonlyMap<string, T>): Record<string, T> {
  const result: Record<string, T> = {};
  for (const key of [...members.keys()].sort()) setOwn(result, key, members.get(key) as T);
  return result;
}

/** The same value with sorted keys everywhere. */
export function withSortedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(result, key, withSortedKeys(value[key] as JsonValue));
  return result;
}

/** JSON text of a value that may hold bigints, indented on request. */
export function stringifyJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // what JSON.stringify says of a bigint, the only value of ours that it cannot write
    if (error instanceof TypeError) return write(value, indent > 0 ? '\n' : '', ' '.repeat(indent)) ?? 'null';
    throw error;
  }
}

/** `line` is a line break and the indentation of the value's own line; empty for compact text. */
function write(value: unknown, line: string, step: string): string | undefined {
  if (typeof value === 'bigint') return String(value);
  const inner = line === '' ? '' : line + step;
  if (Array.isArray(value))
    return wrap(
      '[]',
      line,
      inner,
      value.map((item) => write(item, inner, step) ?? 'null'),
    );
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const key of Object.keys(value)) {
    const text = write(value[key], inner, step);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${line === '' ? '' : ' '}${text}`);
  }
  return wrap('{}', line, inner, members);
}

function wrap(brackets: string, line: string, inner: string, members: readonly string[]): string {
  if (members.length === 0) return brackets;
  return `${brackets[0]}${inner}${members.join(`,${inner}`)}${line}${brackets[1]}`;
}
