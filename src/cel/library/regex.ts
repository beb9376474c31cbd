// Patterns with RE2's syntax and linear time.

import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { patternSize } from '../../base/pattern-size.ts';
import { matchesFoundApart } from '../../base/pattern-thread.ts';
import { perCharacter, perPatternCharacter } from '../cost.ts';
import { type Library, member, type Overload, plain } from '../declarations.ts';
import { bool, int, list, string } from '../types.ts';
import { EvaluationError, ListValue, type Value } from '../values.ts';
import { work, workPerCost } from '../work.ts';

/** Longer patterns are refused: a compiled pattern takes many times the space of its text. */
const maxPattern = 10_000;
/** What a pattern may stand for when its repetitions are written out: more takes long to compile. */
const maxWrittenOut = 20_000;
/** Patterns that are made while expressions run are kept up to this number. */
const maxKept = 200;

const kept = new Map<string, RE2JS>();
let engine: typeof RE2JS | undefined;

/** Loaded when the first pattern is seen: most servers start without one. */
function loaded(): typeof RE2JS {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return engine;
}

export function compilePattern(text: string): RE2JS {
  if (text.length > maxPattern) throw new EvaluationError(`pattern is longer than ${maxPattern} characters`);
  if (patternSize(text) > maxWrittenOut)
    throw new EvaluationError(`pattern stands for more than ${maxWrittenOut} characters`);
  const patterns = loaded();
  try {
    return patterns.compile(text);
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

function patternOf(text: string): RE2JS {
  let pattern = kept.get(text);
  if (pattern === undefined) {
    pattern = compilePattern(text);
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string);
    kept.set(text, pattern);
  }
  return pattern;
}

/** Characters of a text times those of a pattern, written out, that are looked at within some milliseconds. */
const quickMatch = 200_000;

/** Matching a shorter text takes no time. */
const shortText = 100;
/** Of work: looking at one character in one state of a pattern. */
const perState = workPerCost * perCharacter * perPatternCharacter;

/** The first of all matches in a long text, from another thread. */
function apart(made: (found: readonly string[]) => Value, mostOf: (limit?: bigint) => number): Overload['apart'] {
  return ((text: string, pattern: string, limit?: bigint) => {
    if (text.length * patternSize(pattern) <= quickMatch) return undefined;
    workOnMatch(text, pattern);
    // what is wrong with the pattern is told here
    patternOf(pattern);
    return matchesFoundApart(pattern, text, mostOf(limit)).then((found = []) => made(found));
  }) as never;
}

/** The work of a match is what the member function charges for it; the plain function charges one step. */
function workOnMatch(text: string, pattern: string): void {
  if (text.length > shortText) work(text.length * pattern.length * perState);
}

/** With the pattern compiled beforehand where it is a literal. */
function matching(
  overload: Overload,
  run: (pattern: RE2JS, text: string, limit?: bigint) => Value,
  elsewhere: Overload['apart'],
): Overload {
  return {
    ...overload,
    ...(elsewhere && { apart: elsewhere }),
    run: ((text: string, pattern: string, limit?: bigint) => {
      workOnMatch(text, pattern);
      return run(patternOf(pattern), text, limit);
    }) as never,
    withConstant: (pattern) => {
      const compiled = compilePattern(pattern as string);
      return ((text: string, _: string, limit?: bigint) => {
        workOnMatch(text, pattern as string);
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
  const found: string[] = [];
  const matcher = pattern.matcher(text);
  while ((limit < 0n || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return new ListValue(found);
}

const first = () => 1;
const matchesApart = apart((found) => found.length > 0, first);
const findApart = apart((found) => found[0] ?? '', first);
const findAllApart = apart(
  (found) => new ListValue(found),
  (limit = -1n) => (limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)),
);

export const regex: Library = {
  functions: {
    matches: [
      matching(plain('matches', [string, string], bool, unused), matches, matchesApart),
      matching(member('matches_string', [string, string], bool, unused), matches, matchesApart),
    ],
    find: [matching(member('string_find_string', [string, string], string, unused), find, findApart)],
    findAll: [
      matching(member('string_find_all_string', [string, string], list(string), unused), findAll, findAllApart),
      matching(
        member('string_find_all_string_int', [string, string, int], list(string), unused),
        findAll,
        findAllApart,
      ),
    ],
  },
};
