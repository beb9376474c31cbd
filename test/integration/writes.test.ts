// What every write promises (spec: Dry-run, Field validation, managedFields entry, Server-side apply), whatever its verb.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const applyType = { 'content-type': 'application/apply-patch+yaml' };
const apply = (path: string, body: unknown) => api.call('PATCH', `${path}fieldManager=m`, body, applyType);
const deployments = '/apis/apps/v1/namespaces/default/deployments';

/** Every way to write an object that exists, with a query of the test's choice. */
const writes: Record<string, (name: string, query: string, body: object) => Promise<Answer>> = {
  create: (name, query, body) => api.post(`${configMaps}?${query}`, { ...body, metadata: { name: `${name}-new` } }),
  update: (name, query, body) => api.put(`${configMaps}/${name}?${query}`, body),
  'merge patch': (name, query, body) => api.patch('merge', `${configMaps}/${name}?${query}`, body),
  'strategic merge patch': (name, query, body) => api.patch('strategic', `${configMaps}/${name}?${query}`, body),
  'JSON patch': (name, query, body) => {
    const change = Object.entries(body).map(([key, value]) => ({ op: 'add', path: `/${key}`, value }));
    return api.patch('json', `${configMaps}/${name}?${query}`, change);
  },
  apply: (name, query, body) => apply(`${configMaps}/${name}?${query}&`, { ...configMap(name), ...body }),
};

describe('a dry run', () => {
  test('of every verb answers as the real request and leaves no trace, not even for a watch', async () => {
    const { body: before } = await api.post(configMaps, configMap('tried', { color: 'blue' }));
    const { resourceVersion } = (await api.get(configMaps)).body.metadata;
    // a controller makes that one in its own time
    const others = `fieldSelector=${encodeURIComponent('metadata.name!=kube-root-ca.crt')}`;
    const watch = await server.fetch(`${configMaps}?watch=1&${others}&resourceVersion=${resourceVersion}`);
    const reader = (watch.body as ReadableStream<Uint8Array>).getReader();
    const body = { metadata: { name: 'tried' }, data: { color: 'red' } };
    for (const [verb, write] of Object.entries(writes)) {
      const { status, body: shown } = await write('tried', `dryRun=All${verb === 'apply' ? '&force=true' : ''}`, body);
      expect([verb, status, shown.data]).toEqual([verb, verb === 'create' ? 201 : 200, { color: 'red' }]);
    }
    expect((await api.delete(`${configMaps}/tried?dryRun=All`)).status).toBe(200);
    expect((await api.delete(`${configMaps}?dryRun=All`)).body.items.length).toBeGreaterThan(0);
    expect((await api.get(`${configMaps}/tried`)).body).toEqual(before);

    await api.post(configMaps, configMap('real'));
    const first = JSON.parse(
      Buffer.from((await reader.read()).value ?? [])
        .toString()
        .split('\n', 1)[0] ?? '',
    );
    expect([first.type, first.object.metadata.name]).toEqual(['ADDED', 'real']);
    await reader.cancel();
  });

  test.each(Object.keys(writes))('of %s with another value than All is refused', async (verb) => {
    await api.post(configMaps, configMap('odd-run'));
    const answer = await writes[verb]?.('odd-run', 'dryRun=Some', { data: {} });
    expect([answer?.status, answer?.body.details.causes[0].field]).toEqual([422, 'dryRun']);
  });

  test('makes up a name, a uid and a time, and refuses what the real request would', async () => {
    const { status, body } = await api.post(`${configMaps}?dryRun=All`, { metadata: { generateName: 'some-' } });
    expect([status, body.metadata.name]).toEqual([201, expect.stringMatching(/^some-[a-z0-9]{5}$/)]);
    expect([body.metadata.uid, body.metadata.creationTimestamp].every((text) => typeof text === 'string')).toBe(true);
    await api.post(configMaps, configMap('taken'));
    expect((await api.post(`${configMaps}?dryRun=All`, configMap('taken'))).status).toBe(409);
    expect((await api.post(`${configMaps}?dryRun=All`, configMap('Not Valid'))).status).toBe(422);
    const late = { ...configMap('taken'), metadata: { name: 'taken', resourceVersion: '1' } };
    expect((await api.put(`${configMaps}/taken?dryRun=All`, late)).status).toBe(409);
    expect((await api.delete(`${configMaps}/missing?dryRun=All`)).status).toBe(404);
  });

  test('needs the same rights as the real request', async () => {
    await api.post(configMaps, configMap('guarded'));
    const as = { 'impersonate-user': 'stranger' };
    for (const query of ['', '?dryRun=All']) {
      const refused = [
        await api.call('POST', `${configMaps}${query}`, configMap('x'), as),
        await api.call('PUT', `${configMaps}/guarded${query}`, configMap('guarded'), as),
        await api.call('DELETE', `${configMaps}/guarded${query}`, undefined, as),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
  });
});

describe('field validation', () => {
  const levels = ['Ignore', 'Warn', 'Strict', ''];
  const query = (level: string) => (level === '' ? '' : `fieldValidation=${level}`);

  test.each(levels)('of level %j refuses a wrong type, and a required field that is missing', async (level) => {
    const wrong = await api.post(`${configMaps}?${query(level)}`, { ...configMap('typed'), data: [], odd: 1 });
    expect([wrong.status, wrong.body.reason]).toEqual([400, 'BadRequest']);
    const spec = { template: { spec: { containers: [] } } };
    const missing = await api.post(`${deployments}?${query(level)}`, { metadata: { name: 'd' }, spec });
    expect([missing.status, missing.body.reason]).toEqual([422, 'Invalid']);
    expect(missing.body.details.causes.map(({ field }: { field: string }) => field)).toContain('spec.selector');
  });

  test.each(Object.keys(writes).filter((verb) => verb !== 'apply'))('is done by %s', async (verb) => {
    const name = `fields-${verb.toLowerCase().replaceAll(' ', '-')}`;
    await api.post(configMaps, configMap(name));
    const write = (level: string) => {
      // what was created under one level is in the way of the next
      const body = { ...(verb === 'update' ? configMap(name) : {}), odd: 1, strange: { deep: true } };
      return writes[verb]?.(name, `dryRun=All&${query(level)}`, body) as Promise<Answer>;
    };
    const warned = ['unknown field "odd"', 'unknown field "strange"'];
    for (const level of ['', 'Warn']) {
      const { status, headers } = await write(level);
      expect([level, status < 300]).toEqual([level, true]);
      const found = headers.get('warning')?.match(/unknown field \\"\w+\\"/g) ?? [];
      expect(found.map((text) => text.replaceAll('\\', ''))).toEqual(warned);
    }
    const ignored = await write('Ignore');
    expect([ignored.status < 300, ignored.headers.get('warning')]).toEqual([true, null]);
    const strict = await write('Strict');
    expect(strict.status).toBe(verb.endsWith('atch') ? 422 : 400);
    for (const text of warned) expect(strict.body.message).toContain(text);
  });

  test('by apply knows no unknown fields at any level: there is nothing to merge them into', async () => {
    for (const level of levels) {
      const answer = await apply(`${configMaps}/a?${query(level)}&`, { ...configMap('a'), odd: 1 });
      expect([answer.status, answer.body.message]).toEqual([500, expect.stringContaining('.odd: field not declared')]);
    }
  });

  test('tells keys that repeat, which are read into what the first one has set', async () => {
    const body = (name: string) =>
      `{"metadata":{"name":"${name}","labels":{"a":"1"}},"metadata":{"labels":{"b":"2"}},"data":{"k":"1","k":"2"},"data":{"l":"3"}}`;
    const warned = await api.call('POST', configMaps, body('joined'));
    expect([warned.body.metadata.labels, warned.body.data]).toEqual([
      { a: '1', b: '2' },
      { k: '2', l: '3' },
    ]);
    const told = ['metadata', 'data.k', 'data'].map((path) => `duplicate field \\"${path}\\"`);
    for (const text of told) expect(warned.headers.get('warning')).toContain(text);
    const ignored = await api.call('PUT', `${configMaps}/joined?fieldValidation=Ignore`, body('joined'));
    expect([ignored.headers.get('warning'), ignored.body.data]).toEqual([null, { k: '2', l: '3' }]);
    const strict = await api.call('PUT', `${configMaps}/joined?fieldValidation=Strict`, body('joined'));
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata", duplicate field "data.k", duplicate field "data"',
    ]);
    const wrong = await api.call('POST', configMaps, '{"metadata":{"name":"x"},"immutable":1,"immutable":true}');
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('cannot unmarshal number into')]);
  });

  test('of a level that does not exist is refused', async () => {
    const { status, body } = await api.post(`${configMaps}?fieldValidation=Loud`, configMap('loud'));
    expect([status, body.details.causes[0].field]).toEqual([422, 'fieldValidation']);
  });
});

describe('what the server owns', () => {
  test.each(['merge patch', 'strategic merge patch', 'JSON patch'])('is kept by %s', async (verb) => {
    const name = `owned-${verb.toLowerCase().replaceAll(' ', '-')}`;
    const { metadata } = (await api.post(configMaps, configMap(name, { a: '1' }))).body;
    // a JSON patch puts a whole value in place of the old one
    const change = (own: object) =>
      writes[verb]?.(name, '', { metadata: verb === 'JSON patch' ? { ...metadata, ...own } : own }) as Promise<Answer>;
    const { status, body } = await change({ generation: 7, selfLink: '/x', creationTimestamp: '2001-01-01T00:00:00Z' });
    expect([status, body.metadata]).toEqual([200, metadata]);
    expect((await change({ deletionGracePeriodSeconds: 5 })).status).toBe(422);
    expect((await change({ name: 'other' })).status).toBe(400);
    expect((await change({ uid: 'x' })).status).toBe(422);
    expect((await change({ resourceVersion: '1' })).status).toBe(409);
    expect((await api.get(`${configMaps}/${name}`)).body.metadata).toEqual(metadata);
  });

  test('of managedFields: an entry says who, how, in which version, when and what', async () => {
    const { body } = await apply(`${configMaps}/entry?`, configMap('entry', { a: '1' }));
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]);
    const carried = { ...configMap('entry'), metadata: { name: 'entry', managedFields: body.metadata.managedFields } };
    const refused = await apply(`${configMaps}/entry?`, carried);
    expect([refused.status, refused.body.message]).toEqual([400, 'metadata.managedFields must be nil']);
  });
});

describe('what the server writes by itself is owned', () => {
  const statusManager = (path: string) =>
    eventually(async () => {
      const { body } = await api.get(path);
      const entries: { manager: string; subresource?: string }[] = body.metadata.managedFields;
      const entry = entries.find(({ subresource }) => subresource === 'status');
      expect(entry).toBeDefined();
      return entry?.manager;
    });

  test('by kube-controller-manager, where that has the controller', async () => {
    const path = '/api/v1/namespaces/default/resourcequotas';
    await api.post(path, {
      metadata: { name: 'counted' },
      spec: { hard: { 'count/leases.coordination.k8s.io': '1' } },
    });
    expect(await statusManager(`${path}/counted`)).toBe('kube-controller-manager');
    await api.delete(`${path}/counted`);
  });

  test('by kube-apiserver otherwise', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const schema = { openAPIV3Schema: { type: 'object' } };
    await api.post(path, {
      metadata: { name: 'owned.example.com' },
      spec: {
        ...{ group: 'example.com', scope: 'Cluster', names: { plural: 'owned', kind: 'Owned' } },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    expect(await statusManager(`${path}/owned.example.com`)).toBe('kube-apiserver');
    await api.delete(`${path}/owned.example.com`);
  });
});

describe('managedFields that a client sends', () => {
  const entry = {
    manager: 'x',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2001-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    // the manager that creates an object owns what it has
    fieldsV1: { 'f:data': { 'f:k': {}, 'f:elsewhere': {} } },
  };
  const path = `${configMaps}/told`;
  const told = (managedFields: unknown, verb: string): Promise<Answer> => {
    if (verb === 'update') return api.put(path, configMap('told', { k: '1' }, { managedFields }));
    if (verb === 'create')
      return api.post(`${configMaps}?dryRun=All`, configMap('told-new', { k: '1' }, { managedFields }));
    if (verb === 'merge patch') return api.patch('merge', path, { metadata: { managedFields } });
    return api.patch('json', path, [{ op: 'replace', path: '/metadata/managedFields', value: managedFields }]);
  };
  const verbs = ['create', 'update', 'merge patch', 'JSON patch'];
  beforeEach(async () => {
    await api.delete(path);
    await api.post(`${configMaps}?fieldManager=real`, configMap('told', { k: '1' }));
  });
  const managers = ({ body }: Answer): string[] =>
    (body.metadata.managedFields ?? []).map(({ manager }: { manager: string }) => manager);

  test.each(verbs)('are believed by %s', async (verb) => {
    const answer = await told([entry], verb);
    expect(managers(answer)[0]).toBe('x');
  });

  test.each([
    ['another operation', { ...entry, operation: 'Delete' }],
    ['no operation', { ...entry, operation: undefined }],
    ['no version', { ...entry, apiVersion: '' }],
    ['no type of fields', { ...entry, fieldsType: undefined }],
    ['another type of fields', { ...entry, fieldsType: 'FieldsV2' }],
    ['fields that are none', { ...entry, fieldsV1: { data: {} } }],
    ['fields that are no object', { ...entry, fieldsV1: { 'f:data': 1 } }],
  ])('with %s are as good as none', async (_, odd) => {
    for (const verb of verbs) {
      const answer = await told([entry, odd], verb);
      expect([verb, answer.status, managers(answer)]).toEqual([
        verb,
        verb === 'create' ? 201 : 200,
        verb === 'create' ? ['unknown'] : ['real'],
      ]);
    }
  });

  test.each([
    ['a long manager', { ...entry, manager: 'm'.repeat(129) }, 'manager', 'Too long: may not be more than 128 bytes'],
    [
      'an unprintable manager',
      { ...entry, manager: 'a\u0007' },
      'manager',
      'Invalid value: "a\\a": invalid character U+0007 (at position 1)',
    ],
    [
      'a long subresource',
      { ...entry, subresource: 's'.repeat(257) },
      'subresource',
      'Too long: may not be more than 256 bytes',
    ],
  ])('with %s are invalid', async (_, odd, field, message) => {
    for (const verb of verbs) {
      const { status, body } = await told([odd], verb);
      const [cause] = body.details.causes;
      const expected = [422, `metadata.managedFields[0].${field}`, message];
      expect([verb, status, cause.field, cause.message]).toEqual([verb, ...expected]);
    }
  });

  test('of other types than they have are refused like any field', async () => {
    for (const odd of [{ ...entry, manager: 1 }, { ...entry, time: 'noon' }, 'x']) {
      expect((await told([odd], 'update')).status).toBe(400);
      expect((await told([odd], 'merge patch')).status).toBe(422);
    }
  });
});

describe('amounts', () => {
  const classes = '/apis/node.k8s.io/v1/runtimeclasses';
  const runtimeClass = (name: string, cpu: unknown) => ({
    kind: 'RuntimeClass',
    apiVersion: 'node.k8s.io/v1',
    metadata: { name },
    handler: 'h',
    overhead: { podFixed: { cpu } },
  });
  const applyAs = (manager: string, name: string, cpu: unknown, query = '') =>
    api.call('PATCH', `${classes}/${name}?fieldManager=${manager}${query}`, runtimeClass(name, cpu), applyType);

  test.each([
    ['0.5', '500m'],
    [0.5, '500m'],
    ['1000m', '1'],
    ['100e1', '1e3'],
    ['1024Ki', '1Mi'],
    ['1.500', '1.500'],
    ['1.2345', '1234500u'],
    ['1.234567', '1.234567'],
    [' 2 ', '2'],
  ])('%j are written back as %s by every kind of write', async (given, shown) => {
    const name = 'amount';
    await api.delete(`${classes}/${name}`);
    const other = { overhead: { podFixed: { cpu: '7' } } };
    const answers = [await api.post(classes, runtimeClass(name, given))];
    for (const kind of ['merge', 'strategic'] as const) {
      await api.patch('merge', `${classes}/${name}`, other);
      answers.push(await api.patch(kind, `${classes}/${name}`, { overhead: { podFixed: { cpu: given } } }));
    }
    await api.patch('merge', `${classes}/${name}`, other);
    const replace = [{ op: 'replace', path: '/overhead/podFixed/cpu', value: given }];
    answers.push(await api.patch('json', `${classes}/${name}`, replace));
    answers.push(await applyAs('a', name, given, '&force=true'));
    expect(answers.map(({ body }) => body.overhead?.podFixed.cpu ?? body.message)).toEqual(answers.map(() => shown));
  });

  test('in another spelling change nothing: no write, and no owner of an update', async () => {
    const made = await api.post(`${classes}?fieldManager=a`, runtimeClass('same', '1'));
    const { resourceVersion } = made.body.metadata;
    const other = { ...runtimeClass('same', '1000m'), metadata: { name: 'same', resourceVersion } };
    const again = await api.call('PUT', `${classes}/same?fieldManager=b`, other);
    expect(again.body.metadata).toEqual(made.body.metadata);
  });

  test('applied again in the same odd spelling are no change', async () => {
    const first = await applyAs('a', 'odd', '1000m');
    const second = await applyAs('a', 'odd', '1000m');
    expect([second.body.overhead.podFixed.cpu, second.body.metadata]).toEqual(['1', first.body.metadata]);
  });

  test('of another manager are a conflict in another spelling, and shared in theirs', async () => {
    await applyAs('a', 'shared', '1');
    const conflict = await applyAs('b', 'shared', '1000m');
    expect([conflict.status, conflict.body.details.causes[0].field]).toEqual([409, '.overhead.podFixed.cpu']);
    const { status, body } = await applyAs('b', 'shared', '1');
    expect([status, body.metadata.managedFields.map(({ manager }: { manager: string }) => manager)]).toEqual([
      200,
      ['b', 'a'],
    ]);
  });

  test.each([
    ['much', 'quantities must match the regular expression'],
    ['1K', "unable to parse quantity's suffix"],
    [{}, 'quantities must match the regular expression'],
  ])('that are none are refused: %j', async (given, why) => {
    const { status, body } = await api.post(classes, runtimeClass('none', given));
    expect([status, body.message]).toEqual([400, expect.stringContaining(why)]);
  });
});
