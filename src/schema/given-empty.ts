// Lists, maps and bytes that a client gave without a member. An object does not keep them: they are stored as none. That they were
// given still shows: in who owns a field, in values that messages repeat, and in a few rules.

import { isJsonObject } from '../base/json/json.ts';
import { hiddenNote } from '../base/maps/with-fields.ts';

type Empty = readonly [] | Readonly<Record<string, never>> | '';

interface Marked {
  [hiddenNote]?: ReadonlyMap<string, Empty>;
}

const none = { list: Object.freeze([] as const), map: Object.freeze({}), bytes: '' } as const;

/** Remembers of a struct that this field of it was given empty. */
export function noteGivenEmpty(struct: object, name: string, as: keyof typeof none): void {
  const marked: Marked = struct;
  marked[hiddenNote] = new Map([...(marked[hiddenNote] ?? []), [name, none[as]]]);
}

/** What a client gave for a field that has no value; undefined where it gave nothing. */
export function givenEmpty(struct: object, name: string): Empty | undefined {
  const empty = (struct as Marked)[hiddenNote]?.get(name);
  // a default may have filled the field since
  return empty !== undefined && (struct as Readonly<Record<string, unknown>>)[name] == null ? empty : undefined;
}

/** The fields of a struct that were given empty. */
export const givenEmptyFields = (struct: object): readonly string[] =>
  [...((struct as Marked)[hiddenNote]?.keys() ?? [])].filter((name) => givenEmpty(struct, name) !== undefined);

/** A field as messages show it: null where there is none. */
export function shownField(struct: object | undefined, name: string): unknown {
  if (struct === undefined) return null;
  return (struct as Readonly<Record<string, unknown>>)[name] ?? givenEmpty(struct, name) ?? null;
}

/** Whether a field was given empty anywhere in a value. By keys: of a large map V8 takes three times as long to list values. */
export function holdsGivenEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsGivenEmpty);
  if (!isJsonObject(value)) return false;
  if ((value as Marked)[hiddenNote] !== undefined && givenEmptyFields(value).length > 0) return true;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (typeof member === 'object' && holdsGivenEmpty(member)) return true;
  }
  return false;
}
