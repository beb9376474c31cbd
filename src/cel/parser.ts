// From tokens to a tree: recursive descent, one method a level of precedence.

import {
  type Call,
  call,
  type Expression,
  identifier,
  type ListItem,
  literal,
  type MapLiteralEntry,
  node,
  type ObjectLiteralField,
  qualifiedName,
} from './ast.ts';
import { type Token, type TokenKind, tokenize } from './lexer.ts';
import { readInt, readUint, unescapeBytes, unescapeText } from './literals.ts';
import { expand, type MacroOptions } from './macros.ts';
import { SyntaxIssue } from './source.ts';
import { lengthOf, UintValue, type Value } from './values.ts';

/** Longer expressions are refused, in code points. */
const maxLength = 100_000;
/** How deep an expression may be nested, in brackets and in chains of operators alike. */
const maxNesting = 250;
/** Macros multiply nodes; no honest rule comes near this. */
const maxSize = 200_000;
/** Macros add levels of their own. */
const maxDepth = 2_000;

const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const keywords = new Set(['in', 'true', 'false', 'null']);
const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const relations = new Set(['<', '<=', '>', '>=', '==', '!=']);
const sums = new Set(['+', '-']);
const products = new Set(['*', '/', '%']);
/** What messages call the tokens that may begin an operand. */
const operandStarts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

export function parse(source: string, macros: MacroOptions = {}): Expression {
  const length = lengthOf(source);
  if (length > maxLength)
    throw new SyntaxIssue(0, `expression code point size exceeds limit: size: ${length}, limit ${maxLength}`);
  return new Parser(tokenize(source), macros).parse();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #macros: MacroOptions;
  #next = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[], macros: MacroOptions) {
    this.#tokens = tokens;
    this.#macros = macros;
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#token.kind !== 'end') this.#fail(`extraneous input '${this.#token.text}' expecting <EOF>`);
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #advance(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  #isSymbol(text: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === text;
  }

  #accept(text: string): Token | undefined {
    return this.#isSymbol(text) ? this.#advance() : undefined;
  }

  #expect(text: string): Token {
    return this.#accept(text) ?? this.#fail(`mismatched input '${this.#token.text}' expecting '${text}'`);
  }

  #fail(what: string): never {
    throw new SyntaxIssue(this.#token.at, `Syntax error: ${what}`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#nesting > maxNesting) this.#tooDeep();
    const result = read();
    this.#nesting--;
    return result;
  }

  #tooDeep(): never {
    throw new SyntaxIssue(this.#token.at, `expression recursion limit exceeded: ${maxNesting}`);
  }

  /** Every node passes here: chains without brackets make deep trees too. */
  #checked(expression: Expression): Expression {
    if (expression.depth > maxDepth || expression.size > maxSize) this.#tooDeep();
    return expression;
  }

  #expression(): Expression {
    return this.#nested(() => {
      const test = this.#chain('||', '_||_', () => this.#chain('&&', '_&&_', () => this.#relation()));
      const mark = this.#accept('?');
      if (mark === undefined) return test;
      const then = this.#chain('||', '_||_', () => this.#chain('&&', '_&&_', () => this.#relation()));
      this.#expect(':');
      return this.#checked(call(mark.at, '_?_:_', test, then, this.#expression()));
    });
  }

  /** Long chains of `&&` and `||` become balanced trees: their order does not matter. */
  #chain(symbol: string, name: string, operand: () => Expression): Expression {
    const terms = [operand()];
    const marks: number[] = [];
    for (let mark = this.#accept(symbol); mark !== undefined; mark = this.#accept(symbol)) {
      marks.push(mark.at);
      terms.push(operand());
    }
    return terms.length === 1 ? (terms[0] as Expression) : this.#balanced(name, terms, marks, 0, marks.length - 1);
  }

  #balanced(
    name: string,
    terms: readonly Expression[],
    marks: readonly number[],
    from: number,
    to: number,
  ): Expression {
    const middle = (from + to + 1) >> 1;
    const left = middle === from ? (terms[middle] as Expression) : this.#balanced(name, terms, marks, from, middle - 1);
    const right =
      middle === to ? (terms[middle + 1] as Expression) : this.#balanced(name, terms, marks, middle + 1, to);
    return this.#checked(call(marks[middle] as number, name, left, right));
  }

  #relation(): Expression {
    const isOperator = () =>
      (this.#token.kind === 'symbol' && relations.has(this.#token.text)) ||
      (this.#token.kind === 'identifier' && this.#token.text === 'in');
    return this.#binary(
      isOperator,
      () => this.#sum(),
      (text) => (text === 'in' ? '@in' : `_${text}_`),
    );
  }

  #sum(): Expression {
    return this.#binary(
      () => this.#isOneOf(sums),
      () => this.#product(),
    );
  }

  #product(): Expression {
    return this.#binary(
      () => this.#isOneOf(products),
      () => this.#unary(),
    );
  }

  #isOneOf(symbols: ReadonlySet<string>): boolean {
    return this.#token.kind === 'symbol' && symbols.has(this.#token.text);
  }

  #binary(
    isOperator: () => boolean,
    operand: () => Expression,
    nameOf: (text: string) => string = (text) => `_${text}_`,
  ): Expression {
    let left = operand();
    for (let count = 0; isOperator(); count++) {
      if (count > maxNesting) this.#tooDeep();
      const { at, text } = this.#advance();
      left = this.#checked(call(at, nameOf(text), left, operand()));
    }
    return left;
  }

  /** Two signs cancel each other out; a minus before a number belongs to it. */
  #unary(): Expression {
    const sign = this.#token;
    if (!this.#isSymbol('!') && !this.#isSymbol('-')) return this.#member();
    if (sign.text === '-' && this.#isNumber(1)) return this.#member();
    let count = 0;
    while (this.#isSymbol(sign.text) && !(sign.text === '-' && count > 0 && this.#isNumber(1))) {
      this.#advance();
      count++;
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#checked(call(sign.at, sign.text === '!' ? '!_' : '-_', operand));
  }

  #isNumber(ahead: number): boolean {
    const kind = this.#tokens[this.#next + ahead]?.kind;
    return kind === 'int' || kind === 'double';
  }

  #member(): Expression {
    let expression = this.#primary();
    for (let count = 0; ; count++) {
      if (count > maxNesting) this.#tooDeep();
      const longer = this.#suffix(expression);
      if (longer === undefined) return expression;
      expression = this.#checked(longer);
    }
  }

  #suffix(operand: Expression): Expression | undefined {
    const dot = this.#accept('.');
    if (dot !== undefined) return this.#selection(operand, dot.at);
    const bracket = this.#accept('[');
    if (bracket !== undefined) return this.#index(operand, bracket.at);
    return this.#isSymbol('{') ? this.#objectOf(operand) : undefined;
  }

  #selection(operand: Expression, at: number): Expression {
    const optional = this.#accept('?') !== undefined;
    const field = this.#name();
    if (optional) return call(at, '_?._', operand, literal(field.at, field.text));
    const open = this.#accept('(');
    if (open === undefined) return node({ is: 'select', at, operand, field: field.text, test: false });
    return this.#called({ at: open.at, name: field.text, target: operand });
  }

  #index(operand: Expression, at: number): Expression {
    const optional = this.#accept('?') !== undefined;
    const key = this.#expression();
    this.#expect(']');
    return call(at, optional ? '_[?_]' : '_[_]', operand, key);
  }

  #called({ at, name, target }: { at: number; name: string; target?: Expression }): Expression {
    const args = this.#separated(')', () => this.#expression());
    const written = node({ is: 'call', at, name, args, ...(target && { target }) }) as Call;
    return expand(written, this.#macros) ?? written;
  }

  #name(): Token {
    const { kind, text } = this.#token;
    if (kind !== 'identifier' || keywords.has(text)) this.#fail(`mismatched input '${text}' expecting IDENTIFIER`);
    return this.#advance();
  }

  /** `item, item, close`; for the literals also with a comma after the last. */
  #separated<T>(close: string, item: () => T, trailing = false): T[] {
    const items: T[] = [];
    if (this.#accept(close)) return items;
    do {
      if (trailing && items.length > 0 && this.#isSymbol(close)) break;
      items.push(item());
    } while (this.#accept(','));
    if (!this.#accept(close)) this.#fail(`mismatched input '${this.#token.text}' expecting '${close}'`);
    return items;
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.kind === 'identifier') return this.#identifier();
    if (token.kind !== 'symbol') return this.#literal();
    switch (token.text) {
      case '(':
        return this.#bracketed();
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      case '.':
        return this.#identifier();
      case '-':
        return this.#literal();
      default:
        return this.#unexpected();
    }
  }

  /** One stray token before something that makes sense is called extraneous. */
  #unexpected(): never {
    const after = this.#tokens[this.#next + 1];
    const isStray =
      after !== undefined && (after.kind === 'symbol' ? '[{(.-!'.includes(after.text) : after.kind !== 'end');
    this.#fail(`${isStray ? 'extraneous' : 'mismatched'} input '${this.#token.text}' expecting ${operandStarts}`);
  }

  #bracketed(): Expression {
    this.#expect('(');
    const expression = this.#expression();
    this.#expect(')');
    return expression;
  }

  #identifier(): Expression {
    const leading = this.#accept('.') === undefined ? '' : '.';
    const token = this.#token;
    if (token.kind === 'identifier' && leading === '' && constants.has(token.text)) {
      this.#advance();
      return literal(token.at, constants.get(token.text) as Value);
    }
    if (token.kind === 'identifier' && token.text === 'in') this.#unexpected();
    const { at, text } = this.#name();
    if (reserved.has(text)) throw new SyntaxIssue(at, `reserved identifier: ${text}`);
    const open = this.#accept('(');
    return open === undefined ? identifier(at, leading + text) : this.#called({ at: open.at, name: leading + text });
  }

  #list(): Expression {
    const { at } = this.#expect('[');
    const items = this.#separated(
      ']',
      (): ListItem => ({ optional: this.#accept('?') !== undefined, value: this.#expression() }),
      true,
    );
    return this.#checked(node({ is: 'list', at, items }));
  }

  #map(): Expression {
    const { at } = this.#expect('{');
    const entry = (): MapLiteralEntry => {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      const colon = this.#expect(':');
      return { at: colon.at, key, value: this.#expression(), optional };
    };
    return this.#checked(node({ is: 'map', at, entries: this.#separated('}', entry, true) }));
  }

  #objectOf(operand: Expression): Expression {
    const typeName = qualifiedName(operand);
    if (typeName === undefined) this.#fail(`extraneous input '{' expecting <EOF>`);
    const { at } = this.#expect('{');
    const field = (): ObjectLiteralField => {
      const optional = this.#accept('?') !== undefined;
      const name = this.#name();
      const colon = this.#expect(':');
      return { at: colon.at, name: name.text, value: this.#expression(), optional };
    };
    return node({ is: 'object', at, typeName, fields: this.#separated('}', field, true) });
  }

  #literal(): Expression {
    const { at } = this.#token;
    const negative = this.#accept('-') !== undefined;
    const { kind, text } = this.#token;
    const read = readers[kind];
    if (read === undefined) this.#unexpected();
    const value = read(text, negative);
    if (typeof value === 'object' && value !== null && 'fault' in value) throw new SyntaxIssue(at, value.fault);
    this.#advance();
    return literal(at, value);
  }
}

interface Fault {
  readonly fault: string;
}

const readers: Partial<Readonly<Record<TokenKind, (text: string, negative: boolean) => Value | Fault>>> = {
  int: (text, negative) => readInt(text, negative) ?? { fault: 'invalid int literal' },
  uint: (text) => {
    const value = readUint(text.slice(0, -1));
    return value === undefined ? { fault: 'invalid uint literal' } : new UintValue(value);
  },
  double: (text, negative) => {
    const value = Number(text);
    return Number.isFinite(value) ? (negative ? -value : value) : { fault: 'invalid double literal' };
  },
  string: (text) => {
    const { body, raw } = unquote(text);
    return (raw ? body : unescapeText(body)) ?? { fault: `unable to unescape string` };
  },
  bytes: (text) => {
    const { body, raw } = unquote(text.slice(1));
    return (raw ? Buffer.from(body) : unescapeBytes(body)) ?? { fault: `unable to unescape string` };
  },
};

/** Line breaks are read as one character, however they are written. */
function unquote(text: string): { body: string; raw: boolean } {
  const raw = /^[rR]/.test(text);
  const quoted = (raw ? text.slice(1) : text).replace(/\r\n?/g, '\n');
  const marks = /^("""|''')/.test(quoted) ? 3 : 1;
  return { raw, body: quoted.slice(marks, -marks) };
}
