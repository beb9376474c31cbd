// Configuration files that the docs show are taken by the options that they are for.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeAuthorizationConfiguration } from '../authz/configuration.ts';
import { kubernetes } from '../meta/dialect.ts';
import { openAdmission } from './admission-file.ts';
import { AuthenticationFile } from './authentication-file.ts';
import { openCloudFile } from './cloud-file.ts';
import { resolveOptions } from './options.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-pages-'));
  mkdirSync(join(folder, 'policies'));
  const cluster = { server: 'https://127.0.0.1:1' };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hook', cluster }],
    contexts: [{ name: 'hook', context: { cluster: 'hook', user: '' } }],
    'current-context': 'hook',
  };
  for (const name of ['image-policy', 'shop'])
    writeFileSync(join(folder, `${name}.kubeconfig`), JSON.stringify(kubeconfig));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a page, with their folder in place of the one that the page supposes. */
function filesOf(page: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/guides', page), 'utf8');
  const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, block = ''], at) => {
    const path = join(folder, `${page}-${at}.yaml`);
    writeFileSync(path, block.replaceAll('/etc/keelson', folder));
    return path;
  });
}

test('identity.md', async () => {
  const [authentication = '', authorization = '', ...more] = filesOf('identity.md');
  expect(more).toEqual([]);
  const parts = { path: authentication, dialect: kubernetes, ownIssuers: [], mayDecideAnonymous: true };
  const file = new AuthenticationFile(parts);
  const { authenticators, allowsAnonymous } = await file.load(file.read());
  expect(authenticators).toHaveLength(1);
  expect([allowsAnonymous?.('/livez'), allowsAnonymous?.('/api')]).toEqual([true, false]);
  const { authorizers } = await decodeAuthorizationConfiguration(readFileSync(authorization), kubernetes);
  expect(authorizers?.map(({ type }) => type)).toEqual(['Node', 'RBAC', 'Webhook']);
});

test('admission.md', async () => {
  const [policies = '', images = '', places = '', ...more] = filesOf('admission.md');
  expect(more).toEqual([]);
  const open = (admissionControlConfigFile: string) => {
    const featureGates = { ManifestBasedAdmissionControlConfig: true };
    const config = resolveOptions({ admissionControlConfigFile, featureGates });
    return openAdmission(config.admission, config.dialect, config.featureGates, () => {});
  };
  expect(Object.values((await open(policies)).manifestFolders)).toEqual([join(folder, 'policies')]);
  expect((await open(images)).imagePolicy).toMatchObject({ defaultAllow: false });
  const locate = await openCloudFile(places);
  const id = '[datastore1] a/b.vmdk';
  const spec = { vsphereVolume: { volumePath: id } };
  const volume = { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'v' }, spec };
  const place = locate({ source: 'vsphereVolume', id, volume }, new AbortController().signal);
  expect(place).toEqual({ zones: ['rack-1'], region: 'berlin' });
});
