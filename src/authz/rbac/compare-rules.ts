// Whether a user holds the rules that are to be granted. The cost follows the length of the rules, not the product of
// their lists, and has a limit: what cannot be compared within it is not held.

import type { PolicyRule } from '../../meta/access.ts';
import { HeldRules } from './held-rules.ts';
import { MissingRules } from './missing-rules.ts';
import type { RuleSet } from './rule-set.ts';
import { wordsOf } from './rules.ts';
import { findUncovered } from './uncovered.ts';
import { Work, WorkLimitError } from './work.ts';

/**
 * A comparison may take steps in proportion to the words of the rules, and some to begin with. Granting all of `admin`
 * to a user who holds it takes 2,700 steps, all default roles together 13,000; rules that name 20,000 objects one by one
 * take 5 to 20 a word. Only rules that overlap in thousands of ways need more.
 */
const steps = { toBegin: 500_000, perWord: 30, most: 4_000_000 } as const;

export interface Comparison {
  readonly missing: MissingRules;
  /** Whether the comparison was given up: then nothing is held for certain. */
  readonly isGivenUp: boolean;
}

/** `onLong` is called once the comparison takes long; an error that it throws ends the comparison. */
export function compareRules(held: Iterable<RuleSet>, granted: readonly PolicyRule[], onLong?: () => void): Comparison {
  const work = new Work(limitFor(held, granted), onLong);
  const missing = new MissingRules();
  try {
    findMissing(arrange(held, work), granted, missing, work);
    return { missing, isGivenUp: false };
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    return { missing, isGivenUp: true };
  }
}

function limitFor(held: Iterable<RuleSet>, granted: readonly PolicyRule[]): number {
  let limit: number = steps.toBegin;
  for (const rules of [granted, ...Array.from(held, (role) => role.rules)])
    for (const rule of rules) {
      limit += steps.perWord * wordsOf(rule);
      if (limit > steps.most) return steps.most;
    }
  return limit;
}

function arrange(held: Iterable<RuleSet>, work: Work): HeldRules {
  const arranged = new HeldRules();
  for (const { rules } of held) for (const rule of rules) arranged.add(rule, work);
  return arranged;
}

/** What a rule costs besides its words. */
const stepsPerRule = 20;

function findMissing(held: HeldRules, granted: readonly PolicyRule[], missing: MissingRules, work: Work): void {
  for (const [index, rule] of granted.entries()) {
    work.take(stepsPerRule);
    findUncovered(rule, held, work, (part) => missing.add(part, rule, index));
    if (missing.isFull) return;
  }
}
