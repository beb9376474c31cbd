// docs/guides/compatibility.md says what the code says. `npx vitest run test/compatibility.test.ts -u` writes its generated parts again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubernetes } from '../src/meta/dialect.ts';
import { compatibilityParts, unusedOddities } from './compatibility/page.ts';
import { areas, rules } from './compatibility/rules.ts';
import { regenerated } from './generated-parts.ts';
import { hasTest } from './named-tests.ts';

const path = join(import.meta.dirname, '../docs/guides/compatibility.md');

test('the generated parts of the page are those of the code', async () => {
  await expect(regenerated(readFileSync(path, 'utf8'), compatibilityParts)).toMatchFileSnapshot(path);
});

test('every rule belongs to one area', () => {
  expect(areas.flatMap(([, names]) => names).sort()).toEqual(Object.keys(kubernetes.rules).sort());
});

test('every rule names a test that exists', () => {
  const missing = Object.entries(rules).filter(([, { test: named }]) => !hasTest(...named));
  expect(missing.map(([name, { test: named }]) => `${name}: ${named.join(', ')}`)).toEqual([]);
});

test('no note is explained that the code no longer has', () => {
  expect(unusedOddities()).toEqual([]);
});
