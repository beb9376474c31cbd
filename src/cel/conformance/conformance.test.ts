// The official conformance suite of the language, against the engine.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isSkipped, pathOf, skipRows } from './not-in-kubernetes.ts';
import { faultOf, type OfficialCase, officialCases } from './official-case.ts';

const run = officialCases.filter((each) => !isSkipped(each));
const sectionOf = ({ file, section }: OfficialCase) => `${file}/${section}`;
const sections = [...new Set(run.map(sectionOf))];

const faults = new Map(officialCases.map((each) => [each, faultOf(each)]));

const faultsOf = (cases: readonly OfficialCase[]) =>
  cases.flatMap((each) => {
    const fault = faults.get(each);
    return fault === undefined ? [] : [{ case: pathOf(each), expression: each.source.expr, fault }];
  });

describe('the engine does as the official suite says', () => {
  test.each(sections)('%s', (section) => {
    expect(faultsOf(run.filter((each) => sectionOf(each) === section))).toEqual([]);
  });
});

describe('the table of what is not run', () => {
  test.each(skipRows)('$path is still needed', ({ form }) => {
    const covered = officialCases.filter((each) => form.test(pathOf(each)));
    const passing = covered.filter((each) => faults.get(each) === undefined);
    // an expression that cannot be compiled fails as some of the cases want it, and for another reason
    const wrongly = passing.filter(({ source }) => !('evalError' in source));
    expect(covered.length).toBeGreaterThan(passing.length);
    expect(wrongly.map(pathOf)).toEqual([]);
  });
});

test('docs/cel.md says how many cases there are, run and are skipped', () => {
  const page = readFileSync(new URL('../../../docs/cel.md', import.meta.url), 'utf8');
  const passed = run.length - faultsOf(run).length;
  const line = `${officialCases.length} cases: ${run.length} run, ${passed} pass, ${officialCases.length - run.length} are skipped`;
  expect(page).toContain(line);
});
