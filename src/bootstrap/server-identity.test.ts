import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { identityName } from './server-identity.ts';

test('a machine has the name that kube-apiserver gives it', () => {
  expect(identityName(kubernetes, 'vm')).toBe('apiserver-wlv32tlttr4jl3gtroqexyxapa');
});
