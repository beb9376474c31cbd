import { expect, test } from 'vitest';
import { compareVersions } from './version-order.ts';

test('stable versions come first, then beta, then alpha, newer ones before older ones, other names last', () => {
  const versions = ['v1alpha1', 'foo1', 'v3beta1', 'v12alpha1', 'v1', 'v10', 'v11beta2', 'v2', 'v12alpha2', 'foo10'];
  const ordered = ['v10', 'v2', 'v1', 'v11beta2', 'v3beta1', 'v12alpha2', 'v12alpha1', 'v1alpha1', 'foo1', 'foo10'];
  expect([...versions].sort(compareVersions)).toEqual(ordered);
});
