// Webhooks and policies in files: in force from the start, also for stored webhooks and policies, and again when files change.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/time/clock.ts';
import { OptionError, type ServerOptions } from '../../src/config/options.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { AdmissionHooks, install, label } from './admission-hooks.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

const registration = 'admissionregistration.k8s.io/v1';
const policy = (name: string, expression: string, rule: object = { apiGroups: [''], resources: ['configmaps'] }) => ({
  ...{ apiVersion: registration, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
  spec: {
    matchConstraints: { resourceRules: [{ apiVersions: ['*'], operations: ['*'], ...rule }] },
    validations: [{ expression }],
  },
});
const binding = (name: string, policyName: string, more: object = {}) => ({
  ...{ apiVersion: registration, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
  spec: { policyName, validationActions: ['Deny'], ...more },
});
const named = (name: string) => `${name}.static.k8s.io`;

type Plugin = 'ValidatingAdmissionPolicy' | 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook';

class Manifests extends TempFolder {
  readonly folder = join(this.path, 'manifests');

  constructor() {
    super();
    mkdirSync(this.folder);
  }

  put(file: string, ...objects: readonly (object | string)[]): void {
    const texts = objects.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    writeFileSync(join(this.folder, file), texts.join('\n---\n'));
  }

  options(plugin: Plugin, folder = this.folder): ServerOptions & { readonly listen: false } {
    const kind = plugin.endsWith('Webhook') ? 'WebhookAdmissionConfiguration' : `${plugin}Configuration`;
    const configuration = { kind, apiVersion: 'apiserver.config.k8s.io/v1', staticManifestsDir: folder };
    const file = join(this.path, 'admission.json');
    const plugins = [{ name: plugin, configuration }];
    writeFileSync(
      file,
      JSON.stringify({ kind: 'AdmissionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', plugins }),
    );
    const featureGates = { ManifestBasedAdmissionControlConfig: true };
    return { listen: false, admissionControlConfigFile: file, featureGates };
  }
}

/** Looks at files at least once a second instead of every five: they are looked at when the clock shows a multiple of that. */
const hurried: Clock = {
  now: () => systemClock.now(),
  after: (ms, run) => systemClock.after(ms > 1000 && ms <= 5000 ? 20 : ms, run),
};

test('policies in files are in force from the start, and hold for stored policies too', async () => {
  using manifests = new Manifests();
  const all = { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'] };
  manifests.put('a.yaml', '# a comment only', policy(named('names'), "object.metadata.name != 'bad'"), {
    apiVersion: 'v1',
    kind: 'List',
    items: [binding(named('names'), named('names'))],
  });
  manifests.put('b.json', policy(named('keep'), "request.operation != 'DELETE'", all));
  manifests.put('c.yml', binding(named('keep'), named('keep')));
  manifests.put('ignored.txt', 'not a manifest');
  await using server = await startTestServer(manifests.options('ValidatingAdmissionPolicy'));
  const api = apiOf(server);
  expect((await api.post(configMaps, configMap('good'))).status).toBe(201);
  const refused = await api.post(configMaps, configMap('bad'));
  expect([refused.status, refused.body.message]).toEqual([
    422,
    `configmaps "bad" is forbidden: ValidatingAdmissionPolicy '${named('names')}' with binding '${named('names')}' denied request: failed expression: object.metadata.name != 'bad'`,
  ]);

  const home = `/apis/${registration}/validatingadmissionpolicies`;
  expect((await api.post(home, policy('stored', 'true'))).status).toBe(201);
  expect((await api.delete(`${home}/stored`)).body.message).toContain(named('keep'));
  expect((await api.get(home)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(
    ['stored'],
  );
  const reserved = await api.post(home, policy(named('mine'), 'true'));
  expect([reserved.status, reserved.body.message]).toEqual([
    422,
    `ValidatingAdmissionPolicy.admissionregistration.k8s.io "${named('mine')}" is invalid: metadata.name: Invalid value: "${named('mine')}": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]);
});

test('webhooks in files are called before stored ones', async () => {
  using manifests = new Manifests();
  await using hooks = await AdmissionHooks.open();
  const of = (path: string) => hooks.hook(path, () => label('by', path.slice(1)), { namespaceSelector: {} });
  const kind = { apiVersion: registration, kind: 'MutatingWebhookConfiguration' };
  manifests.put('z.json', { ...kind, metadata: { name: named('z') }, webhooks: [of('/file')] });
  await using server = await startTestServer(manifests.options('MutatingAdmissionWebhook'));
  const api = apiOf(server);
  await install(api, 'mutating', 'a', of('/stored'));
  const made = await api.post(configMaps, configMap('c', {}, { labels: { by: 'client' } }));
  expect([made.status, made.body.metadata.labels.by]).toEqual([201, 'stored']);
  const aboutIt = hooks.reviews.filter(({ review }) => review.request.name === 'c');
  expect(aboutIt.map(({ path }) => path)).toEqual(['/file', '/stored']);
});

test('files that change count again, unless they cannot be used', async () => {
  using manifests = new Manifests();
  const lines: string[] = [];
  const note = (_: object, text: string) => void lines.push(text);
  manifests.put('a.yaml', policy(named('p'), "object.metadata.name != 'one'"), binding(named('p'), named('p')));
  const options = { ...manifests.options('ValidatingAdmissionPolicy'), clock: hurried };
  await using server = await startTestServer({ ...options, log: { info: note, warn: note, error: note } });
  const api = apiOf(server);
  const status = async (name: string) => (await api.post(`${configMaps}?dryRun=All`, configMap(name))).status;
  expect([await status('one'), await status('two')]).toEqual([422, 201]);

  manifests.put('a.yaml', policy(named('p'), "object.metadata.name != 'two'"), binding(named('p'), named('p')));
  await eventually(async () => expect([await status('one'), await status('two')]).toEqual([201, 422]));

  manifests.put('a.yaml', policy(named('p'), 'object.'), binding(named('p'), named('p')));
  await eventually(async () => expect(lines).toContain('admission manifests cannot be used, the old ones stay'));
  expect([await status('one'), await status('two')]).toEqual([201, 422]);

  rmSync(join(manifests.folder, 'a.yaml'));
  await eventually(async () => expect(await status('two')).toBe(201));
  const { body } = await api.get('/metrics');
  const prefix = 'apiserver_manifest_admission_config_controller';
  const of = 'plugin="ValidatingAdmissionPolicy",apiserver_id_hash="sha256:\\w{64}"';
  const reloads = (status: string, count: number) =>
    new RegExp(`^${prefix}_automatic_reloads_total\\{status="${status}",${of}\\} ${count}$`, 'm');
  expect(body).toMatch(reloads('success', 3));
  expect(body).toMatch(reloads('failure', 1));
  expect(body).toContain(`${prefix}_last_config_info{plugin="ValidatingAdmissionPolicy"`);
});

describe('the server does not start with', () => {
  const start = (manifests: Manifests, plugin: Plugin = 'ValidatingAdmissionPolicy', folder?: string) =>
    startTestServer(manifests.options(plugin, folder));
  const webhooks = (clientConfig: object) => ({
    ...{ apiVersion: registration, kind: 'ValidatingWebhookConfiguration', metadata: { name: named('w') } },
    webhooks: [{ name: 'w.example.com', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
  });
  const service = { service: { namespace: 'n', name: 's' } };

  test.each<[string, readonly (object | string)[], string, Plugin?]>([
    ['a name that is not reserved', [policy('p', 'true')], '"p" must have a name ending with ".static.k8s.io"'],
    ['two of a name', [policy(named('p'), 'true'), policy(named('p'), 'true')], `duplicate name "${named('p')}"`],
    ['an expression that is none', [policy(named('p'), '1 +')], `ValidatingAdmissionPolicy "${named('p')}": `],
    [
      'a binding of nothing',
      [binding(named('b'), named('p'))],
      `references policy "${named('p')}" which does not exist`,
    ],
    ['a binding of a stored policy', [binding(named('b'), 'p')], 'spec.policyName "p" must end with ".static.k8s.io"'],
    [
      'parameters',
      [{ ...policy(named('p'), 'true'), spec: { ...policy('', '').spec, paramKind: { apiVersion: 'v1', kind: 'X' } } }],
      'spec.paramKind is not supported for static manifests',
    ],
    [
      'parameters of a binding',
      [
        policy(named('p'), 'true'),
        binding(named('b'), named('p'), { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } }),
      ],
      'spec.paramRef is not supported',
    ],
    ['unknown fields', [{ ...policy(named('p'), 'true'), more: 1 }], 'strict decoding error: unknown field "more"'],
    ['another kind', [configMap('c')], 'unsupported resource type "v1 ConfigMap"'],
    [
      'an older version',
      [{ ...policy(named('p'), 'true'), apiVersion: 'admissionregistration.k8s.io/v1beta1' }],
      'unsupported resource type',
    ],
    ['what is no YAML', ['a: [', ''], 'error loading'],
    [
      'a service',
      [webhooks(service)],
      'clientConfig.service is not supported for static manifests; use clientConfig.url instead',
      'ValidatingAdmissionWebhook',
    ],
    ['no address', [webhooks({})], 'clientConfig.url is required for static manifests', 'ValidatingAdmissionWebhook'],
    [
      'webhooks of the other sort',
      [{ ...webhooks(service), kind: 'MutatingWebhookConfiguration' }],
      'unsupported resource type',
      'ValidatingAdmissionWebhook',
    ],
  ])('%s', async (_, objects, why, plugin) => {
    using manifests = new Manifests();
    manifests.put('a.yaml', ...objects);
    const started = start(manifests, plugin);
    await expect(started).rejects.toThrow(OptionError);
    await expect(started).rejects.toThrow(why);
  });

  test('a folder that is none, or the gate off', async () => {
    using manifests = new Manifests();
    await expect(start(manifests, undefined, 'relative')).rejects.toThrow('must be an absolute file path');
    await expect(start(manifests, undefined, join(manifests.path, 'no'))).rejects.toThrow('unable to read');
    const options = { ...manifests.options('ValidatingAdmissionPolicy'), featureGates: {} };
    await expect(startTestServer(options)).rejects.toThrow(
      'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
    );
  });
});

test('without the gate reserved names are only warned of', async () => {
  await using server = await startTestServer({ listen: false });
  const home = `/apis/${registration}/validatingadmissionpolicies`;
  const made = await apiOf(server).post(home, policy(named('p'), 'true'));
  expect(made.status).toBe(201);
  expect(made.headers.get('warning')).toContain('are reserved for static manifest-based configurations');
});
