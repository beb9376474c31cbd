// docs/conformance.md names tests that exist. `npx vitest run test/specification.test.ts -u` writes its tables again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubernetes } from '../src/meta/dialect.ts';
import { regenerated } from './generated-parts.ts';
import { hasTest } from './named-tests.ts';
import { conformanceParts, testsOf } from './specification/page.ts';
import { accessSections, coreSections } from './specification/sentences.ts';

const path = join(import.meta.dirname, '../docs/conformance.md');
const sentences = [...coreSections, ...accessSections].flatMap((section) => section.sentences);

test('the tables of the page are those of the sentences', async () => {
  await expect(regenerated(readFileSync(path, 'utf8'), conformanceParts)).toMatchFileSnapshot(path);
});

test('every sentence names tests, and all of them exist', () => {
  expect(sentences.filter((sentence) => testsOf(sentence).length === 0)).toEqual([]);
  expect(hasTest('test/specification.test.ts', 'a test that there is not')).toBe(false);
  const all = sentences.flatMap(testsOf);
  expect(all.filter(({ file, title }) => !hasTest(file, title))).toEqual([]);
});

test('every difference between the dialects is a sentence', () => {
  const said = new Set(sentences.map(({ rule }) => rule));
  expect(Object.keys(kubernetes.rules).filter((rule) => !said.has(rule as keyof typeof kubernetes.rules))).toEqual([]);
});
