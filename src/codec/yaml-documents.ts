// All documents of a YAML text with their places in it, for tools that report a line and a column. The server reads bodies by
// `yaml-reader.ts`; values are the same here.

import type { Document, LineCounter, Node } from 'yaml';
import type { JsonValue } from '../base/json/json.ts';
import { checkDepth, type RepeatedKey, repeatedKeys, valuesOf } from './yaml-document.ts';
import { plain, yamlOptions } from './yaml-reader.ts';

/** Counted from one. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface YamlDocument {
  readonly value: JsonValue;
  readonly repeated: readonly RepeatedKey[];
  readonly text: LocatedText;
}

interface SyntaxFault {
  readonly message: string;
  readonly position: Position;
}

interface YamlDocuments {
  readonly documents: readonly YamlDocument[];
  /** Documents after the first fault are not read. */
  readonly fault: SyntaxFault | undefined;
}

const maxValues = 1_000_000;

/** Documents without content are left out. */
export async function readYamlDocuments(text: string): Promise<YamlDocuments> {
  const library = await import('yaml');
  const lines = new library.LineCounter();
  const documents: YamlDocument[] = [];
  try {
    checkDepth(library, text);
    const options: object = { ...yamlOptions, lineCounter: lines, prettyErrors: false, uniqueKeys: false };
    for (const document of library.parseAllDocuments(text, options) as readonly Document[]) {
      const [error] = document.errors;
      if (error !== undefined) return { documents, fault: faultAt(error.message, lines, error.pos[0]) };
      const repeated = repeatedKeys(library, document, lines);
      const value = plain(valuesOf(document), maxValues);
      if (value !== null) documents.push({ value, repeated, text: new LocatedText(library, document, lines) });
    }
    return { documents, fault: undefined };
  } catch (error) {
    return { documents, fault: faultAt((error as Error).message, lines, lines.lineStarts.at(-1) ?? 0) };
  }
}

function faultAt(message: string, lines: LineCounter, offset: number): SyntaxFault {
  return { message: message.split('\n', 1)[0] ?? '', position: positionOf(lines, offset) };
}

function positionOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** A document, asked where its fields are. */
export class LocatedText {
  readonly #library: typeof import('yaml');
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(library: typeof import('yaml'), document: Document, lines: LineCounter) {
    this.#library = library;
    this.#document = document;
    this.#lines = lines;
  }

  /** The place of a field as errors name it, such as `spec.ports[0].name`; of the nearest field around it that is there. */
  find(path: string): Position {
    let node: unknown = this.#document.contents;
    let offset = startOf(node) ?? 0;
    for (let rest = path; rest !== ''; ) {
      const step = this.#step(node, rest.replace(/^\./, ''));
      if (step === undefined) break;
      offset = step.offset ?? offset;
      node = step.node;
      rest = step.rest;
    }
    return positionOf(this.#lines, offset);
  }

  #step(given: unknown, path: string): Step | undefined {
    const { isAlias, isMap, isSeq } = this.#library;
    const node = isAlias(given) ? given.resolve(this.#document) : given;
    if (isMap(node)) return this.#member(node.items, path);
    if (!isSeq(node)) return undefined;
    const [brackets = '', index = ''] = /^\[(\d+)\]/.exec(path) ?? [];
    const item = node.items[Number(index)];
    if (brackets === '' || item === undefined) return undefined;
    return { node: item, offset: startOf(item), rest: path.slice(brackets.length) };
  }

  /** Keys may have dots and brackets in them: the longest key that the path begins with is meant. */
  #member(items: readonly { readonly key: unknown; readonly value: unknown }[], path: string): Step | undefined {
    let best: Step | undefined;
    for (const { key, value } of items) {
      if (!this.#library.isScalar(key)) continue;
      const name = String(key.value);
      for (const spelling of [name, `[${name}]`]) {
        const rest = path.slice(spelling.length);
        const isWhole = rest === '' || rest.startsWith('.') || rest.startsWith('[');
        if (spelling === '' || !path.startsWith(spelling) || !isWhole) continue;
        if (best === undefined || rest.length < best.rest.length) best = { node: value, offset: startOf(key), rest };
      }
    }
    return best;
  }
}

interface Step {
  readonly node: unknown;
  /** Undefined for a node that is not written, such as the value of `key:`. */
  readonly offset: number | undefined;
  readonly rest: string;
}

const startOf = (node: unknown): number | undefined => (node as Node | null)?.range?.[0];
