// How large a value is, as far as it matters.

/** How many values a value is made of, itself included; `most` where there are at least so many. */
export function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value)
    ? countItems(value, most)
    : countMembers(value as Readonly<Record<string, unknown>>, most);
}

function countItems(list: readonly unknown[], most: number): number {
  if (list.length >= most) return most;
  let count = 1;
  for (const item of list) {
    count += typeof item === 'object' ? countValues(item, most - count) : 1;
    if (count >= most) return most;
  }
  return count;
}

/** By keys: of a large object V8 takes three times as long to list values. */
function countMembers(object: Readonly<Record<string, unknown>>, most: number): number {
  const keys = Object.keys(object);
  if (keys.length >= most) return most;
  let count = 1;
  for (const key of keys) {
    const member = object[key];
    count += typeof member === 'object' ? countValues(member, most - count) : 1;
    if (count >= most) return most;
  }
  return count;
}
