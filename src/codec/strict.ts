// What strict decoding complains of: fields the schema does not know and keys that repeat, in the order of the document.

import { isJsonObject, type JsonValue } from '../base/json.ts';
import { scanJson } from '../base/json-scan.ts';

/** A body as plain values, and what is needed to name the keys that repeat in it. */
export interface Parsed {
  readonly value: JsonValue;
  /** The text of a JSON body in which keys may repeat. */
  readonly repeating?: string;
  /** Repeated keys of a format that has told them already, in words. */
  readonly told?: readonly string[];
}

/** More than any honest document has. */
const maxFindings = 100;

/** The findings in words; `unknown` are paths of fields the schema does not know. */
export function strictFindings({ repeating, told = [] }: Parsed, unknown: readonly string[]): readonly string[] {
  if (repeating === undefined) {
    if (unknown.length + told.length === 0) return none;
    return [...(told.length === 0 ? none : [yamlPrefix + told.join(yamlBreak)]), ...unknown.map(unknownField)];
  }
  const unseen = new Set(unknown);
  const names = new Set(unknown.map(lastName));
  const found: string[] = [];
  scanJson(repeating, (key, path, repeats) => {
    if (found.length >= maxFindings || !(repeats || names.has(key))) return;
    const at = path();
    if (unseen.delete(at)) found.push(unknownField(at));
    else if (repeats && !unknown.some((field) => isWithin(at, field)))
      found.push(`duplicate field ${JSON.stringify(at)}`);
  });
  return [...new Set(found), ...[...unseen].map(unknownField)];
}

const none: readonly string[] = [];

/** Repeated keys of YAML are one finding of several lines. */
const yamlBreak = '\n  ';
const yamlPrefix = `yaml: unmarshal errors:${yamlBreak}`;

/** A finding as warnings, which are one line each. */
export function warningsOf(finding: string): readonly string[] {
  return finding.startsWith(yamlPrefix) ? finding.slice(yamlPrefix.length).split(yamlBreak) : [finding];
}

const unknownField = (path: string) => `unknown field ${JSON.stringify(path)}`;

const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1);

const isWithin = (path: string, field: string) =>
  path.startsWith(field) && (path.length === field.length || /[.[]/.test(path[field.length] as string));

/**
 * Whether keys repeat in a document: then it has more keys than the value made of it. Every key ends in a quote and a
 * colon; strings may hold those too, so this may say yes where the answer is no, never the other way round.
 */
export function mayRepeatKeys(text: string, value: JsonValue): boolean {
  return countColons(text) !== countKeys(value);
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= 0x20) before--;
    if (text.charCodeAt(before) === 0x22) count++;
  }
  return count;
}

function countKeys(value: JsonValue): number {
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item);
  else if (isJsonObject(value)) {
    for (const key in value) {
      const member = value[key] as JsonValue;
      count += typeof member === 'object' && member !== null ? 1 + countKeys(member) : 1;
    }
  }
  return count;
}
