// The field selector language of queries: `metadata.name=a,status.phase!=Running`.

import { memoized } from '../base/memoized.ts';
import { badRequest } from './status.ts';

interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

export type FieldSelector = readonly FieldRequirement[];

const maxSelectorLength = 65_536;

/** Throws a 400 for bad syntax; whether a field may be selected on is the resource's to say. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text.length > maxSelectorLength) throw badRequest('invalid field selector: too long');
  const selector: FieldRequirement[] = [];
  // compat: terms are looked at by their text and not in their order, so that tells which of several wrong ones is told
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const requirement = parseTerm(term, text);
    if (requirement.field !== '' || requirement.value !== '') selector.push(requirement);
  }
  return selector;
}

/** What a selector requires of one field: thousands of requirements take one look. */
interface FieldValues {
  readonly equal: Set<string>;
  readonly unequal: Set<string>;
}

const valuesByField = memoized((selector: FieldSelector): ReadonlyMap<string, FieldValues> => valuesOf(selector));

export function matchesFields(selector: FieldSelector, read: (field: string) => string): boolean {
  for (const [field, { equal, unequal }] of valuesByField(selector)) {
    const value = read(field);
    if (unequal.has(value) || equal.size > 1 || (equal.size === 1 && !equal.has(value))) return false;
  }
  return true;
}

function valuesOf(selector: FieldSelector): ReadonlyMap<string, FieldValues> {
  const fields = new Map<string, FieldValues>();
  for (const { field, operator, value } of selector) {
    const values = fields.get(field) ?? { equal: new Set(), unequal: new Set() };
    fields.set(field, values);
    (operator === '=' ? values.equal : values.unequal).add(value);
  }
  return fields;
}

/** The one name that a selector matches, if it requires a name. */
export function selectedName(selector: FieldSelector): string | undefined {
  return selector.find((r) => r.field === 'metadata.name' && r.operator === '=')?.value;
}

/** Splits at commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  for (let i = 0; i < term.length; i++) {
    if (term[i] === '\\') i++;
    else if (term[i] === '!' && term[i + 1] === '=') return requirement(term, i, '!=', i + 2);
    else if (term[i] === '=') return requirement(term, i, '=', term[i + 1] === '=' ? i + 2 : i + 1);
  }
  throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
}

function requirement(term: string, end: number, operator: '=' | '!=', from: number): FieldRequirement {
  return { field: term.slice(0, end), operator, value: unescapeValue(term.slice(from)) };
}

/** A backslash, a comma or an equals sign in a value stands behind a backslash, and nothing else does. */
function unescapeValue(value: string): string {
  let text = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i] as string;
    if (char === '=') throw badRequest(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    if (char !== '\\') text += char;
    else {
      const next = value[++i] ?? '';
      if (next === '' || !'\\,='.includes(next))
        throw badRequest(`invalid field selector: invalid escape sequence: \\${next}`);
      text += next;
    }
  }
  return text;
}
