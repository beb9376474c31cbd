import { expect, test } from 'vitest';
import type { PolicyRule } from '../../../meta/access.ts';
import { validateRules } from './role-rules.ts';

test('a rule that says nothing is told what it lacks; its verbs are null then', () => {
  const found = validateRules([{ verbs: null } as unknown as PolicyRule], 'cluster');
  expect(found.map(({ field }) => field)).toEqual(['rules[0].verbs', 'rules[0].apiGroups', 'rules[0].resources']);
});
