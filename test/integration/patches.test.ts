// What is answered to patches that are odd, break the object or speak of what the server owns, engine by engine.

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';

let server: Server;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
type Engine = keyof typeof types;

const patch = (engine: Engine, path: string, body: unknown, query = '') =>
  api.call('PATCH', `${path}?fieldManager=m${query}`, body, { 'content-type': types[engine] });
const causes = ({ body }: Answer) => (body.details?.causes ?? []).map((one: Record<string, string>) => one['field']);
const warnings = ({ headers }: Answer) => headers.get('warning');

describe('numbers that JavaScript rounds', () => {
  const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const capacities = '/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities';
  const text = (contentType: string) => ({ 'content-type': contentType });
  const json = text('application/json');

  test('are kept in free-form values, also as protobuf', async () => {
    const data = '{"a":123456789012345678901234567890,"b":[100000000000000000000000]}';
    const body = `{"metadata":{"name":"long"},"revision":1,"data":${data}}`;
    expect((await api.call('POST', revisions, body, json)).status).toBe(201);
    for (const accept of ['application/vnd.kubernetes.protobuf', 'application/yaml', 'application/json']) {
      const answer = await server.fetch(`https://server${revisions}/long`, { headers: { accept } });
      const text = await answer.text();
      if (accept.endsWith('yaml')) expect(text).toContain('123456789012345678901234567890');
      else expect(text).toContain(data);
    }
  });

  test.each([
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['12345678901234567890.5', '12345678901234567890500m'],
    ['1e21', '1e21'],
    ['1e400', '10e399'],
    ['1.5e3', '1500'],
  ])('stand for amounts as they are written: %s', async (literal, amount) => {
    const body = `{"metadata":{"name":"c"},"storageClassName":"s","capacity":${literal}}`;
    const made = await api.call('POST', `${capacities}?dryRun=All`, body, json);
    expect([made.status, made.body.capacity]).toEqual([201, amount]);
  });

  test.each<[Engine, string]>([
    ['merge', '{"capacity":12345678901234567890.5}'],
    ['json', '[{"op":"replace","path":"/capacity","value":12345678901234567890.5}]'],
  ])('stand for amounts in a patch by %s', async (engine, body) => {
    await api.post(capacities, { metadata: { name: engine }, storageClassName: 's', capacity: '1' });
    const patched = await patch(engine, `${capacities}/${engine}`, body);
    expect([patched.status, patched.body.capacity]).toEqual([200, '12345678901234567890500m']);
  });

  test.each<[Engine, string, string]>([
    [
      'merge',
      '{"data":{"a":1e400}}',
      'error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64',
    ],
    ['strategic', '{"data":{"a":1e400}}', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
    [
      'json',
      '[{"op":"test","path":"/data/a","value":[-1e400]}]',
      'error decoding patch: json: cannot unmarshal number -1e400 into Go struct field jsonPatchOp.value of type float64',
    ],
  ])('and are too large are refused in a patch by %s', async (engine, body, words) => {
    await api.post(configMaps, configMap('large', { k: 'v' }));
    const answer = await patch(engine, `${configMaps}/large`, body);
    expect([answer.status, answer.body.message]).toEqual([400, words]);
  });
});

describe('a patch of a ConfigMap', () => {
  const path = `${configMaps}/patched`;
  beforeEach(async () => {
    await api.delete(path);
    await api.post(configMaps, configMap('patched', { k: 'v' }));
  });

  test.each<[Engine, unknown]>([
    ['merge', { data: { k: 1 } }],
    ['merge', { data: [] }],
    ['merge', { kind: 'Secret' }],
    ['merge', { apiVersion: 'v2' }],
    ['json', [{ op: 'replace', path: '/data/k', value: 1 }]],
    ['json', [{ op: 'replace', path: '', value: [] }]],
    ['strategic', { data: { k: 1 } }],
    ['strategic', { kind: 1 }],
  ])('by %s that makes no ConfigMap of it is invalid: %j', async (engine, body) => {
    const answer = await patch(engine, path, body);
    expect([answer.status, answer.body.reason, causes(answer)]).toEqual([422, 'Invalid', ['patch']]);
  });

  test.each<[Engine, unknown]>([
    ['merge', { apiVersion: null }],
    ['merge', { apiVersion: '' }],
    ['json', [{ op: 'remove', path: '/apiVersion' }]],
    ['json', ['apiVersion', 'kind'].map((name) => ({ op: 'remove', path: `/${name}` }))],
  ])('by %s that takes the version away leaves no name: %j', async (engine, body) => {
    const answer = await patch(engine, path, body);
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'the name of the object (patched based on URL) was undeterminable: name must be provided',
    ]);
    expect(warnings(answer)).toContain('unknown field \\"data\\"');
    expect(warnings(answer)).toContain('unknown field \\"metadata\\"');
    const strict = await patch(engine, path, body, '&fieldValidation=Strict');
    expect([strict.status, causes(strict)]).toEqual([422, ['patch']]);
  });

  test('without a version has the fields of metadata itself', async () => {
    const other = await patch('json', path, [{ op: 'replace', path: '', value: { name: 'other' } }]);
    expect(other.body.message).toBe('the name of the object (other) does not match the name on the URL (patched)');
    const same = await patch('json', path, [
      { op: 'replace', path: '', value: { name: 'patched', labels: { a: 'b' } } },
    ]);
    expect([same.status, same.body.metadata.labels, same.body.data]).toEqual([200, { a: 'b' }, undefined]);
  });

  test.each<[Engine, unknown]>([
    ['strategic', { apiVersion: null, kind: null }],
    ['merge', { kind: null }],
  ])('by %s that takes something else away changes nothing: %j', async (engine, body) => {
    const answer = await patch(engine, path, body);
    expect([answer.status, answer.body.kind, answer.body.data]).toEqual([200, 'ConfigMap', { k: 'v' }]);
  });

  test.each<[Engine, unknown]>([
    ['merge', 'null'],
    ['merge', '[]'],
    ['merge', '"x"'],
    ['merge', '{"a":'],
    ['strategic', '[]'],
    ['strategic', '{"a":'],
    ['json', '{}'],
    ['json', '[1]'],
    ['json', '[{"op":"add","path":1}]'],
    ['json', '[{'],
    ['strategic', { $retainKeys: 'data' }],
    ['strategic', { $deleteFromPrimitiveList: ['a'] }],
    ['merge', { metadata: { name: null } }],
    ['merge', { metadata: { name: 'other' } }],
    ['merge', { metadata: { namespace: 'other' } }],
    ['strategic', { $patch: 'delete' }],
  ])('by %s that is none, or names another object, is a bad request: %j', async (engine, body) => {
    const answer = await patch(engine, path, body);
    expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
  });

  test.each<[Engine, unknown, object]>([
    ['json', 'null', { k: 'v' }],
    ['strategic', 'null', { k: 'v' }],
    ['strategic', { kind: 'Secret', data: { l: 'w' } }, { k: 'v', l: 'w' }],
    ['json', [{ op: 'copy', from: '/data/k', path: '/data/l' }], { k: 'v', l: 'v' }],
    ['json', [{ op: 'move', from: '/data/k', path: '/data/l' }], { l: 'v' }],
    ['json', [{ op: 'replace', path: '/data/new', value: '1' }], { k: 'v', new: '1' }],
    ['strategic', { data: { $patch: 'replace', n: '1' } }, { n: '1' }],
    ['strategic', { data: { $retainKeys: ['n'], n: '1' } }, { n: '1' }],
  ])('by %s, %j, leaves the data %j', async (engine, body, data) => {
    const answer = await patch(engine, path, body);
    expect([answer.status, answer.body.kind, answer.body.data]).toEqual([200, 'ConfigMap', data]);
  });

  test.each<[Engine, unknown]>([
    ['merge', { metadata: { uid: 'another' } }],
    ['json', [{ op: 'replace', path: '/metadata/uid', value: 'another' }]],
    ['apply', configMap('patched', {}, { uid: 'another' })],
  ])('by %s cannot change the uid, which is no condition either', async (engine, body) => {
    const answer = await patch(engine, path, body);
    expect([answer.status, causes(answer)]).toEqual([422, ['metadata.uid', 'metadata.uid']]);
    const put = await api.put(path, configMap('patched', {}, { uid: 'another' }));
    expect([put.status, put.body.reason]).toEqual([409, 'Conflict']);
  });

  test.each<Engine>(['json', 'merge', 'strategic'])(
    'by %s that is broken is looked at when there is one',
    async (engine) => {
      expect((await patch(engine, path, '{{')).status).toBe(400);
      expect((await patch(engine, `${configMaps}/nowhere`, '{{')).status).toBe(404);
    },
  );

  test('a create that says it is being deleted is no such thing, and owns nothing of it', async () => {
    const metadata = { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 };
    const { body } = await api.post(`${configMaps}?dryRun=All`, configMap('deleted', { a: '1' }, metadata));
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect(body.metadata.managedFields[0].fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:a': {} } });
  });

  test('a PUT has to name it', async () => {
    const answer = await api.put(path, { data: {} });
    expect(answer.body.message).toBe(
      'the name of the object (patched based on URL) was undeterminable: name must be provided',
    );
  });

  test('findings: those of the text first, then unknown fields in alphabetical order', async () => {
    const text = '{"zap":2,"data":{"a":"1","a":"2"},"metadata":{"nope":1}}';
    const warned = await patch('merge', path, text);
    expect(warnings(warned)).toBe(
      ['duplicate field \\"data.a\\"', 'unknown field \\"metadata.nope\\"', 'unknown field \\"zap\\"']
        .map((one) => `299 - "${one}"`)
        .join(', '),
    );
  });

  test.each([
    ['[{"op":"add","path":"/data/z","value":"1","foo":2}]', 'json patch unknown field "[0].foo"'],
    ['[{"op":"add","op":"add","path":"/data/z","value":"1"}]', 'json patch duplicate field "[0].op"'],
  ])('operations of %s are looked at too', async (text, finding) => {
    const strict = await patch('json', path, text, '&fieldValidation=Strict');
    expect(strict.status).toBe(422);
    expect(strict.body.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{/);
    expect(strict.body.message).toContain(`: strict decoding error: ${finding}`);
    expect(warnings(await patch('json', path, text))).toBe(`299 - ${JSON.stringify(finding)}`);
    expect(warnings(await patch('json', path, text, '&fieldValidation=Ignore'))).toBeNull();
  });

  test('owners that are named twice are kept once, with a warning', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    const metadata = { ownerReferences: [owner, owner, { ...owner, name: 'p' }] };
    const kept = [owner, { ...owner, name: 'p' }];
    const merged = await patch('merge', path, { metadata }, '&dryRun=All');
    expect(merged.body.metadata.ownerReferences).toEqual(kept);
    expect(warnings(merged)).toContain('duplicate entries after mutating admission happens; ');
    for (const answer of [
      await api.put(`${path}?dryRun=All`, configMap('patched', {}, metadata)),
      await api.post(`${configMaps}?dryRun=All`, configMap('owned', {}, metadata)),
    ]) {
      expect(answer.body.metadata.ownerReferences).toEqual(kept);
      expect(warnings(answer)).toContain('duplicate entries; ');
      expect(warnings(answer)).toContain('duplicate UID(s) observed: u"');
    }
  });
});

test('unknown fields of YAML are told in alphabetical order', async () => {
  const body = 'metadata:\n  name: sorted\n  zzz: 1\n  aaa: 1\nkind: ConfigMap\nbogus: 1\n';
  const yaml = { 'content-type': 'application/yaml' };
  const answer = await api.call('POST', `${configMaps}?fieldValidation=Strict`, body, yaml);
  expect(answer.body.message).toMatch(
    /: unknown field "bogus", unknown field "metadata.aaa", unknown field "metadata.zzz"$/,
  );
});

describe('repeated keys of YAML', () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n  a: "2"\nodd: 1\n';
  const finding = 'line 7: key "a" already set in map';

  test('of a body are told by their line, before unknown fields', async () => {
    const strict = await api.call('POST', `${configMaps}?fieldValidation=Strict`, yaml, {
      'content-type': 'application/yaml',
    });
    expect(strict.body.message).toMatch(
      `strict decoding error: yaml: unmarshal errors:\n  ${finding}, unknown field "odd"`,
    );
    const warned = await api.call('POST', configMaps, yaml, { 'content-type': 'application/yaml' });
    expect(warnings(warned)).toBe(`299 - ${JSON.stringify(finding)}, 299 - "unknown field \\"odd\\""`);
  });

  test('of a configuration too, when it is JSON and after conflicts', async () => {
    const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const path = `${configMaps}/twice`;
    const strict = await patch('apply', path, text, '&fieldValidation=Strict');
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key "a" already set in map',
    ]);
    expect(warnings(await patch('apply', path, text))).toBe('299 - "line 1: key \\"a\\" already set in map"');
    await api.patch('merge', path, { data: { a: '3' } });
    expect((await patch('apply', path, text, '&fieldValidation=Strict')).status).toBe(409);
  });
});

describe('what a patch says is what is there afterwards', () => {
  const word = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const data = fc.dictionary(word, word);
  const change = fc.dictionary(word, fc.option(word));
  const path = `${configMaps}/drawn`;
  const patches: Readonly<Record<string, (wanted: Record<string, string | null>) => [Engine, unknown]>> = {
    'merge patch': (wanted) => ['merge', { data: wanted }],
    'strategic merge patch': (wanted) => ['strategic', { data: wanted }],
    'JSON patch': (wanted) => [
      'json',
      Object.entries(wanted).flatMap(([key, value]) => [
        { op: 'add', path: `/data/${key}`, value: value ?? '' },
        ...(value === null ? [{ op: 'remove', path: `/data/${key}` }] : []),
      ]),
    ],
  };

  test.each(Object.keys(patches))('by %s', async (name) => {
    await api.post(configMaps, configMap('drawn'));
    await fc.assert(
      fc.asyncProperty(data, change, async (before, wanted) => {
        await api.put(path, configMap('drawn', { kept: '1', ...before }));
        const [engine, body] = patches[name]?.(wanted) ?? [];
        const answer = await patch(engine as Engine, path, body);
        const expected = new Map(
          Object.entries({ kept: '1', ...before, ...wanted }).filter(([, value]) => value !== null),
        );
        expect(new Map(Object.entries(answer.body.data))).toEqual(expected);
        expect((await api.get(path)).body).toEqual(answer.body);
      }),
      { numRuns: 40 },
    );
  });
});

test('stringData of a Secret is data, and so are its owners, except for an apply that speaks of stringData', async () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const owned = ({ body }: Answer) => body.metadata.managedFields.map((one: { fieldsV1: object }) => one.fieldsV1);
  const made = await api.post(secrets, { metadata: { name: 'made' }, stringData: { a: 'x' } });
  expect(owned(made)).toEqual([{ 'f:data': { '.': {}, 'f:a': {} }, 'f:type': {} }]);
  const config = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'applied' }, stringData: { a: 'x' } };
  const applied = await patch('apply', `${secrets}/applied`, config);
  expect([applied.body.data, owned(applied)]).toEqual([{ a: 'eA==' }, [{ 'f:stringData': { 'f:a': {} } }]]);
});

describe('scale', () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const scale = `${deployments}/scaled/scale`;
  const wanted = (replicas: number, more: object = {}) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    spec: { replicas, ...more },
  });

  beforeAll(async () => {
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await api.post(deployments, {
      metadata: { name: 'scaled' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
  });

  test.each<[Engine, unknown]>([
    ['merge', { spec: { replicas: 'x' } }],
    ['strategic', { spec: { replicas: 'x' } }],
    ['json', [{ op: 'replace', path: '/spec/replicas', value: 'x' }]],
  ])('a patch by %s that makes no Scale of it is invalid', async (engine, body) => {
    const answer = await patch(engine, scale, body);
    expect([answer.status, causes(answer)]).toEqual([422, ['patch']]);
  });

  test('names another object by its uid', async () => {
    const patched = await patch('merge', scale, { metadata: { uid: 'x' } });
    expect([patched.status, patched.body.details.kind]).toEqual([409, 'deployments/scale']);
    const put = await api.put(scale, { metadata: { name: 'scaled', uid: 'x' }, spec: { replicas: 2 } });
    expect([put.status, put.body.details.kind]).toEqual([409, 'deployments']);
  });

  test('applied without a name is that of the URL, and conflicts are told in its version', async () => {
    await patch('merge', scale, { spec: { replicas: 2 } });
    const conflict = await patch('apply', scale, wanted(3));
    expect(conflict.body.details.causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "m" with subresource "scale" using autoscaling/v1',
        field: '.spec.replicas',
      },
    ]);
    expect((await patch('apply', scale, wanted(3), '&force=true')).body.spec).toEqual({ replicas: 3 });
    expect((await patch('apply', scale, { ...wanted(3), metadata: { name: 'other' } })).status).toBe(400);
    const misfit = await patch('apply', scale, wanted(3, { odd: 1 }));
    expect([misfit.status, misfit.body.message]).toEqual([
      500,
      'failed to create typed patch object (/; autoscaling/v1, Kind=Scale): .spec.odd: field not declared in schema',
    ]);
  });
});

describe('a whole number with a fraction', () => {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/whole';
  beforeAll(async () => {
    await api.post(path.slice(0, -'/whole'.length), { metadata: { name: 'whole' } });
  });

  test.each<[Engine, string]>([
    ['merge', '{"spec":{"leaseDurationSeconds":1.0}}'],
    ['json', '[{"op":"add","path":"/spec/leaseDurationSeconds","value":1.0}]'],
    ['json', '[{"op":"add","path":"/spec","value":{"leaseDurationSeconds":1.0}}]'],
  ])('is no integer in a %s patch: %s', async (engine, body) => {
    const refused = await patch(engine, path, body);
    expect([refused.status, causes(refused)]).toEqual([422, ['patch']]);
    expect(refused.body.message).toContain(
      'json: cannot unmarshal number 1.0 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    );
  });

  test('is one in a strategic merge patch and in an apply', async () => {
    const merged = await patch('strategic', path, '{"spec":{"leaseDurationSeconds":2.0}}');
    expect(merged.body.spec).toEqual({ leaseDurationSeconds: 2 });
    const typeMeta = '"apiVersion":"coordination.k8s.io/v1","kind":"Lease"';
    const config = `{${typeMeta},"metadata":{"name":"whole"},"spec":{"leaseDurationSeconds":1.0}}`;
    expect((await patch('apply', path, config, '&force=true')).body.spec).toEqual({ leaseDurationSeconds: 1 });
  });

  test('is one nowhere when it is none', async () => {
    for (const engine of ['merge', 'strategic'] as const)
      expect((await patch(engine, path, '{"spec":{"leaseDurationSeconds":1.5}}')).status).toBe(422);
  });

  test('goes through the scale of an object in the same way', async () => {
    const scale = '/apis/apps/v1/namespaces/default/deployments/scaled/scale';
    const refused = await patch('json', scale, '[{"op":"replace","path":"/spec/replicas","value":2.0}]');
    expect([refused.status, causes(refused)]).toEqual([422, ['patch']]);
  });
});

test('an amount that is no number does not fit, although its form does', async () => {
  const config = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'odd' },
    spec: { limits: [{ type: 'Container', max: { cpu: 'much' } }] },
  };
  const answer = await patch('apply', '/api/v1/namespaces/default/limitranges/odd', config);
  expect([answer.status, answer.body.reason]).toEqual([500, undefined]);
  expect(answer.body.message).toContain(
    'failed to convert new object (/odd; /v1, Kind=LimitRange) to proper version: ',
  );
});

describe('what a write of status leaves alone has no owner', () => {
  const ownedByStatus = ({ body }: Answer) =>
    (body.metadata.managedFields as { subresource?: string; fieldsV1: object }[])
      .filter(({ subresource }) => subresource === 'status')
      .map(({ fieldsV1 }) => fieldsV1);

  test('labels of a Deployment', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments/scaled/status';
    const answer = await patch('merge', path, { metadata: { labels: { a: '1' } }, status: { replicas: 1 } });
    expect(answer.body.metadata.labels).toBeUndefined();
    expect(ownedByStatus(answer)).toEqual([{ 'f:status': { 'f:replicas': {} } }]);
  });

  test('all metadata of a VolumeAttachment', async () => {
    const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
    const spec = { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } };
    const made = await api.post(attachments, { metadata: { name: 'a', labels: { kept: '1' } }, spec });
    expect(made.status).toBe(201);
    const { resourceVersion } = made.body.metadata;
    const answer = await patch('merge', `${attachments}/a/status`, {
      metadata: { resourceVersion, labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['example.com/c'] },
      status: { attached: true },
    });
    expect(answer.status).toBe(200);
    const { labels, annotations, finalizers } = answer.body.metadata;
    expect({ labels, annotations, finalizers }).toEqual({ labels: { kept: '1' } });
    expect(ownedByStatus(answer)).toEqual([{ 'f:status': { 'f:attached': {} } }]);
  });
});
