// One YAML document, read up to its first error. The library collects every error with a piece of the text, and
// compares every key of a map with all others: a small hostile text would keep the server busy for minutes.

import type { Document, LineCounter, Node } from 'yaml';
import { maxJsonDepth } from '../base/json/json-scan.ts';
import { goSyntax } from '../wording/go-format.ts';
import { endOfFirstDocument } from '../wording/yaml/grammar.ts';

export interface RepeatedKey {
  /** Where its value begins, counted from one. */
  readonly line: number;
  readonly key: unknown;
}

interface ReadDocument {
  readonly document: Document;
  readonly repeated: readonly RepeatedKey[];
}

type Library = typeof import('yaml');
type ErrorSource = number | readonly number[] | { readonly offset: number };

/** What JSON cannot say; told as it is, not as something wrong with the YAML. */
export class NoJsonError extends Error {}

/** Throws for the first thing that is wrong; keys that repeat are told. */
export async function readDocument(text: string, options: object): Promise<ReadDocument> {
  if (forbidden.test(text)) throw new Error('control characters are not allowed');
  const library = await import('yaml');
  checkDepth(library, text);
  // compat: of several YAML documents the first one counts
  const first = text.slice(0, endOfFirstDocument(text));
  const lines = new library.LineCounter();
  const document = compose(library, first, options, lines);
  endAsGiven(library, document, first);
  return { document, repeated: repeatedKeys(library, document, lines) };
}

/** compat: a block of lines that ends with the body ends without a line break where the body does */
function endAsGiven(library: Library, { contents }: Document, text: string): void {
  if (/(?:^|[\r\n])[ \t]*$/.test(text)) return;
  let last: unknown = contents;
  while (library.isCollection(last)) {
    const item: unknown = last.items.at(-1);
    last = library.isPair(item) ? item.value : item;
  }
  if (!library.isScalar(last) || typeof last.value !== 'string' || !last.type?.startsWith('BLOCK_')) return;
  last.value = last.value.replace(/\n$/, '');
}

/** Aliases are what turns a small document into a huge one. */
const maxAliases = 100;

/** The values of a node of a document. */
export function valuesOf(document: Document, node: Node | Document = document): unknown {
  try {
    const options = { maxAliasCount: maxAliases };
    return node === document ? document.toJS(options) : (node as Node).toJS(document, options);
  } catch (error) {
    if (error instanceof ReferenceError) throw new Error('document contains excessive aliasing', { cause: error });
    throw error;
  }
}

/** Characters that no text of the language has, not even in quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

function compose(library: Library, text: string, options: object, lines: LineCounter): Document {
  let first: Error | undefined;
  // the composer takes what is thrown here for its own error, and tells it again
  const fail = (source: ErrorSource, message: string): never => {
    first ??= new Error(`line ${lines.linePos(offsetOf(source)).line}: ${message}`);
    throw first;
  };
  const parser = new library.Parser(lines.addNewLine);
  const composer = new library.Composer({ ...options, prettyErrors: false, uniqueKeys: false });
  // what the composer finds it would only write down
  Object.assign(composer, {
    onError(source: ErrorSource, _: string, message: string, isWarning?: boolean) {
      if (!isWarning) fail(source, message);
    },
  });
  const composeFirst = (): Document => {
    for (const token of parser.parse(text)) {
      if (token.type === 'error') fail(token, token.message);
      const [document] = composer.next(token);
      if (document !== undefined) return document;
    }
    const [document] = composer.end(true, text.length);
    return document as Document;
  };
  const document = composeFirst();
  const [error] = document.errors;
  if (error !== undefined) fail(error.pos, error.message);
  return document;
}

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : (source[0] ?? 0);
}

/** Marks that open a level without a line of their own. */
const openings = /[[{]|[-?:] /g;
/** The lexer announces a scalar by this token. */
const scalarMark = '\u001f';

/** Levels that indentation makes are few in a text of limited length; others are counted where there may be too many. */
export function checkDepth({ Lexer }: Pick<Library, 'Lexer'>, text: string): void {
  if ((text.match(openings)?.length ?? 0) <= maxJsonDepth) return;
  let open = 0;
  let onLine = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (isScalar) isScalar = false;
    else if (token === scalarMark) isScalar = true;
    else if (token === '[' || token === '{') open++;
    else if (token === ']' || token === '}') open--;
    else if (token === '-' || token === '?' || token === ':') onLine++;
    else if (token.includes('\n')) onLine = 0;
    if (open + onLine > maxJsonDepth) throw new Error('exceeded max depth');
  }
}

/** In the order of the document. Throws for keys that JSON cannot have: what YAML itself refuses is told before. */
export function repeatedKeys(library: Library, document: Document, lines: LineCounter): readonly RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  let noJson: Error | undefined;
  const walk = (node: unknown): void => {
    if (library.isSeq(node)) node.items.forEach(walk);
    if (!library.isMap(node)) return;
    const known = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (!library.isScalar(key)) throw invalidKey(document, key as Node);
      if (key.value === null) noJson ??= nullKey(document, value as Node | null);
      const { range } = library.isNode(value) ? value : key;
      if (known.has(key.value)) repeated.push({ key: key.value, line: lines.linePos(range?.[0] ?? 0).line });
      if (key.value !== mergeKey) known.add(key.value);
      walk(value);
    }
  };
  walk(document.contents);
  if (noJson !== undefined) throw noJson;
  return repeated;
}

const mergeKey = '<<';

/** Longer values are told in part. */
const maxShown = 1000;
const shown = (document: Document, node: Node): string =>
  goSyntax(valuesOf(document, node), 'interface {}').slice(0, maxShown);

const invalidKey = (document: Document, key: Node): Error => new Error(`invalid map key: ${shown(document, key)}`);

function nullKey(document: Document, value: Node | null): Error {
  const text = value === null || valuesOf(document, value) === null ? '<nil>' : shown(document, value);
  return new NoJsonError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${text}`);
}
