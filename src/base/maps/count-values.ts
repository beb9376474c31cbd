// How large a value is, as far as it matters.

type Members = Readonly<Record<string, unknown>>;

/** Objects with fewer keys are listed in no time. */
const largeKeys = 1000;

/** The keys of objects that do not change meanwhile: those of a large one are listed once, which takes V8 long. */
export class KnownKeys {
  readonly #large = new Map<object, readonly string[]>();

  of(object: object): readonly string[] {
    const known = this.#large.size === 0 ? undefined : this.#large.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length >= largeKeys) this.#large.set(object, keys);
    return keys;
  }
}

/** How many values a value is made of, itself included; `most` where there are at least so many. */
export function countValues(value: unknown, most: number, known = new KnownKeys()): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value) ? countItems(value, most, known) : countMembers(value as Members, most, known);
}

function countItems(list: readonly unknown[], most: number, known: KnownKeys): number {
  if (list.length >= most) return most;
  let count = 1;
  for (const item of list) {
    count += typeof item === 'object' ? countValues(item, most - count, known) : 1;
    if (count >= most) return most;
  }
  return count;
}

/** By keys: of a large object V8 takes three times as long to list values. */
function countMembers(object: Members, most: number, known: KnownKeys): number {
  const keys = known.of(object);
  if (keys.length >= most) return most;
  let count = 1;
  for (const key of keys) {
    const member = object[key];
    count += typeof member === 'object' ? countValues(member, most - count, known) : 1;
    if (count >= most) return most;
  }
  return count;
}
