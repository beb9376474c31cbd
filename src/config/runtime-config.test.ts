// What --runtime-config turns on and off.

import { expect, test } from 'vitest';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { type RuntimeConfig, servedPart, unknownSwitches, withCoreNames } from './runtime-config.ts';

const all = builtInGroups(kubernetes);
const open = { ClusterTrustBundle: true, PodCertificateRequest: true };

function served(config: RuntimeConfig): string[] {
  return all.filter((groupVersion) => servedPart(groupVersion, config, open) !== undefined).map(formatApiVersion);
}

test('only stable versions are served by default', () => {
  const names = served({});
  expect(names).toContain('apps/v1');
  expect(names.filter((name) => /alpha|beta/.test(name))).toEqual([]);
});

test.each<[string, RuntimeConfig, string[], string[]]>([
  ['everything', { 'api/all': true }, ['apps/v1', 'networking.k8s.io/v1beta1'], []],
  ['nothing', { 'api/all': false }, [], ['v1', 'apps/v1']],
  ['one version of nothing', { 'api/all': false, v1: true }, ['v1'], ['apps/v1']],
  ['beta', { 'api/beta': true }, ['networking.k8s.io/v1beta1'], ['resource.k8s.io/v1alpha3']],
  ['alpha', { 'api/alpha': true }, ['resource.k8s.io/v1alpha3'], ['networking.k8s.io/v1beta1']],
  ['no stable ones', { 'api/ga': false }, [], ['apps/v1']],
  ['one version', { 'networking.k8s.io/v1beta1': true }, ['networking.k8s.io/v1beta1'], ['storage.k8s.io/v1beta1']],
])('%s', (_, config, on, off) => {
  const names = served(config);
  for (const name of on) expect(names).toContain(name);
  for (const name of off) expect(names).not.toContain(name);
});

test('one resource can be switched, whatever holds for its version', () => {
  const apps = all.find(({ group }) => group === 'apps');
  const pluralsWith = (config: RuntimeConfig) =>
    apps === undefined ? [] : (servedPart(apps, config, open)?.resources ?? []).map(({ plural }) => plural);
  expect(pluralsWith({ 'apps/v1/deployments': false })).not.toContain('deployments');
  expect(pluralsWith({ 'apps/v1/deployments': false })).toContain('daemonsets');
  expect(pluralsWith({ 'apps/v1': false, 'apps/v1/deployments': true })).toEqual(['deployments']);
});

test('a kind behind a gate is served where both the gate and its version are open', () => {
  const certificates = all.filter(({ group }) => group === 'certificates.k8s.io');
  const pluralsWith = (gates: Readonly<Record<string, boolean>>, config: RuntimeConfig) =>
    certificates.flatMap((one) => (servedPart(one, config, gates)?.resources ?? []).map(({ plural }) => plural));
  const beta = { 'certificates.k8s.io/v1beta1': true };
  expect(pluralsWith({}, beta)).toEqual(['certificatesigningrequests']);
  expect(pluralsWith({}, { 'certificates.k8s.io/v1beta1/clustertrustbundles': true })).toHaveLength(1);
  expect(pluralsWith({ ClusterTrustBundle: true }, beta)).toContain('clustertrustbundles');
  expect(pluralsWith({ PodCertificateRequest: true }, beta)).not.toContain('clustertrustbundles');
  expect(pluralsWith(open, beta)).toContain('podcertificaterequests');
  expect(pluralsWith(open, {})).toEqual(['certificatesigningrequests']);
});

test.each([
  ['storagemigration.k8s.io/v1beta1', 'StorageVersionMigrator', ['storageversionmigrations']],
  ['scheduling.k8s.io/v1alpha2', 'GenericWorkload', ['workloads', 'podgroups']],
])('%s is nothing without the gate %s', (name, gate, plurals) => {
  const version = all.find((one) => formatApiVersion(one) === name) ?? expect.fail('it is not built in');
  expect(servedPart(version, { [name]: true }, {})).toBeUndefined();
  const { resources = [] } = servedPart(version, { [name]: true }, { [gate]: true }) ?? {};
  expect(resources.map(({ plural }) => plural).sort()).toEqual([...plurals].sort());
});

test('the core group has two names', () => {
  expect(withCoreNames({ 'api/v1': true, 'api/v1/pods': false, 'api/beta': true, 'apps/v1': true })).toEqual({
    v1: true,
    'v1/pods': false,
    'api/beta': true,
    'apps/v1': true,
  });
});

test('names that switch nothing are found', () => {
  expect(unknownSwitches({ 'api/all': true, 'apps/v1/pods': true, 'appz/v1': false, v1: true }, all)).toEqual([
    'apps/v1/pods',
    'appz/v1',
  ]);
});
