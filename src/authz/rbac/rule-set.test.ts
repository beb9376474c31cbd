import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AccessAttributes, type PolicyRule, resourceAccess } from '../../meta/access.ts';
import { expectProcessorTime } from '../../testing/processor-time.ts';
import { RuleSet } from './rule-set.ts';
import { allows } from './rules.ts';

const some = (...words: string[]) => fc.subarray(words);

const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    verbs: some('*', 'get', 'list'),
    apiGroups: some('*', '', 'apps'),
    resources: some('*', 'pods', 'pods/log', '*/log', 'nodes'),
    resourceNames: some('a', 'b'),
    nonResourceURLs: some('*', '/healthz', '/healthz/*'),
  },
  { requiredKeys: ['verbs'] },
);

const attributes: fc.Arbitrary<AccessAttributes> = fc.record({
  user: fc.constant({ name: 'ann', groups: [] }),
  verb: fc.constantFrom('get', 'list'),
  isResource: fc.boolean(),
  group: fc.constantFrom('', 'apps'),
  version: fc.constant('v1'),
  resource: fc.constantFrom('pods', 'nodes', '*'),
  subresource: fc.constantFrom('', 'log'),
  namespace: fc.constant(''),
  name: fc.constantFrom('', 'a', 'c'),
  path: fc.constantFrom('/healthz', '/healthz/etcd', '/version'),
});

test('allows what one of its rules allows', () => {
  const answers = new Set<boolean>();
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), attributes, (rules, question) => {
      const isAllowed = rules.some((one) => allows(one, question));
      answers.add(isAllowed);
      expect(new RuleSet(rules).allows(question)).toBe(isAllowed);
    }),
    { numRuns: 1000 },
  );
  expect(answers).toEqual(new Set([true, false]));
});

test('a role with more resources than can be arranged at once decides the same, and holds up no request', async () => {
  const resources = Array.from({ length: 300_000 }, (_, i) => `r${i}`);
  const ask = (resource: string) => resourceAccess({ user: { name: 'ann', groups: [] }, verb: 'get', resource });
  await expectProcessorTime(50, () => {
    const set = new RuleSet([{ verbs: ['get'], apiGroups: [''], resources }]);
    expect([set.allows(ask('r299999')), set.allows(ask('pods'))]).toEqual([true, false]);
  });
});
