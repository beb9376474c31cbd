// Lists and maps that a client gave without a member. An object does not keep them: they are stored as none. That they were
// given still shows: in who owns a field, in values that messages repeat, and in a few rules.

import { isJsonObject } from '../base/json.ts';

type Empty = readonly [] | Readonly<Record<string, never>>;

/** JSON does not see it, and a copy of the object that is made by spreading has it too. */
const mark: unique symbol = Symbol('given empty');

interface Marked {
  [mark]?: ReadonlyMap<string, Empty>;
}

const none = { list: Object.freeze([] as const), map: Object.freeze({}) };

/** Remembers of a struct that this field of it was given empty. */
export function noteGivenEmpty(struct: object, name: string, as: 'list' | 'map'): void {
  const marked: Marked = struct;
  marked[mark] = new Map([...(marked[mark] ?? []), [name, none[as]]]);
}

/** What a client gave for a field that has no value; undefined where it gave nothing. */
export const givenEmpty = (struct: object, name: string): Empty | undefined => (struct as Marked)[mark]?.get(name);

/** The fields of a struct that were given empty. */
export const givenEmptyFields = (struct: object): readonly string[] => [...((struct as Marked)[mark]?.keys() ?? [])];

/** A field as messages show it: null where there is none. */
export function shownField(struct: object | undefined, name: string): unknown {
  if (struct === undefined) return null;
  return (struct as Readonly<Record<string, unknown>>)[name] ?? givenEmpty(struct, name) ?? null;
}

/** Whether a field was given empty anywhere in a value. */
export function holdsGivenEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsGivenEmpty);
  if (!isJsonObject(value)) return false;
  return (value as Marked)[mark] !== undefined || Object.values(value).some(holdsGivenEmpty);
}
