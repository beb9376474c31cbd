// Large parts of a value that were decoded before the rest, so that decoding all of it is over soon.

import type { JsonObject } from '../base/json.ts';

/** The first items of a list. */
interface ListPart {
  readonly of: object;
  readonly items: unknown[];
}

/** The first entries of a map, by keys that are in order. */
interface MapPart {
  readonly of: object;
  readonly keys: readonly string[];
  readonly entries: Record<string, unknown>;
  /** How many of the keys are in `entries`. */
  done: number;
}

interface StructPart {
  readonly of: object;
  readonly decoded: unknown;
}

/** By the value they were made from and its type. Each is taken once: a value that stands twice in a body is decoded twice. */
export class DecodedParts {
  readonly #lists = new Map<unknown, ListPart>();
  readonly #maps = new Map<unknown, MapPart>();
  readonly #structs = new Map<unknown, StructPart>();
  readonly #taken = new Set<unknown>();
  readonly #tooMany = new Set<unknown>();
  #content: { readonly of: unknown; readonly content: () => JsonObject } | undefined;

  beginList(value: unknown, of: object): unknown[] {
    const items: unknown[] = [];
    this.#lists.set(value, { of, items });
    return items;
  }

  beginMap(value: unknown, of: object, keys: readonly string[]): MapPart {
    const part = { of, keys, entries: {}, done: 0 };
    this.#maps.set(value, part);
    return part;
  }

  putStruct(value: unknown, of: object, decoded: unknown): void {
    this.#structs.set(value, { of, decoded });
  }

  /** A map that has more entries than it may: V8 takes long to count them. */
  noteTooMany(value: unknown): void {
    this.#tooMany.add(value);
  }

  hasTooMany(value: unknown): boolean {
    return this.#tooMany.has(value);
  }

  /** What a whole object has besides its metadata; the function throws where that cannot be decoded. */
  putContent(of: unknown, content: () => JsonObject): void {
    this.#content = { of, content };
  }

  takeContent(of: unknown): JsonObject | undefined {
    const known = this.#content;
    return known !== undefined && known.of === of ? known.content() : undefined;
  }

  /** What is decoded of a list so far, the caller's to complete. */
  takeList(value: unknown, of: object): unknown[] | undefined {
    const items = take(this.#lists, value, of)?.items;
    if (items !== undefined) this.#taken.add(items);
    return items;
  }

  takeMap(value: unknown, of: object): MapPart | undefined {
    const part = take(this.#maps, value, of);
    if (part !== undefined) this.#taken.add(part.entries);
    return part;
  }

  takeStruct(value: unknown, of: object): StructPart | undefined {
    return take(this.#structs, value, of);
  }

  /** Whether a decoded value is a list or a map that was taken from here, and so has something in it: V8 takes long to look. */
  hasTaken(decoded: unknown): boolean {
    return this.#taken.has(decoded);
  }
}

function take<P extends { readonly of: object }>(parts: Map<unknown, P>, value: unknown, of: object): P | undefined {
  const part = parts.get(value);
  if (part?.of !== of) return undefined;
  parts.delete(value);
  return part;
}
