// Regular expressions that users write: RE2's syntax and its linear time, never the engine of the language.

import { createRequire } from 'node:module';
import { patternSize } from './pattern-size.ts';

type Re2 = typeof import('re2js').RE2JS;

let loaded: Re2 | undefined;

/** Loaded by the first expression: most servers never see one. */
function re2(): Re2 {
  loaded ??= (createRequire(import.meta.url)('re2js') as typeof import('re2js')).RE2JS;
  return loaded;
}

/** Longer expressions are refused: a compiled one takes many times the time and space of its text. */
const maxLength = 10_000;
/** What an expression may stand for when its repetitions are written out. */
const maxWeight = 20_000;
/** Classes of all languages have hundreds of ranges; with case folding, each of them has more. */
const largeClass = /\\[pP]|\[[^\]]*[^\]\p{ASCII}]/gu;
const largeClassWeight = 16;

/** How much work it is to compile an expression, in characters of a plain one. */
export function patternWeight(text: string): number {
  const classes = text.length > maxLength ? 0 : (text.match(largeClass)?.length ?? 0);
  const folding = text.includes('(?') ? 2 : 1;
  return patternSize(text) + classes * largeClassWeight * folding;
}

function compiled(text: string) {
  if (text.length > maxLength) throw new Error(`expression is longer than ${maxLength} characters`);
  if (patternWeight(text) > maxWeight) throw new Error(`expression stands for more than ${maxWeight} characters`);
  return re2().compile(unnamed(text));
}

/** What a text of one of these holds is no group: an escape, a class, a quotation. */
const groupName = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w*:\]|[^\]\\])*\]|\(\?P?<(\w+)>/g;

/** compat: groups may have the same name. Names do not count for a match: those that repeat are left out. */
function unnamed(text: string): string {
  const known = new Set<string>();
  return text.replace(groupName, (found: string, name?: string) => {
    if (name === undefined || !known.has(name)) {
      if (name !== undefined) known.add(name);
      return found;
    }
    return '(';
  });
}

/** Why a text is no regular expression; undefined when it is one. */
export function patternProblem(text: string): string | undefined {
  try {
    compiled(text);
    return undefined;
  } catch (error) {
    return told((error as Error).message);
  }
}

/** compat: what is left of an expression is told, also where that is nothing */
function told(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
}

/** Finds a match anywhere in a text. */
export interface UserPattern {
  matches(text: string): boolean;
}

/** Throws where the text is no regular expression. */
export function userPattern(text: string): UserPattern {
  const pattern = compiled(text);
  return { matches: (given) => pattern.matcher(given).find() };
}
