// What a YAML text is made of, read only to say where its first document ends, or what is wrong with it in the words and with the lines
// of kube-apiserver.

import { faultAt, type Mark, YamlFault } from './cursor.ts';
import { Scanner, type Token, type TokenKind } from './scanner.ts';

/** Where the first document of a text ends; what comes after it is not looked at. Throws for what is wrong with it. */
export function endOfFirstDocument(text: string): number {
  return new Grammar(text).read();
}

/** What is left to be read, the next one last: levels are not limited by those of calls. */
type Task = () => void;

/** A node inside of blocks, or inside of brackets. */
type Place = 'block' | 'flow';

const endsDocument: readonly TokenKind[] = ['directive', 'document start', 'document end', 'stream end'];

class Grammar {
  readonly #scanner: Scanner;
  readonly #tasks: Task[] = [];
  readonly #handles = new Set(['']);
  /** Whether what an anchor names has been read to its end. */
  readonly #anchors = new Map<string, boolean>();
  #selfContained: string | undefined;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  read(): number {
    this.#tasks.push(() => this.#document());
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) task();
    const end = this.#scanner.peek().mark.index;
    if (this.#selfContained !== undefined) throw new YamlFault(`anchor '${this.#selfContained}' value contains itself`);
    return end;
  }

  #is(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.#scanner.peek().kind);
  }

  /** compat: what the grammar of YAML does not expect is told with the number of the line before */
  #fault(problem: string, { line }: Mark, context: Mark): YamlFault {
    return faultAt(problem, line || context.line);
  }

  #unexpected(problem: string, context: Mark): YamlFault {
    return this.#fault(problem, this.#scanner.peek().mark, context);
  }

  #document(): void {
    const { mark } = this.#scanner.peek();
    const isBare = !this.#is('directive', 'document start', 'stream end');
    if (isBare) {
      this.#node('block');
      return;
    }
    if (this.#is('stream end')) return;
    this.#directives();
    if (!this.#is('document start')) throw this.#unexpected('did not find expected <document start>', mark);
    this.#scanner.take();
    if (!this.#is(...endsDocument)) this.#node('block');
  }

  #directives(): void {
    let hasVersion = false;
    while (this.#is('directive')) {
      const { directive, mark } = this.#scanner.take();
      const refuse = (problem: string) => this.#fault(problem, mark, mark);
      if (directive?.is === 'version') {
        if (hasVersion) throw refuse('found duplicate %YAML directive');
        if (directive.version !== '1.1') throw refuse('found incompatible YAML document');
        hasVersion = true;
      } else if (directive?.is === 'tag') {
        if (directive.handle !== '' && this.#handles.has(directive.handle))
          throw refuse('found duplicate %TAG directive');
        this.#handles.add(directive.handle);
      }
    }
  }

  /** `mayBeIndentless`: entries of a list may stand in the column of the key that they belong to. */
  #node(place: Place, mayBeIndentless = false): void {
    const start = this.#scanner.peek().mark;
    if (this.#is('alias')) {
      this.#alias(this.#scanner.take());
      return;
    }
    const hasProperties = this.#properties(start);
    if (mayBeIndentless && this.#is('entry')) {
      this.#indentless();
      return;
    }
    if (this.#content(place) || hasProperties) return;
    throw this.#unexpected('did not find expected node content', start);
  }

  /** An anchor and a tag, in any order. */
  #properties(start: Mark): boolean {
    const found = new Map<TokenKind, Token>();
    while (this.#is('anchor', 'tag') && !found.has(this.#scanner.peek().kind)) {
      const token = this.#scanner.take();
      found.set(token.kind, token);
    }
    const tag = found.get('tag');
    if (tag !== undefined && !this.#handles.has(tag.name ?? ''))
      throw this.#fault('found undefined tag handle', tag.mark, start);
    const anchor = found.get('anchor');
    if (anchor !== undefined) this.#anchor(anchor.name ?? '');
    return found.size > 0;
  }

  #anchor(name: string): void {
    this.#anchors.set(name, false);
    this.#tasks.push(() => this.#anchors.set(name, true));
  }

  #alias({ name = '' }: Token): void {
    const isRead = this.#anchors.get(name);
    if (isRead === undefined) throw new YamlFault(`unknown anchor '${name}' referenced`);
    if (!isRead) this.#selfContained ??= name;
  }

  /** Whether there is something that a node can be. */
  #content(place: Place): boolean {
    const { kind, mark } = this.#scanner.peek();
    const read = this.#readers[kind];
    if (read === undefined || (place === 'flow' && kind.startsWith('block'))) return false;
    this.#scanner.take();
    read(mark);
    return true;
  }

  readonly #readers: Partial<Record<TokenKind, (mark: Mark) => void>> = {
    scalar: () => undefined,
    'flow sequence': (mark) => this.#flowSequence(mark, true),
    'flow mapping': (mark) => this.#flowMapping(mark, true),
    'block sequence': (mark) => this.#blockSequence(mark),
    'block mapping': (mark) => this.#blockMapping(mark),
  };

  #blockSequence(mark: Mark): void {
    if (this.#is('entry')) {
      this.#scanner.take();
      this.#tasks.push(() => this.#blockSequence(mark));
      if (!this.#is('entry', 'block end')) this.#tasks.push(() => this.#node('block'));
    } else if (this.#is('block end')) this.#scanner.take();
    else throw this.#unexpected("did not find expected '-' indicator", mark);
  }

  #indentless(): void {
    if (!this.#is('entry')) return;
    this.#scanner.take();
    this.#tasks.push(() => this.#indentless());
    if (!this.#is('entry', 'key', 'value', 'block end')) this.#tasks.push(() => this.#node('block'));
  }

  #blockMapping(mark: Mark): void {
    if (this.#is('key')) {
      this.#scanner.take();
      this.#tasks.push(() => this.#blockValue(mark));
      this.#blockMember();
    } else if (this.#is('block end')) this.#scanner.take();
    else throw this.#unexpected('did not find expected key', mark);
  }

  #blockValue(mark: Mark): void {
    this.#tasks.push(() => this.#blockMapping(mark));
    if (!this.#is('value')) return;
    this.#scanner.take();
    this.#blockMember();
  }

  /** A key or a value, which may be left out. */
  #blockMember(): void {
    if (!this.#is('key', 'value', 'block end')) this.#tasks.push(() => this.#node('block', true));
  }

  #flowSequence(mark: Mark, isFirst: boolean): void {
    if (!this.#is('flow sequence end')) {
      if (!isFirst) this.#separator("did not find expected ',' or ']'", mark);
      if (!this.#is('flow sequence end')) {
        this.#tasks.push(() => this.#flowSequence(mark, false));
        if (this.#is('key')) this.#flowPair();
        else this.#tasks.push(() => this.#node('flow'));
        return;
      }
    }
    this.#scanner.take();
  }

  /** A mapping of one key without braces. */
  #flowPair(): void {
    this.#scanner.take();
    this.#tasks.push(() => {
      if (!this.#is('value')) return;
      this.#scanner.take();
      if (!this.#is('flow entry', 'flow sequence end')) this.#tasks.push(() => this.#node('flow'));
    });
    // what stands in place of a key is skipped
    if (this.#is('value', 'flow entry', 'flow sequence end')) this.#scanner.take();
    else this.#tasks.push(() => this.#node('flow'));
  }

  #flowMapping(mark: Mark, isFirst: boolean): void {
    if (!this.#is('flow mapping end')) {
      if (!isFirst) this.#separator("did not find expected ',' or '}'", mark);
      if (!this.#is('flow mapping end')) {
        this.#tasks.push(() => this.#flowMapping(mark, false));
        this.#flowMember();
        return;
      }
    }
    this.#scanner.take();
  }

  #flowMember(): void {
    if (!this.#is('key')) {
      this.#tasks.push(() => this.#node('flow'));
      return;
    }
    this.#scanner.take();
    this.#tasks.push(() => this.#flowValue());
    if (!this.#is('value', 'flow entry', 'flow mapping end')) this.#tasks.push(() => this.#node('flow'));
  }

  #flowValue(): void {
    if (!this.#is('value')) return;
    this.#scanner.take();
    if (!this.#is('flow entry', 'flow mapping end')) this.#tasks.push(() => this.#node('flow'));
  }

  #separator(problem: string, mark: Mark): void {
    if (!this.#is('flow entry')) throw this.#unexpected(problem, mark);
    this.#scanner.take();
  }
}
