import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { builtInGroups } from './catalog.ts';

const all = builtInGroups(kubernetes).flatMap(({ resources }) => resources);

function refusal(plural: string, group: string, said: { group: string; version: string; kind: string }) {
  const expected = all.find((one) => one.plural === plural && one.group === group && one.version === 'v1');
  if (expected === undefined) throw new Error(`no ${plural} in ${group}`);
  return expected.scheme?.refusal(said, expected);
}

test.each([
  ['configmaps', '', '', 'v1', 'Secret', 'converting (v1.Secret) to (core.ConfigMap): unknown conversion'],
  ['configmaps', '', '', 'v1', 'SecretList', 'converting (v1.SecretList) to (core.ConfigMap): unknown conversion'],
  [
    'configmaps',
    '',
    'policy',
    'v1',
    'DeleteOptions',
    'converting (v1.DeleteOptions) to (core.ConfigMap): unknown conversion',
  ],
  ['deployments', 'apps', 'apps', 'v1', 'Pod', /^no kind "Pod" is registered for version "apps\/v1" in scheme "/],
  ['deployments', 'apps', 'extensions', 'v1beta1', 'Deployment', undefined],
  ['events', 'events.k8s.io', '', 'v1', 'Event', undefined],
  ['events', 'events.k8s.io', '', 'v1', 'Pod', 'converting (v1.Pod) to (core.Event): unknown conversion'],
  ['roles', 'rbac.authorization.k8s.io', '', 'v1', 'Pod', 'converting (v1.Pod) to (rbac.Role): unknown conversion'],
  ['apiservices', 'apiregistration.k8s.io', '', 'v1', 'Pod', /^no kind "Pod" is registered for version "v1"/],
])('%s of %s that say they are %s %s %s', (plural, home, group, version, kind, expected) => {
  const found = refusal(plural, home, { group, version, kind });
  if (expected instanceof RegExp) expect(found).toMatch(expected);
  else expect(found).toBe(expected);
});
