// Forms of --admission-control-config-file that earlier releases had.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { PluginSettings } from '../admission/engines.ts';
import { openAdmission } from './admission-file.ts';
import { resolveOptions } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-admission-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (name: string, content: object): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

/** The settings of a file, and the warnings without its name. */
async function open(content: object): Promise<{ settings: PluginSettings; warnings: readonly string[] }> {
  const file = fileOf('admission.json', content);
  const warnings: string[] = [];
  const { admission, dialect, featureGates } = resolveOptions({ admissionControlConfigFile: file });
  const settings = await openAdmission(admission, dialect, featureGates, (text) => warnings.push(text));
  return { settings, warnings: warnings.map((text) => text.replace(`admissionControlConfigFile: ${file}: `, '')) };
}

const current = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };
const kubeconfig = fileOf('kubeconfig', { apiVersion: 'v1', kind: 'Config', users: [{ name: 'a.example', user: {} }] });
const users = { kubeConfigFile: kubeconfig };
const quota = { limitedResources: [{ resource: 'pods', matchContains: ['cpu'] }] };

test.each(['apiserver.k8s.io/v1alpha1', 'apiserver.config.k8s.io/v1alpha1'])(
  'AdmissionConfiguration in %s is read with a warning',
  async (apiVersion) => {
    const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', ...quota };
    const plugins = [{ name: 'ResourceQuota', configuration }];
    const { settings, warnings } = await open({ ...current, apiVersion, plugins });
    expect(settings.limitedResources).toMatchObject([{ resource: 'pods' }]);
    expect(warnings).toEqual([
      `AdmissionConfiguration in ${apiVersion} is deprecated, use AdmissionConfiguration in apiserver.config.k8s.io/v1`,
    ]);
  },
);

const olderPlugins: readonly (readonly [string, string, string, object, string])[] = [
  [
    'ValidatingAdmissionWebhook',
    'apiserver.k8s.io/v1alpha1',
    'WebhookAdmission',
    users,
    'WebhookAdmissionConfiguration',
  ],
  [
    'MutatingAdmissionWebhook',
    'apiserver.config.k8s.io/v1alpha1',
    'WebhookAdmission',
    users,
    'WebhookAdmissionConfiguration',
  ],
  ['ResourceQuota', 'resourcequota.admission.k8s.io/v1beta1', 'Configuration', quota, 'ResourceQuotaConfiguration'],
  ['ResourceQuota', 'resourcequota.admission.k8s.io/v1alpha1', 'Configuration', quota, 'ResourceQuotaConfiguration'],
];

test.each(olderPlugins)('%s: %s %s is read with a warning, inline and from a file', async (...row) => {
  const [name, apiVersion, kind, fields, today] = row;
  const old = { apiVersion, kind, ...fields };
  const now = { apiVersion: 'apiserver.config.k8s.io/v1', kind: today, ...fields };
  const expected = await open({ ...current, plugins: [{ name, configuration: now }] });
  expect(expected.warnings).toEqual([]);
  for (const form of [{ configuration: old }, { path: fileOf('plugin.json', old) }]) {
    const { settings, warnings } = await open({ ...current, plugins: [{ name, ...form }] });
    expect(settings).toEqual(expected.settings);
    const advice = `${kind} in ${apiVersion} is deprecated, use ${today} in apiserver.config.k8s.io/v1`;
    expect(warnings).toEqual([`plugin "${name}": ${advice}`]);
  }
});

test('a file that holds the configuration of one plugin alone is read with a warning', async () => {
  const selectors = { clusterDefaultNodeSelector: 'a=b' };
  const { settings, warnings } = await open({ podNodeSelectorPluginConfig: selectors });
  expect(settings.podNodeSelector.clusterDefault).toBe('a=b');
  const advice = 'alone is deprecated, use AdmissionConfiguration in apiserver.config.k8s.io/v1';
  expect(warnings).toEqual([`a file with podNodeSelectorPluginConfig ${advice}`]);
  const server = { name: 's', cluster: { server: 'https://127.0.0.1' } };
  const context = { name: 'c', context: { cluster: 's' } };
  const backend = { apiVersion: 'v1', kind: 'Config', clusters: [server], contexts: [context], 'current-context': 'c' };
  const images = await open({ imagePolicy: { kubeConfigFile: fileOf('backend', backend), defaultAllow: true } });
  expect(images.settings.imagePolicy).toMatchObject({ defaultAllow: true });
  expect(images.warnings).toEqual([`a file with imagePolicy ${advice}`]);
});

test.each([
  { kind: 'AdmissionConfiguration', apiVersion: 'apiserver.k8s.io/v1' },
  { kind: 'WebhookAdmission', apiVersion: 'apiserver.k8s.io/v1alpha1' },
  { kind: 'AdmissionConfiguration', podNodeSelectorPluginConfig: {} },
  { other: 1 },
])('%j is no form of any release', async (content) => {
  await expect(open(content)).rejects.toThrow('use AdmissionConfiguration in apiserver.config.k8s.io/v1');
});
