// Regular expressions that users write: RE2's syntax and its linear time, never the engine of the language.

import { createRequire } from 'node:module';

type Re2 = typeof import('re2js').RE2JS;

let loaded: Re2 | undefined;

/** Loaded by the first expression: most servers never see one. */
function re2(): Re2 {
  loaded ??= (createRequire(import.meta.url)('re2js') as typeof import('re2js')).RE2JS;
  return loaded;
}

/** Why a text is no regular expression; undefined when it is one. */
export function patternProblem(text: string): string | undefined {
  try {
    re2().compile(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Finds a match anywhere in a text. */
export interface UserPattern {
  matches(text: string): boolean;
}

/** Throws where the text is no regular expression. */
export function userPattern(text: string): UserPattern {
  const compiled = re2().compile(text);
  return { matches: (given) => compiled.matcher(given).find() };
}
