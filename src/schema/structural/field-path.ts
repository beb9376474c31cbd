// Paths to fields of custom resources, as definitions write them: `.spec.size`, `.spec['a.b']`.

import { getOwn } from '../../base/json/json.ts';
import { additionalOf, type Schema } from './schema.ts';

type FoundField =
  | {
      /** Undefined where a map takes anything. */
      readonly schema: Schema | undefined;
      /** As validation errors write it: names after dots, keys of maps in brackets. */
      readonly path: string;
      readonly steps: readonly string[];
    }
  | { readonly problem: string };

interface FieldPathOptions {
  /** `['name']` is refused. */
  readonly dotsOnly?: boolean;
}

/** Where a path leads in a schema, or why it leads nowhere. */
export function findField(path: string, schema: Schema, { dotsOnly = false }: FieldPathOptions = {}): FoundField {
  const reader = new PathReader(path);
  let found: FoundField = { schema, path: '', steps: [] };
  while (!('problem' in found) && !reader.isAtEnd) {
    const token = reader.next();
    if (token === '.') found = reader.isAtEnd ? ended : stepInto(found, reader.next());
    else if (token !== '[') found = { problem: `expected [ or . but got: ${token}` };
    else found = dotsOnly ? { problem: 'array notation is not allowed' } : bracket(reader, found);
  }
  return found;
}

const ended: FoundField = { problem: 'unexpected end of JSON path' };
const nowhere: FoundField = { problem: 'does not refer to a valid field' };

class PathReader {
  #rest: string;

  constructor(path: string) {
    this.#rest = path;
  }

  get isAtEnd(): boolean {
    return this.#rest === '';
  }

  /** A delimiter, a text in quotes, or what is up to the next delimiter; empty at the end. */
  next(): string {
    const token = this.#rest.startsWith("'")
      ? (/^'.*?(?<!\\)'/s.exec(this.#rest)?.[0] ?? this.#rest)
      : (/^(?:[.[\]]|[^.[\]]+)/.exec(this.#rest)?.[0] ?? '');
    this.#rest = this.#rest.slice(token.length);
    return token;
  }
}

type Found = Exclude<FoundField, { readonly problem: string }>;

function bracket(reader: PathReader, from: Found): FoundField {
  if (reader.isAtEnd) return ended;
  const token = reader.next();
  if (!/^'.*'$/s.test(token)) return { problem: `expected single quoted string but got ${token}` };
  const quoted = unquoted(token.slice(1, -1));
  if ('problem' in quoted) return quoted;
  const found = stepInto(from, quoted.text);
  if ('problem' in found) return found;
  if (reader.isAtEnd) return ended;
  const closing = reader.next();
  return closing === ']' ? found : { problem: `expected ] but got ${closing}` };
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquoted(text: string): { readonly text: string } | { readonly problem: string } {
  let odd: string | undefined;
  const plain = text.replace(/\\(.)/gs, (whole, directive: string) => {
    if (!Object.hasOwn(escapes, directive)) odd = whole;
    return escapes[directive] ?? '';
  });
  return odd === undefined ? { text: plain } : { problem: `invalid string literal: invalid escape char ${odd}` };
}

function stepInto({ schema, path, steps }: Found, name: string): FoundField {
  const { properties, additionalProperties } = schema ?? {};
  const next = [...steps, name];
  if (properties !== undefined) {
    const field = getOwn(properties, name);
    return field === undefined ? nowhere : { schema: field, path: path === '' ? name : `${path}.${name}`, steps: next };
  }
  if (schema === undefined || additionalProperties === undefined) return nowhere;
  return { schema: additionalOf(schema), path: `${path}[${name}]`, steps: next };
}
