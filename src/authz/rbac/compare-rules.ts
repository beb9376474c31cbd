// Whether a user holds the rules that are to be granted. The cost follows the length of the rules, not the product of
// their lists, and has a limit: what cannot be compared within it is not held.

import type { MaybePromise } from '../../base/maybe-promise.ts';
import { YieldTimer } from '../../base/yield-timer.ts';
import type { PolicyRule } from '../../meta/access.ts';
import { HeldRules } from './held-rules.ts';
import { MissingRules } from './missing-rules.ts';
import type { RuleSet } from './rule-set.ts';
import { wordsOf } from './rules.ts';
import { uncoveredParts } from './uncovered.ts';
import { type Resting, Work, WorkLimitError } from './work.ts';

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

/** Answers at once where the rules are few. */
export function compareRules(held: Iterable<RuleSet>, wanted: readonly PolicyRule[]): MaybePromise<Comparison> {
  return inTurns(compare(held, wanted, new Work(limitFor(held, wanted))), new YieldTimer());
}

function limitFor(held: Iterable<RuleSet>, wanted: readonly PolicyRule[]): number {
  let limit: number = steps.toBegin;
  for (const rules of [wanted, ...Array.from(held, (role) => role.rules)])
    for (const rule of rules) {
      limit += steps.perWord * wordsOf(rule);
      if (limit > steps.most) return steps.most;
    }
  return limit;
}

function inTurns<T>(work: Resting<T>, pace: YieldTimer): MaybePromise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (pace.isDue) return pace.rest().then(() => inTurns(work, pace));
  }
}

function* compare(held: Iterable<RuleSet>, wanted: readonly PolicyRule[], work: Work): Resting<Comparison> {
  const missing = new MissingRules();
  try {
    yield* findMissing(yield* arrange(held, work), wanted, missing, work);
    return { missing, isGivenUp: false };
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    return { missing, isGivenUp: true };
  }
}

function* arrange(held: Iterable<RuleSet>, work: Work): Resting<HeldRules> {
  const arranged = new HeldRules();
  for (const { rules } of held) for (const rule of rules) yield* arranged.add(rule, work);
  return arranged;
}

/** What a rule costs beside its words. */
const stepsPerRule = 20;

function* findMissing(
  held: HeldRules,
  wanted: readonly PolicyRule[],
  missing: MissingRules,
  work: Work,
): Resting<void> {
  for (const [index, rule] of wanted.entries()) {
    if (work.take(stepsPerRule)) yield undefined;
    for (const part of uncoveredParts(rule, held, work)) {
      if (part === undefined) yield undefined;
      else missing.add(part, rule, index);
      if (missing.isFull) return;
    }
  }
}
