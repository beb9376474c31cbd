import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json/json.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { configMap } from '../groups/core/v1/config-map.ts';
import { event } from '../groups/core/v1/event.ts';
import type { ApiObject } from '../meta/object.ts';
import { configMaps, container, deployments, Scenario, spec, template } from './scenario.ts';
import { objectTopology } from './typed/object-topology.ts';

describe('a create', () => {
  test('records what was set, maps and lists with themselves', () => {
    const story = configMaps().update('curl', { metadata: { name: 'x', labels: { a: 'b' } }, data: { k: 'v' } });
    expect(story.managers).toEqual([
      {
        manager: 'curl',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:data': { '.': {}, 'f:k': {} },
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
        },
      },
    ]);
  });

  test('of a Deployment has the shape that clients know', () => {
    const story = deployments().update('kubectl-create', { metadata: { name: 'x' }, spec, status: { replicas: 3 } });
    expect(story.managers[0]?.fieldsV1).toEqual({
      'f:spec': {
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} },
            },
          },
        },
      },
    });
  });

  test('records neither zero values that every object has nor times that are not set', () => {
    const story = new Scenario({ type: event.type });
    story.update('kubelet', {
      involvedObject: { kind: 'Pod', name: 'p' },
      reason: 'Started',
      source: { component: 'kubelet' },
    });
    expect(story.managers[0]?.fieldsV1).toEqual({
      'f:involvedObject': {},
      'f:reason': {},
      'f:source': { 'f:component': {} },
    });
  });

  test('of an object with nothing in it has no managers', () => {
    expect(configMaps().update('curl', {}).managers).toEqual([]);
  });

  test('without a manager is by unknown', () => {
    expect(configMaps().update('', { data: { a: '1' } }).managers[0]?.manager).toBe('unknown');
  });
});

describe('times and order', () => {
  test('an update that takes nothing keeps its time; one that only removes does too', () => {
    const story = configMaps().update('a', { data: { k: '1', l: '2' } });
    story.change('a', { data: { k: '1', l: '2' } });
    expect(story.managers[0]?.time).toBe('2026-01-01T00:00:00Z');
    story.change('a', { data: { k: '1' } });
    expect(story.managers[0]?.time).toBe('2026-01-01T00:00:00Z');
    story.change('a', { data: { k: '9' } });
    expect(story.managers[0]?.time).toBe('2026-01-01T00:03:00Z');
  });

  test('those who apply come first, then the older ones', () => {
    const story = configMaps()
      .update('z', { data: { z: '1' } })
      .change('y', { data: { z: '1', y: '1' } })
      .apply('b', { data: { b: '1' } })
      .apply('a', { data: { a: '1' } });
    expect(story.managers.map(({ manager }) => manager)).toEqual(['b', 'a', 'z', 'y']);
  });

  test('the same name is another manager by another operation or subresource', () => {
    const story = configMaps()
      .update('m', { data: { a: '1' } })
      .apply('m', { data: { b: '1' } })
      .change('m', { data: { a: '1', b: '1', c: '1' } }, 'status');
    expect(story.managers.map(({ operation, subresource }) => [operation, subresource])).toEqual([
      ['Apply', undefined],
      ['Update', undefined],
      ['Update', 'status'],
    ]);
  });

  test('of more than ten updaters the oldest are merged', () => {
    const story = configMaps().update('m0', { data: { k0: '1' } });
    const data: Record<string, string> = { k0: '1' };
    for (let i = 1; i <= 12; i++) {
      data[`k${i}`] = '1';
      story.change(`m${i}`, { data: { ...data } });
    }
    const names = story.managers.map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names[0]).toBe('ancient-changes');
    expect(story.owners['ancient-changes Update']).toEqual(['.data', '.data.k0', '.data.k1', '.data.k2', '.data.k3']);
  });
});

describe('managedFields that a client sends', () => {
  const sent = [
    {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2001-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:k': {} } },
    },
  ];

  test('replace those of the object, before the change is looked at', () => {
    configMaps()
      .update('a', { data: { k: '1', l: '2' } })
      .update('b', { data: { k: '1', l: '3' } }, { given: sent })
      .expectOwners({ 'x Update': ['.data.k'], 'b Update': ['.data.l'] });
  });

  test.each([
    [[{ operation: 'Nonsense', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }]],
    [[{ operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: {} }]],
    [[{ operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2', fieldsV1: {} }]],
    [[{ operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { bad: {} } }]],
  ])('are ignored when they make no sense: %j', (given) => {
    configMaps()
      .update('a', { data: { k: '1' } })
      .update('b', { data: { k: '1' } }, { given })
      .expectOwners({ 'a Update': ['.data', '.data.k'] });
  });

  test('may have elements of a kind that is still to come, which are dropped', () => {
    const fieldsV1 = { 'f:data': { 'f:k': { 'x:?': {} }, 'y:1': { 'f:l': {} } }, 'z:': {} };
    configMaps()
      .update('a', { data: { k: '1' } })
      .update('b', { data: { k: '1' } }, { given: [{ ...sent[0], fieldsV1 }] })
      .expectOwners({ 'x Update': ['.data.k'] });
  });

  test('name a manager once: of several entries the last counts', () => {
    const other = { ...sent[0], fieldsV1: { 'f:data': { 'f:l': {} } } };
    const applied = (apiVersion: string) => ({ ...sent[0], operation: 'Apply', apiVersion });
    configMaps()
      .update('a', { data: { k: '1', l: '1' } })
      .update('b', { data: { k: '1', l: '1' } }, { given: [...sent, applied('v0'), other, applied('v1')] })
      .expectOwners({ 'x Apply': ['.data.k'], 'x Update': ['.data.l'] });
  });

  test.each(['Apply', 'Update'])('may be very many of %s', (operation) => {
    const time = (count: number) => {
      const story = configMaps().update('a', { data: { k: '1' } });
      const given = Array.from({ length: count }, (_, i) => ({
        ...sent[0],
        manager: `m${i}`,
        operation,
        fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
      }));
      const start = process.cpuUsage().user;
      story.update('b', { data: Object.fromEntries(given.map((_, i) => [`k${i}`, '1'])) }, { given });
      story.apply('m0', { data: { other: '1' } }, { force: true });
      return process.cpuUsage().user - start;
    };
    const best = (count: number) => Math.min(...Array.from({ length: 4 }, () => time(count)));
    // quadratic behaviour would make it a hundred times as much
    expect(best(5000)).toBeLessThan(50 * Math.max(best(500), 2000));
  });

  test('are ignored through a subresource', () => {
    const story = configMaps().update('a', { data: { k: '1' } });
    story.update('b', { data: { k: '1' } }, { given: sent, through: 'status' });
    story.expectOwners({ 'a Update': ['.data', '.data.k'] });
  });

  test('may reset everything, after which only an apply is recorded', () => {
    const story = configMaps().update('a', { data: { k: '1' } });
    story.update('b', { data: { k: '2' } }, { given: 'reset' }).expectOwners({});
    story.change('c', { data: { k: '3' } }).expectOwners({});
    story.apply('d', { data: { mine: 'd' } });
    story.expectOwners({ 'd Apply': ['.data.mine'], 'before-first-apply Update': ['.data', '.data.k'] });
  });

  test('by the letter of the specification, the other changes of a reset are owned', () => {
    const story = new Scenario({ type: configMap.type, tracksAlways: true }).update('a', { data: { k: '1', l: '1' } });
    story.update('b', { data: { k: '2', l: '1' } }, { given: 'reset' }).expectOwners({ 'b Update': ['.data.k'] });
  });

  test('by the letter of the specification, writes are recorded also of an object without managers', () => {
    const story = new Scenario({ type: configMap.type, tracksAlways: true }).update('a', { data: { k: '1' } });
    story.update('b', { data: { k: '1' } }, { given: 'reset' }).expectOwners({});
    story.change('c', { data: { k: '1', l: '1' } }).expectOwners({ 'c Update': ['.data.l'] });
  });
});

describe('other versions of a kind', () => {
  const old = 'v0';
  const rename = (object: object, from: string, to: string) => {
    const { [from]: value, ...rest } = object as Record<string, unknown>;
    return value === undefined ? rest : { ...rest, [to]: value };
  };
  // v0 calls binaryData what v1 calls data
  const versions = {
    topologyOf: (apiVersion: string) => (apiVersion === old ? objectTopology(configMap.type) : undefined),
    convert: (object: object, _: string, to: string) =>
      to === old ? rename(object, 'data', 'binaryData') : rename(object, 'binaryData', 'data'),
  };
  const story = () => new Scenario({ type: configMap.type, versions });
  const entry = (manager: string, operation: string, apiVersion: string, fieldsV1: object) => ({
    manager,
    operation,
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1,
  });
  const ownedInOld = { 'f:binaryData': { 'f:k': {} } };

  test('a field owned in another version conflicts all the same', () => {
    const it = story().update('a', { data: { k: '1' } });
    it.update('a', { data: { k: '1' } }, { given: [entry('o', 'Update', old, ownedInOld)] });
    expect(it.refusal('b', { data: { k: '2' } }).message).toContain('conflict with "o" using v0: .binaryData.k');
  });

  test('conflicting managers are told in the order of their entries, not of what is said of them', () => {
    const it = story().update('a', { data: { k: '1' } });
    const owned = { 'f:data': { 'f:k': {} } };
    const through = { ...entry('o', 'Update', 'v1', owned), subresource: 'status' };
    it.update('a', { data: { k: '1' } }, { given: [entry('o', 'Update', old, ownedInOld), through] });
    const { message } = it.refusal('b', { data: { k: '2' } });
    expect(message.split('\n').filter((line) => line.includes('conflicts'))).toEqual([
      'Apply failed with 2 conflicts: conflicts with "o" using v0:',
      'conflicts with "o" with subresource "status" using v1:',
    ]);
  });

  test('what was applied in another version is removed when it is no longer applied', () => {
    const it = story().update('a', { data: { k: '1', l: '1' } });
    it.update('a', { data: { k: '1', l: '1' } }, { given: [entry('o', 'Apply', old, ownedInOld)] });
    it.apply('o', { data: { m: '1' } }).expectFields({ data: { l: '1', m: '1' } });
    expect(it.managers.map(({ apiVersion }) => apiVersion)).toEqual(['v1']);
  });

  test('managers of a version that is gone own nothing', () => {
    const it = story().update('a', { data: { k: '1' } });
    const given = [entry('o', 'Update', 'gone/v1', ownedInOld), entry('p', 'Update', 'v1', { 'f:data': {} })];
    it.update('a', { data: { k: '1' } }, { given });
    it.expectOwners({ 'p Update': ['.data'] });
    it.apply('b', { data: { k: '2' } }).expectOwners({ 'b Apply': ['.data.k'], 'p Update': ['.data'] });
  });
});

test('long lists take time in proportion to their length', () => {
  const ports = (count: number) => Array.from({ length: count }, (_, index) => ({ containerPort: index + 1 }));
  const body = (count: number) => ({
    spec: { ...spec, template: { ...template, spec: { containers: [{ ...container, ports: ports(count) }] } } },
  });
  const time = (count: number) => {
    const story = deployments().apply('a', body(count));
    const start = process.cpuUsage();
    story
      .apply('b', body(count))
      .apply('b', body(count - 1))
      .change('c', { spec: body(count).spec });
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const best = (count: number) => Math.min(...[0, 1, 2].map(() => time(count)));
  // quadratic behaviour would make it a hundred times as much
  expect(best(5000)).toBeLessThan(50 * Math.max(best(500), 1000));
});

test('a decoded object is left as it was', () => {
  const value = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x' },
    data: { k: '1' },
  } as unknown as JsonObject;
  const { object } = decodeObject({ ...configMap, group: '', version: 'v1' }, value);
  const before = JSON.stringify(object);
  const story = configMaps();
  story.object = object as ApiObject;
  story.apply('a', { data: { k: '1', l: '2' } });
  expect(JSON.stringify(object)).toBe(before);
});
