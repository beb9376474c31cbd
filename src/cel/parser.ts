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
import { type Token, tokenize } from './lexer.ts';
import { expand, type MacroOptions } from './macros.ts';
import { readers } from './read-literal.ts';
import { SyntaxIssue, SyntaxIssues } from './source.ts';
import { operandStarts, ranks, TokenReader } from './token-reader.ts';
import { lengthOf, type Value } from './values.ts';

/** Longer expressions are refused, in code points. */
const maxLength = 100_000;
/** How deep an expression may be nested, both in brackets and in chains of operators. */
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
/** Tokens that may follow an operand. */
const suffixes = new Set(['.', '[', '(', '{']);
/** What messages call the names of fields. */
const fieldWords = '{IDENTIFIER, ESC_IDENTIFIER}';
const firstFieldWords = `{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`;

export function parse(source: string, macros: MacroOptions = {}): Expression {
  const length = lengthOf(source);
  if (length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxLength}`;
    throw new SyntaxIssues([{ at: 0, message }]);
  }
  const { tokens, issues } = tokenize(source);
  return new Parser(new TokenReader(source, tokens, issues), macros).parse();
}

class Parser {
  readonly #tokens: TokenReader;
  readonly #macros: MacroOptions;
  #nesting = 0;

  constructor(tokens: TokenReader, macros: MacroOptions) {
    this.#tokens = tokens;
    this.#macros = macros;
  }

  parse(): Expression {
    try {
      const expression = this.#expression();
      if (this.#tokens.token.kind !== 'end')
        this.#tokens.fail(this.#tokens.stray(this.#tokens.after.kind === 'end', '<EOF>'));
      if (this.#tokens.issues.length === 0) return expression;
    } catch (error) {
      if (!(error instanceof SyntaxIssue)) throw error;
      this.#tokens.report(error.at, error.message);
    }
    throw new SyntaxIssues(this.#tokens.issues);
  }

  #within(closers: string): Expression {
    this.#tokens.closers.push(closers);
    const expression = this.#expression();
    this.#tokens.closers.pop();
    return expression;
  }

  #tooDeep(): never {
    throw new SyntaxIssue(this.#tokens.token.at, `expression recursion limit exceeded: ${maxNesting}`);
  }

  /** Every node passes here: chains without brackets make deep trees too. */
  #checked(expression: Expression): Expression {
    if (expression.depth > maxDepth || expression.size > maxSize) this.#tooDeep();
    return expression;
  }

  #expression(): Expression {
    if (++this.#nesting > maxNesting) this.#tooDeep();
    let expression = this.#alternatives();
    const mark = this.#tokens.accept('?');
    if (mark !== undefined) {
      this.#tokens.closers.push(':');
      const then = this.#alternatives();
      this.#tokens.closers.pop();
      this.#tokens.expect(':');
      expression = this.#checked(call(mark.at, '_?_:_', expression, then, this.#expression()));
    }
    this.#nesting--;
    return expression;
  }

  #alternatives(): Expression {
    const first = this.#conditions();
    if (!this.#tokens.isSymbol('||')) return first;
    const terms = [first];
    const marks: number[] = [];
    for (let mark = this.#tokens.accept('||'); mark !== undefined; mark = this.#tokens.accept('||')) {
      marks.push(mark.at);
      terms.push(this.#conditions());
    }
    return this.#balanced('_||_', terms, marks, 0, marks.length - 1);
  }

  #conditions(): Expression {
    const first = this.#operation(1);
    if (!this.#tokens.isSymbol('&&')) return first;
    const terms = [first];
    const marks: number[] = [];
    for (let mark = this.#tokens.accept('&&'); mark !== undefined; mark = this.#tokens.accept('&&')) {
      marks.push(mark.at);
      terms.push(this.#operation(1));
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
  #operation(least: number): Expression {
    let left = this.#leaf() ?? this.#unary();
    let count = 0;
    let before = 0;
    for (let rank = this.#rank; rank >= least; rank = this.#rank) {
      // a chain is of operators of one rank
      count = rank === before ? count + 1 : 0;
      if (count > maxNesting) this.#tooDeep();
      before = rank;
      const { at, text } = this.#tokens.advance();
      const right = this.#operation(rank + 1);
      left = this.#checked(call(at, text === 'in' ? '@in' : `_${text}_`, left, right));
    }
    return left;
  }

  get #rank(): number {
    const { kind, text } = this.#tokens.token;
    return kind === 'symbol' || kind === 'identifier' ? (ranks.get(text) ?? 0) : 0;
  }

  /** An operand of one token, which most are. */
  #leaf(): Expression | undefined {
    const { kind } = this.#tokens.token;
    if (kind === 'symbol' || !this.#tokens.startsOperand(this.#tokens.token)) return undefined;
    const after = this.#tokens.after;
    if (after.kind === 'symbol' && suffixes.has(after.text)) return undefined;
    return kind === 'identifier' ? this.#word() : this.#literal();
  }

  /** Two signs cancel each other out; a minus before a number belongs to it. */
  #unary(): Expression {
    const sign = this.#tokens.token;
    if (!this.#tokens.isSymbol('!') && !this.#tokens.isSymbol('-')) return this.#member();
    if (sign.text === '-' && this.#tokens.isNumber(1)) return this.#member();
    let count = 0;
    while (this.#tokens.isSymbol(sign.text) && !(sign.text === '-' && count > 0 && this.#tokens.isNumber(1))) {
      this.#tokens.advance();
      count++;
    }
    this.#checkSigned(sign.text);
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#checked(call(sign.at, sign.text === '!' ? '!_' : '-_', operand));
  }

  /** A sign must be followed by an operand; each sign has its own error text otherwise. */
  #checkSigned(sign: string): void {
    const { at, kind } = this.#tokens.token;
    if (this.#tokens.startsOperand(this.#tokens.token)) return;
    if (sign === '!') {
      this.#tokens.report(at, this.#tokens.stray(true, operandStarts));
      if (kind !== 'end') this.#tokens.advance();
      else this.#tokens.isRecovering = true;
    } else this.#tokens.report(at, this.#tokens.noWay(this.#tokens.before));
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
    const { isRecovering } = this.#tokens;
    const dot = this.#tokens.accept('.');
    if (dot !== undefined) {
      // a dot without a name is no reading that makes sense again
      this.#tokens.isRecovering = isRecovering && !this.#isName;
      return this.#selection(operand, dot.at);
    }
    const bracket = this.#tokens.accept('[');
    if (bracket !== undefined) return this.#index(operand, bracket.at);
    const typeName = this.#tokens.isSymbol('{') ? qualifiedName(operand) : undefined;
    return typeName === undefined ? undefined : this.#objectOf(typeName);
  }

  #selection(operand: Expression, at: number): Expression {
    const optional = this.#tokens.accept('?') !== undefined;
    const field = optional ? this.#optionalField() : this.#fieldName();
    if (field === undefined) return operand;
    if (optional) return call(at, '_?._', operand, literal(field.at, field.text));
    const open = this.#tokens.accept('(');
    if (open === undefined) return node({ is: 'select', at, operand, field: field.text, test: false });
    return this.#called({ at: open.at, name: field.text, target: operand });
  }

  #index(operand: Expression, at: number): Expression {
    this.#tokens.checkFirst('index');
    const optional = this.#tokens.accept('?') !== undefined;
    const key = this.#within(']');
    this.#tokens.expect(']');
    return call(at, optional ? '_[?_]' : '_[_]', operand, key);
  }

  #called({ at, name, target }: { at: number; name: string; target?: Expression }): Expression {
    const args: Expression[] = [];
    this.#tokens.checkFirst('call');
    if (!this.#tokens.accept(')')) {
      do args.push(this.#within(', )'));
      while (this.#tokens.accept(','));
      this.#tokens.expect(')');
    }
    const written = node({ is: 'call', at, name, args, ...(target && { target }) }) as Call;
    return (this.#tokens.issues.length === 0 ? expand(written, this.#macros) : undefined) ?? written;
  }

  get #isName(): boolean {
    return this.#tokens.token.kind === 'identifier' && !keywords.has(this.#tokens.token.text);
  }

  #name(): Token {
    if (!this.#isName) this.#tokens.fail(this.#tokens.stray(false, 'IDENTIFIER'));
    return this.#tokens.advance();
  }

  /** The field after a dot; undefined if it is missing, and the next token may follow the operand as well. */
  #fieldName(): Token | undefined {
    if (this.#isName) return this.#tokens.advance();
    if (this.#tokens.token.kind === 'escaped') return this.#escaped();
    if (constants.has(this.#tokens.token.text)) this.#tokens.fail(this.#tokens.stray(false, 'IDENTIFIER'));
    const issue = this.#tokens.noWay(this.#tokens.before);
    if (!this.#tokens.mayFollow(this.#tokens.token)) this.#tokens.fail(issue);
    this.#tokens.report(this.#tokens.token.at, issue);
    this.#tokens.isRecovering = true;
    return undefined;
  }

  #optionalField(): Token {
    if (this.#isName) return this.#tokens.advance();
    if (this.#tokens.token.kind === 'escaped') return this.#escaped();
    this.#tokens.report(this.#tokens.token.at, this.#tokens.stray(false, fieldWords));
    this.#tokens.fail('unsupported ident kind');
  }

  /** compat: names in backticks are read, and refused */
  #escaped(): Token {
    this.#tokens.report(this.#tokens.token.at, "unsupported syntax: '`'");
    return this.#tokens.advance();
  }

  /** Whether an item comes next in `item, item, close`; a comma may stand after the last, or alone. */
  #isBefore(close: ']' | '}', count: number): boolean {
    if (count === 0 && !this.#tokens.isSymbol(',')) return this.#tokens.accept(close) === undefined;
    if (count > 0) this.#tokens.checkNext(close);
    const isNext = this.#tokens.accept(',') !== undefined && count > 0;
    if (isNext && (this.#tokens.startsOperand(this.#tokens.token) || this.#tokens.isSymbol('?'))) return true;
    this.#tokens.expect(close);
    return false;
  }

  #primary(): Expression {
    const token = this.#tokens.token;
    if (!this.#tokens.startsOperand(token)) return this.#unexpected();
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
      default:
        return this.#tokens.isNumber(1) ? this.#literal() : this.#unexpected();
    }
  }

  /**
   * One stray token before something that makes sense is called extraneous, and left out. Where an operand is missing, and
   * the next token may follow one, parsing continues.
   */
  #unexpected(): Expression {
    const isAlone = this.#tokens.startsOperand(this.#tokens.after) && this.#tokens.after !== this.#tokens.token;
    const issue = this.#tokens.stray(isAlone, operandStarts);
    if (!isAlone && !this.#tokens.mayFollow(this.#tokens.token)) this.#tokens.fail(issue);
    this.#tokens.report(this.#tokens.token.at, issue);
    if (isAlone) {
      if (++this.#nesting > maxNesting) this.#tooDeep();
      this.#tokens.advance();
      return this.#primary();
    }
    this.#tokens.isRecovering = true;
    return literal(this.#tokens.token.at, null);
  }

  #bracketed(): Expression {
    this.#tokens.expect('(');
    const expression = this.#within(')');
    this.#tokens.expect(')');
    return expression;
  }

  #identifier(): Expression {
    const leading = this.#tokens.accept('.') === undefined ? '' : '.';
    if (leading === '' && constants.has(this.#tokens.token.text)) return this.#word();
    if (leading !== '' && !this.#isName) return this.#nameless();
    const { at, text } = this.#ownName();
    const open = this.#tokens.accept('(');
    if (open === undefined) return identifier(at, leading + text);
    return this.#called({ at: open.at, name: leading + text });
  }

  /** A dot with nothing after it. */
  #nameless(): Expression {
    this.#fieldName();
    return literal(this.#tokens.token.at, null);
  }

  /** A constant or a name, and nothing else. */
  #word(): Expression {
    const { at, text } = this.#tokens.token;
    const value = constants.get(text);
    if (value === undefined) return identifier(at, this.#ownName().text);
    this.#tokens.advance();
    return literal(at, value);
  }

  #ownName(): Token {
    const name = this.#name();
    if (reserved.has(name.text)) this.#tokens.report(name.at, `reserved identifier: ${name.text}`);
    return name;
  }

  #list(): Expression {
    const { at } = this.#tokens.expect('[');
    const items: ListItem[] = [];
    this.#tokens.checkFirst('list');
    while (this.#isBefore(']', items.length))
      items.push({ optional: this.#tokens.accept('?') !== undefined, value: this.#within(', ]') });
    return this.#checked(node({ is: 'list', at, items }));
  }

  #map(): Expression {
    const { at } = this.#tokens.expect('{');
    const entries: MapLiteralEntry[] = [];
    this.#tokens.checkFirst('map');
    while (this.#isBefore('}', entries.length)) {
      const optional = this.#tokens.accept('?') !== undefined;
      const key = this.#within(':');
      const colon = this.#tokens.expect(':');
      entries.push({ at: colon.at, key, value: this.#within(', }'), optional });
    }
    return this.#checked(node({ is: 'map', at, entries }));
  }

  #objectOf(typeName: string): Expression {
    const { at } = this.#tokens.expect('{');
    const fields: ObjectLiteralField[] = [];
    while (this.#isBefore('}', fields.length)) {
      const optional = this.#tokens.accept('?') !== undefined;
      const name = this.#objectField(fields.length === 0 && !optional ? firstFieldWords : fieldWords);
      const colon = this.#tokens.expect(':');
      fields.push({ at: colon.at, name: name.text, value: this.#within(', }'), optional });
    }
    return node({ is: 'object', at, typeName, fields });
  }

  #objectField(words: string): Token {
    if (this.#isName) return this.#tokens.advance();
    if (this.#tokens.token.kind === 'escaped') return this.#escaped();
    this.#tokens.fail(this.#tokens.stray(false, words));
  }

  #literal(): Expression {
    const { at } = this.#tokens.token;
    const negative = this.#tokens.accept('-') !== undefined;
    const { kind, text } = this.#tokens.advance();
    const value = readers[kind]?.(text, negative) ?? null;
    if (typeof value !== 'object' || value === null || !('fault' in value)) return literal(at, value);
    this.#tokens.report(at, value.fault);
    return literal(at, null);
  }
}
