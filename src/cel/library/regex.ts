// Patterns with RE2's syntax and linear time.

import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { patternSize } from '../../base/text/pattern-size.ts';
import { perCharacter, perPatternCharacter } from '../cost.ts';
import { type Library, member, type Overload, plain } from '../declarations.ts';
import { bool, int, list, string } from '../types.ts';
import { EvaluationError, ListValue, type Value } from '../values.ts';
import { occupy, work, workPerCost } from '../work.ts';

/** Longer patterns are refused: a compiled pattern takes many times the space of its text. */
const maxPattern = 10_000;
/** What a pattern may stand for when its repetitions are written out: more takes long to compile. */
const maxWrittenOut = 20_000;
/** Compiled patterns are kept up to this number. */
const maxKept = 200;

const compiledPatterns = new Map<string, RE2JS>();
let engine: typeof RE2JS | undefined;

/** Loaded when the first pattern is seen: most servers start without one. */
function loaded(): typeof RE2JS {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return engine;
}

function compilePattern(text: string): RE2JS {
  if (text.length > maxPattern) throw new EvaluationError(`pattern is longer than ${maxPattern} characters`);
  const size = patternSize(text);
  if (size > maxWrittenOut) throw new EvaluationError(`pattern stands for more than ${maxWrittenOut} characters`);
  occupy(size * perCompiledState);
  const patterns = loaded();
  try {
    return patterns.compile(text);
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

/** Throws the error of an invalid pattern. */
export function patternOf(text: string): RE2JS {
  let pattern = compiledPatterns.get(text);
  if (pattern === undefined) {
    pattern = compilePattern(text);
    if (compiledPatterns.size >= maxKept) compiledPatterns.delete(compiledPatterns.keys().next().value as string);
    compiledPatterns.set(text, pattern);
  }
  return pattern;
}

/** Matching a shorter text takes no time. */
const shortText = 100;
/** Characters of a text times those of a pattern, written out, that are looked at within some milliseconds. */
const quickMatch = 200_000;
/** Of work: looking at one character in one state of a pattern. */
const perState = workPerCost * perCharacter * perPatternCharacter;
/** How long that takes while many states are possible, in units of work. */
const perBusyState = 20;
/** How long one state takes to compile, in units of work. */
const perCompiledState = 1500;

/**
 * The work of a match is what the member function charges for it; the plain function charges one step. Repetitions of a pattern
 * are only counted as written out where the match may take long.
 */
function workOnMatch(text: string, pattern: string, writtenOut: number): void {
  if (text.length <= shortText) return;
  const states = text.length * writtenOut;
  work((states > quickMatch ? states : text.length * pattern.length) * perState);
  occupy(states * perBusyState);
}

/** With the pattern compiled beforehand where it is a literal. */
function withPattern(overload: Overload, run: (pattern: RE2JS, text: string, limit?: bigint) => Value): Overload {
  return {
    ...overload,
    run: ((text: string, pattern: string, limit?: bigint) => {
      workOnMatch(text, pattern, patternSize(pattern));
      return run(patternOf(pattern), text, limit);
    }) as never,
    withConstant: (constant) => {
      const pattern = constant as string;
      const compiled = patternOf(pattern);
      const writtenOut = patternSize(pattern);
      return ((text: string, _: string, limit?: bigint) => {
        workOnMatch(text, pattern, writtenOut);
        return run(compiled, text, limit);
      }) as never;
    },
  };
}

const unused = (): Value => null;
const matches = (pattern: RE2JS, text: string): boolean => pattern.matcher(text).find();

function find(pattern: RE2JS, text: string): string {
  const matcher = pattern.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(pattern: RE2JS, text: string, limit = -1n): Value {
  const results: string[] = [];
  const matcher = pattern.matcher(text);
  while ((limit < 0n || results.length < limit) && matcher.find()) results.push(matcher.group() ?? '');
  return new ListValue(results);
}

export const regex: Library = {
  functions: {
    matches: [
      withPattern(plain('matches', [string, string], bool, unused), matches),
      withPattern(member('matches_string', [string, string], bool, unused), matches),
    ],
    find: [withPattern(member('string_find_string', [string, string], string, unused), find)],
    findAll: [
      withPattern(member('string_find_all_string', [string, string], list(string), unused), findAll),
      withPattern(member('string_find_all_string_int', [string, string, int], list(string), unused), findAll),
    ],
  },
};
