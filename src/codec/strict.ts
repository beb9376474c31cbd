// What strict decoding complains of: fields the schema does not know and keys that repeat, in the order of the document;
// of custom resources keys that repeat first.

import { isJsonObject, type JsonValue } from '../base/json/json.ts';
import { type PathPart, scanJson, showPath } from '../base/json/json-scan.ts';
import type { ObjectType } from '../schema/object-type.ts';
import type { SchemaType } from '../schema/types.ts';
import { duplicateField, unknownField, unknownInSchema } from '../wording/field-texts.ts';

/** A body as plain values, and what is needed to name the keys that repeat in it. */
export interface Parsed {
  readonly value: JsonValue;
  /** The text of a JSON body in which keys may repeat. */
  readonly repeating?: string;
  /** The text of a JSON body in which numbers may be written with a fraction or an exponent. */
  readonly fractions?: string;
  /** Whether the format cannot tell lists and maps that are empty from those that are not there. */
  readonly leavesOutEmpty?: true;
  /** Repeated keys of a format that has told them already, in words. */
  readonly told?: readonly string[];
}

/** More than any honest document has. */
const maxFindings = 100;

/** The errors in words; `unknown` are paths of fields the schema does not know. `type` is what the body holds, if known. */
export function strictErrors(
  { repeating, told = [] }: Parsed,
  unknown: readonly string[],
  type?: ObjectType,
): readonly string[] {
  const named = type?.is === 'structural' ? unknownInSchema : unknownField;
  if (repeating !== undefined && type?.is === 'structural')
    return [...new Set(repeatedKeys(repeating)), ...unknown.map(named)];
  if (repeating === undefined) {
    if (unknown.length + told.length === 0) return none;
    return [...(told.length === 0 ? none : [yamlPrefix + told.join(yamlBreak)]), ...unknown.map(named)];
  }
  const unseen = new Set(unknown);
  const names = new Set(unknown.map(lastName));
  const found: string[] = [];
  scanJson(repeating, {
    key(key, path, repeats) {
      if (found.length >= maxFindings || !(repeats || names.has(key))) return;
      const at = showPath(path);
      if (unseen.delete(at)) found.push(unknownField(at));
      else if (repeats && !isOpaque(type, path) && !unknown.some((field) => isWithin(at, field)))
        found.push(duplicateField(at));
    },
  });
  return [...new Set(found), ...[...unseen].map(unknownField)];
}

/** The keys that repeat, also in what the schema does not know. */
function repeatedKeys(text: string): readonly string[] {
  const found: string[] = [];
  scanJson(text, {
    key(_key, path, repeats) {
      if (repeats && found.length < maxFindings) found.push(duplicateField(showPath(path)));
    },
  });
  return found;
}

const none: readonly string[] = [];

/** Repeated keys of YAML are one error of several lines. */
const yamlBreak = '\n  ';
const yamlPrefix = `yaml: unmarshal errors:${yamlBreak}`;

/** A error as warnings, which are one line each. */
export function warningsOf(error: string): readonly string[] {
  return error.startsWith(yamlPrefix) ? error.slice(yamlPrefix.length).split(yamlBreak) : [error];
}

const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1);

const isWithin = (path: string, field: string) =>
  path.startsWith(field) && (path.length === field.length || /[.[]/.test(path[field.length] as string));

/** What has its own form is taken as it is, whatever repeats in it. */
function isOpaque(root: ObjectType | undefined, path: readonly PathPart[]): boolean {
  let type: SchemaType | undefined = root?.is === 'struct' ? root : undefined;
  for (const part of path) {
    if (type?.is === 'scalar' || type?.is === 'union') return true;
    if (type?.is === 'struct') type = type.fields.find(({ name }) => name === part)?.type;
    else type = type?.of;
  }
  return false;
}

/** What a value made of a text no longer tells. */
interface LossyHints {
  /** Keys may repeat in the text. */
  readonly repeats: boolean;
  /** Numbers may be written with a fraction or an exponent. */
  readonly fractions: boolean;
}

/**
 * Where keys repeat, a document has more of them than the value made of it. Every key ends in a quote and a colon; a string
 * that begins with a colon looks like that too, so this may say yes where the answer is no, never the other way round.
 */
export function lossyHintsOf(text: string, value: JsonValue): LossyHints {
  const colons = lookAtColons(text);
  const held = new Held();
  held.add(value);
  return {
    repeats: colons.keys !== held.keys,
    fractions: colons.fractions || (held.numbersInLists && listedFraction.test(text)),
  };
}

const listedFraction = /[[,]\s*-?\d+[.eE]/;

function lookAtColons(text: string): { keys: number; fractions: boolean } {
  let keys = 0;
  let fractions = false;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= 0x20) before--;
    if (text.charCodeAt(before) !== 0x22 || isEscaped(text, before)) continue;
    keys++;
    if (!fractions) fractions = isFraction(text, at + 1);
  }
  return { keys, fractions };
}

/** JSON inside of strings is full of quotes that end no key. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === 0x5c) before--;
  return (quote - before) % 2 === 0;
}

/** Whether a number that is no plain integer begins here. */
function isFraction(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  if (text.charCodeAt(at) === 0x2d) at++;
  if (!isDigit(text.charCodeAt(at))) return false;
  while (isDigit(text.charCodeAt(at))) at++;
  const code = text.charCodeAt(at);
  return code === 0x2e || code === 0x65 || code === 0x45;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** What a value holds. */
class Held {
  keys = 0;
  numbersInLists = false;

  add(value: JsonValue): void {
    if (Array.isArray(value)) {
      for (const item of value) {
        if (typeof item === 'object') this.add(item);
        else if (typeof item === 'number') this.numbersInLists = true;
      }
    } else if (isJsonObject(value)) {
      for (const key in value) {
        const member = value[key] as JsonValue;
        this.keys++;
        if (typeof member === 'object' && member !== null) this.add(member);
      }
    }
  }
}
