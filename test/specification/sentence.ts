// What a row of docs/conformance.md is made of.

import type { DialectRules } from '../../src/meta/dialect.ts';

export interface Sentence {
  readonly says: string;
  /** The rule that decides, where the dialects differ. */
  readonly rule?: keyof DialectRules;
  /** File and title; a bare file name is one of the integration tests. */
  readonly tests: readonly string[];
}

export interface Section {
  readonly title: string;
  readonly sentences: readonly Sentence[];
}

export const both = (says: string, ...tests: readonly string[]): Sentence => ({ says, tests });

export const differs = (rule: keyof DialectRules, says: string, ...tests: readonly string[]): Sentence => ({
  says,
  rule,
  tests,
});
