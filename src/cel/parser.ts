// From tokens to a tree: recursive descent, one method a level of precedence.

import { StepSize } from '../base/step-size.ts';
import type { Steps } from '../base/steps.ts';
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
import { type Token, type TokenKind, tokenizing } from './lexer.ts';
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
/** Operators between two operands; those of a higher rank bind first. */
const ranks: ReadonlyMap<string, number> = new Map([
  ...['<', '<=', '>', '>=', '==', '!=', 'in'].map((text) => [text, 1] as const),
  ...['+', '-'].map((text) => [text, 2] as const),
  ...['*', '/', '%'].map((text) => [text, 3] as const),
]);
/** What an operand goes on with. */
const suffixes = new Set(['.', '[', '(', '{']);
/** What messages call the tokens that may begin an operand. */
const operandStarts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

export function* parsing(source: string, macros: MacroOptions = {}): Steps<Expression> {
  const length = lengthOf(source);
  if (length > maxLength)
    throw new SyntaxIssue(0, `expression code point size exceeds limit: size: ${length}, limit ${maxLength}`);
  const tokens = yield* tokenizing(source);
  return yield* new Parser(tokens, macros).parsing();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #macros: MacroOptions;
  #next = 0;
  #nesting = 0;
  readonly #step = new StepSize();

  constructor(tokens: readonly Token[], macros: MacroOptions) {
    this.#tokens = tokens;
    this.#macros = macros;
  }

  *parsing(): Steps<Expression> {
    const expression = yield* this.#expression();
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

  #tooDeep(): never {
    throw new SyntaxIssue(this.#token.at, `expression recursion limit exceeded: ${maxNesting}`);
  }

  /** Every node passes here: chains without brackets make deep trees too. */
  #checked(expression: Expression): Expression {
    if (expression.depth > maxDepth || expression.size > maxSize) this.#tooDeep();
    return expression;
  }

  *#expression(): Steps<Expression> {
    if (++this.#nesting > maxNesting) this.#tooDeep();
    let expression = yield* this.#alternatives();
    const mark = this.#accept('?');
    if (mark !== undefined) {
      const then = yield* this.#alternatives();
      this.#expect(':');
      expression = this.#checked(call(mark.at, '_?_:_', expression, then, yield* this.#expression()));
    }
    this.#nesting--;
    return expression;
  }

  *#alternatives(): Steps<Expression> {
    const first = yield* this.#conditions();
    if (!this.#isSymbol('||')) return first;
    const terms = [first];
    const marks: number[] = [];
    for (let mark = this.#accept('||'); mark !== undefined; mark = this.#accept('||')) {
      marks.push(mark.at);
      terms.push(yield* this.#conditions());
    }
    return this.#balanced('_||_', terms, marks, 0, marks.length - 1);
  }

  *#conditions(): Steps<Expression> {
    const first = yield* this.#operation(1);
    if (!this.#isSymbol('&&')) return first;
    const terms = [first];
    const marks: number[] = [];
    for (let mark = this.#accept('&&'); mark !== undefined; mark = this.#accept('&&')) {
      marks.push(mark.at);
      terms.push(yield* this.#operation(1));
    }
    return this.#balanced('_&&_', terms, marks, 0, marks.length - 1);
  }

  /** Long chains of `&&` and `||` become balanced trees: their order does not matter. */
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

  /** Operands and the operators between them that bind at least as `least` does. */
  *#operation(least: number): Steps<Expression> {
    if (this.#step.isFull(1)) yield;
    let left = this.#leaf() ?? (yield* this.#unary());
    let count = 0;
    let before = 0;
    for (let rank = this.#rank; rank >= least; rank = this.#rank) {
      // a chain is of operators of one rank
      count = rank === before ? count + 1 : 0;
      if (count > maxNesting) this.#tooDeep();
      before = rank;
      const { at, text } = this.#advance();
      const right = yield* this.#operation(rank + 1);
      left = this.#checked(call(at, text === 'in' ? '@in' : `_${text}_`, left, right));
    }
    return left;
  }

  get #rank(): number {
    const { kind, text } = this.#token;
    return kind === 'symbol' || kind === 'identifier' ? (ranks.get(text) ?? 0) : 0;
  }

  /** An operand of one token, which most are. */
  #leaf(): Expression | undefined {
    const { kind } = this.#token;
    if (kind === 'symbol' || kind === 'end') return undefined;
    const after = this.#tokens[this.#next + 1] as Token;
    if (after.kind === 'symbol' && suffixes.has(after.text)) return undefined;
    return kind === 'identifier' ? this.#word() : this.#literal();
  }

  /** Two signs cancel each other out; a minus before a number belongs to it. */
  *#unary(): Steps<Expression> {
    const sign = this.#token;
    if (!this.#isSymbol('!') && !this.#isSymbol('-')) return yield* this.#member();
    if (sign.text === '-' && this.#isNumber(1)) return yield* this.#member();
    let count = 0;
    while (this.#isSymbol(sign.text) && !(sign.text === '-' && count > 0 && this.#isNumber(1))) {
      this.#advance();
      count++;
    }
    const operand = yield* this.#member();
    return count % 2 === 0 ? operand : this.#checked(call(sign.at, sign.text === '!' ? '!_' : '-_', operand));
  }

  #isNumber(ahead: number): boolean {
    const kind = this.#tokens[this.#next + ahead]?.kind;
    return kind === 'int' || kind === 'double';
  }

  *#member(): Steps<Expression> {
    let expression = yield* this.#primary();
    for (let count = 0; ; count++) {
      if (count > maxNesting) this.#tooDeep();
      const longer = yield* this.#suffix(expression);
      if (longer === undefined) return expression;
      expression = this.#checked(longer);
    }
  }

  *#suffix(operand: Expression): Steps<Expression | undefined> {
    const dot = this.#accept('.');
    if (dot !== undefined) return yield* this.#selection(operand, dot.at);
    const bracket = this.#accept('[');
    if (bracket !== undefined) return yield* this.#index(operand, bracket.at);
    return this.#isSymbol('{') ? yield* this.#objectOf(operand) : undefined;
  }

  *#selection(operand: Expression, at: number): Steps<Expression> {
    const optional = this.#accept('?') !== undefined;
    const field = this.#name();
    if (optional) return call(at, '_?._', operand, literal(field.at, field.text));
    const open = this.#accept('(');
    if (open === undefined) return node({ is: 'select', at, operand, field: field.text, test: false });
    return yield* this.#called({ at: open.at, name: field.text, target: operand });
  }

  *#index(operand: Expression, at: number): Steps<Expression> {
    const optional = this.#accept('?') !== undefined;
    const key = yield* this.#expression();
    this.#expect(']');
    return call(at, optional ? '_[?_]' : '_[_]', operand, key);
  }

  *#called({ at, name, target }: { at: number; name: string; target?: Expression }): Steps<Expression> {
    const args: Expression[] = [];
    while (this.#isBefore(')', args.length)) args.push(yield* this.#expression());
    const written = node({ is: 'call', at, name, args, ...(target && { target }) }) as Call;
    return expand(written, this.#macros) ?? written;
  }

  #name(): Token {
    const { kind, text } = this.#token;
    if (kind !== 'identifier' || keywords.has(text)) this.#fail(`mismatched input '${text}' expecting IDENTIFIER`);
    return this.#advance();
  }

  /** Whether an item comes next in `item, item, close`; the literals may also have a comma after the last. */
  #isBefore(close: string, count: number, trailing = false): boolean {
    if (count === 0) return this.#accept(close) === undefined;
    if (this.#accept(',')) return !(trailing && this.#accept(close));
    if (!this.#accept(close)) this.#fail(`mismatched input '${this.#token.text}' expecting '${close}'`);
    return false;
  }

  *#primary(): Steps<Expression> {
    const token = this.#token;
    if (token.kind === 'identifier') return yield* this.#identifier();
    if (token.kind !== 'symbol') return this.#literal();
    switch (token.text) {
      case '(':
        return yield* this.#bracketed();
      case '[':
        return yield* this.#list();
      case '{':
        return yield* this.#map();
      case '.':
        return yield* this.#identifier();
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

  *#bracketed(): Steps<Expression> {
    this.#expect('(');
    const expression = yield* this.#expression();
    this.#expect(')');
    return expression;
  }

  *#identifier(): Steps<Expression> {
    const leading = this.#accept('.') === undefined ? '' : '.';
    if (leading === '' && constants.has(this.#token.text)) return this.#word();
    const { at, text } = this.#ownName();
    const open = this.#accept('(');
    if (open === undefined) return identifier(at, leading + text);
    return yield* this.#called({ at: open.at, name: leading + text });
  }

  /** A constant or a name, and nothing else. */
  #word(): Expression {
    const { at, text } = this.#token;
    const value = constants.get(text);
    if (value === undefined) return identifier(at, this.#ownName().text);
    this.#advance();
    return literal(at, value);
  }

  #ownName(): Token {
    if (this.#token.kind === 'identifier' && this.#token.text === 'in') this.#unexpected();
    const name = this.#name();
    if (reserved.has(name.text)) throw new SyntaxIssue(name.at, `reserved identifier: ${name.text}`);
    return name;
  }

  *#list(): Steps<Expression> {
    const { at } = this.#expect('[');
    const items: ListItem[] = [];
    while (this.#isBefore(']', items.length, true))
      items.push({ optional: this.#accept('?') !== undefined, value: yield* this.#expression() });
    return this.#checked(node({ is: 'list', at, items }));
  }

  *#map(): Steps<Expression> {
    const { at } = this.#expect('{');
    const entries: MapLiteralEntry[] = [];
    while (this.#isBefore('}', entries.length, true)) {
      const optional = this.#accept('?') !== undefined;
      const key = yield* this.#expression();
      const colon = this.#expect(':');
      entries.push({ at: colon.at, key, value: yield* this.#expression(), optional });
    }
    return this.#checked(node({ is: 'map', at, entries }));
  }

  *#objectOf(operand: Expression): Steps<Expression> {
    const typeName = qualifiedName(operand);
    if (typeName === undefined) this.#fail(`extraneous input '{' expecting <EOF>`);
    const { at } = this.#expect('{');
    const fields: ObjectLiteralField[] = [];
    while (this.#isBefore('}', fields.length, true)) {
      const optional = this.#accept('?') !== undefined;
      const name = this.#name();
      const colon = this.#expect(':');
      fields.push({ at: colon.at, name: name.text, value: yield* this.#expression(), optional });
    }
    return node({ is: 'object', at, typeName, fields });
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
