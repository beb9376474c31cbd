// Requirements on labels, by key: a selector of thousands of them looks at each label of an object once.

import type { Labels } from './object.ts';

/** What a selector requires of one label. */
export interface LabelTest {
  readonly key: string;
  /** Whether an object without the label fails. */
  readonly needsLabel: boolean;
  /** Whether a value of the label is right. */
  readonly accepts: (value: string) => boolean;
}

interface KeyTests {
  readonly tests: LabelTest['accepts'][];
  needsLabel: boolean;
}

/** So few keys are looked up in the labels, and not the labels among the keys. */
const fewKeys = 4;

/** Whether labels pass all tests, in time that follows the number of labels, not that of the tests. */
export function labelMatcher(tests: readonly LabelTest[]): (labels?: Labels) => boolean {
  const byKey = new Map<string, KeyTests>();
  for (const { key, needsLabel, accepts } of tests) {
    const ofKey = byKey.get(key) ?? { tests: [], needsLabel: false };
    byKey.set(key, ofKey);
    ofKey.tests.push(accepts);
    ofKey.needsLabel ||= needsLabel;
  }
  const neededCount = [...byKey.values()].filter(({ needsLabel }) => needsLabel).length;
  if (byKey.size <= fewKeys) return (labels = {}) => passesEach(byKey, labels);
  return (labels = {}) => countNeeded(byKey, labels) === neededCount;
}

function passesEach(byKey: ReadonlyMap<string, KeyTests>, labels: Labels): boolean {
  for (const [key, { tests, needsLabel }] of byKey) {
    if (!Object.hasOwn(labels, key)) {
      if (needsLabel) return false;
    } else if (!passes(tests, labels[key] as string)) return false;
  }
  return true;
}

/** How many of the keys that are needed the labels have; -1 where a value is wrong. */
function countNeeded(byKey: ReadonlyMap<string, KeyTests>, labels: Labels): number {
  let count = 0;
  for (const key of Object.keys(labels)) {
    const ofKey = byKey.get(key);
    if (ofKey === undefined) continue;
    if (!passes(ofKey.tests, labels[key] as string)) return -1;
    if (ofKey.needsLabel) count++;
  }
  return count;
}

function passes(tests: readonly LabelTest['accepts'][], value: string): boolean {
  for (const accepts of tests) if (!accepts(value)) return false;
  return true;
}
