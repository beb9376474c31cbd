import { expect, test } from 'vitest';
import { PreparedDocuments } from './prepared.ts';

test('the sources have no prepared documents', () => {
  const prepared = new PreparedDocuments();
  expect(prepared.ofAll([])).toBeUndefined();
  expect(
    prepared.ofVersion({ group: 'apps', version: 'v1', resources: [], priority: { group: 0, version: 0 } }),
  ).toBeUndefined();
});
