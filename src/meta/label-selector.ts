// The label selector language of queries: `a=b,c!=d,e in (f,g),!h`.

import { memoized } from '../base/memoized.ts';
import { type LabelTest, labelMatcher } from './label-tests.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';
import type { Labels } from './object.ts';
import { badRequest } from './status.ts';

export type LabelOperator = 'in' | 'notin' | 'exists' | '!' | '>' | '<';

interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type LabelSelector = readonly LabelRequirement[];

const maxSelectorLength = 65_536;
const token = /[ \t\r\n]*(==|!=|[=<>!(),]|[^ \t\r\n=<>!(),]+)/y;

/** Throws a 400 that quotes the selector. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text.length > maxSelectorLength) throw badRequest('unable to parse requirement: selector is too long');
  return new Parser(tokenize(text)).all();
}

/** A selector is made ready once, and may be compared with many objects. */
const matcherOf = memoized((selector: LabelSelector) => labelMatcher(selector.map(testOf)));

export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  return matcherOf(selector)(labels);
}

function testOf({ key, operator, values }: LabelRequirement): LabelTest {
  switch (operator) {
    case 'in':
      return { key, needsLabel: true, accepts: membership(values) };
    case 'notin': {
      const isForbidden = membership(values);
      return { key, needsLabel: false, accepts: (value) => !isForbidden(value) };
    }
    case 'exists':
      return { key, needsLabel: true, accepts: () => true };
    case '!':
      return { key, needsLabel: false, accepts: () => false };
    case '>':
    case '<':
      return { key, needsLabel: true, accepts: (value) => compareNumbers(value, operator, values[0] as string) };
  }
}

function membership(values: readonly string[]): (value: string) => boolean {
  const accepted = new Set(values);
  return (value) => accepted.has(value);
}

function compareNumbers(value: string, operator: '>' | '<', bound: string): boolean {
  if (!isInt64(value)) return false;
  return operator === '>' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

function isInt64(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) tokens.push(match[1] as string);
  return tokens;
}

const symbols = new Set(['=', '==', '!=', '>', '<', '!', '(', ')', ',']);

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  all(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#at < this.#tokens.length) {
      const first = this.#peek() ?? '';
      if (!beginsRequirement(first)) throw badRequest(`found '${first}', expected: !, identifier, or 'end of string'`);
      const requirement = this.#requirement();
      checkValues(requirement);
      requirements.push(requirement);
      const next = this.#take();
      if (next === undefined) break;
      if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
      const after = this.#peek() ?? '';
      if (after === '' || !beginsRequirement(after))
        throw badRequest(`found '${after}', expected: identifier after ','`);
    }
    return requirements;
  }

  #requirement(): LabelRequirement {
    if (this.#peek() === '!') {
      this.#take();
      return { key: this.#key(), operator: '!', values: [] };
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] };
    this.#take();
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#value()] };
      case '!=':
        return { key, operator: 'notin', values: [this.#value()] };
      case '>':
      case '<':
        return { key, operator, values: [this.#value()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.#set() };
      default:
        throw unexpected(operator, 'in, notin, =, ==, !=, gt, lt');
    }
  }

  #set(): string[] {
    const open = this.#take();
    if (open !== '(') throw badRequest(`unable to parse requirement: found '${open ?? ''}' expected: '('`);
    const first = this.#peek();
    if (first !== ')' && first !== ',' && !isWord(first)) throw unexpected(first, "',', ')' or identifier");
    const values = new Set<string>();
    while (this.#peek() !== ')') this.#member(values);
    this.#take();
    return values.size === 0 ? [''] : [...values].sort();
  }

  /** One value of a set and the comma before it; between two commas, or next to a single one, is the empty string. */
  #member(values: Set<string>): void {
    const token = this.#take();
    const next = this.#peek();
    if (isWord(token)) {
      if (next !== ',' && next !== ')') throw unexpected(next, "',' or ')'");
      values.add(token);
      return;
    }
    if (token !== ',') throw unexpected(token, "',', or identifier");
    if (values.size === 0 || next === ',' || next === ')') values.add('');
  }

  #key(): string {
    const key = this.#word();
    checkKey(key);
    return key;
  }

  #word(): string {
    const token = this.#take();
    if (!isWord(token)) throw unexpected(token, 'identifier');
    return token;
  }

  /** A value may be empty: `a=` asks for the empty string. */
  #value(): string {
    const next = this.#peek();
    return next === undefined || next === ',' ? '' : this.#word();
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(): string | undefined {
    return this.#tokens[this.#at++];
  }
}

const isWord = (token: string | undefined): token is string => token !== undefined && !symbols.has(token);
const beginsRequirement = (token: string) => token === '!' || !symbols.has(token);

function unexpected(found: string | undefined, expected: string) {
  return badRequest(`unable to parse requirement: found '${found ?? ''}', expected: ${expected}`);
}

function checkKey(key: string): void {
  const errors = checkQualifiedName(key);
  if (errors.length === 0) return;
  throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(key)}: ${errors.join('; ')}`);
}

function checkValues({ key, operator, values }: LabelRequirement): void {
  if ((operator === '>' || operator === '<') && !isInt64(values[0] ?? '')) {
    const value = JSON.stringify(values[0] ?? '');
    const why = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw badRequest(`unable to parse requirement: values[0]: Invalid value: ${value}: ${why}`);
  }
  for (const [index, value] of values.entries()) {
    const errors = checkLabelValue(value);
    if (errors.length > 0) {
      throw badRequest(
        `unable to parse requirement: values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${errors.join('; ')}`,
      );
    }
  }
}
