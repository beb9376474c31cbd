import { describe, expect, test } from 'vitest';
import { configMaps, container, deployments, type Scenario, spec, template } from './scenario.ts';

describe('an apply', () => {
  test('creates, owning no containers of what it set', () => {
    configMaps()
      .apply('m', { data: { k: '1' } })
      .expectOwners({ 'm Apply': ['.data.k'] });
  });

  test('gives keys that an item leaves out their defaults', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }];
    const story = deployments().apply('m', {
      spec: { ...spec, template: { ...template, spec: { containers: [{ ...container, ports }] } } },
    });
    const paths = story.owners['m Apply']?.filter((path) => path.includes('ports'));
    expect(paths).toEqual([
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"]',
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="UDP"]',
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].containerPort',
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="UDP"].containerPort',
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="UDP"].protocol',
    ]);
  });

  test('owns what it sets to null or leaves empty', () => {
    configMaps()
      .apply('m', { data: null, immutable: null })
      .expectOwners({ 'm Apply': ['.data', '.immutable'] });
    configMaps()
      .apply('m', { data: {} })
      .expectOwners({ 'm Apply': ['.data'] });
  });

  test('null does not take away what others have set in a map', () => {
    configMaps()
      .apply('a', { data: { k: '1' } })
      .apply('b', { data: null })
      .expectFields({ data: { k: '1' } });
  });

  test('atomic values have one owner', () => {
    const story = deployments().apply('a', { spec });
    const error = story.refusal('b', { spec: { selector: { matchLabels: { other: 'x' } } } });
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.selector');
  });

  test('conflicts name owner, subresource and version', () => {
    const story = configMaps().update('u', { data: { k: '1' } });
    expect(story.refusal('b', { data: { k: '2' } }).message).toBe(
      'Apply failed with 1 conflict: conflict with "u" using v1: .data.k',
    );
    const status = configMaps().update('a', { data: { k: '1' } });
    status.change('s', { data: { k: '2' } }, 'status');
    expect(status.refusal('b', { data: { k: '3' } }).message).toBe(
      'Apply failed with 1 conflict: conflict with "s" with subresource "status" using v1: .data.k',
    );
  });

  test('keeps list items in the order of the configuration and others at their place', () => {
    const env = (...names: string[]) => names.map((name) => ({ name, value: name }));
    const pod = (list: object[]) => ({
      spec: { ...spec, template: { ...template, spec: { containers: [{ ...container, env: list }] } } },
    });
    const story = deployments()
      .apply('a', pod(env('1', '2', '3', '4')))
      .apply('b', pod(env('4', '5', '2')), { force: true });
    const containers = (story.object as unknown as { spec: typeof spec }).spec.template.spec.containers as unknown as [
      { env: { name: string }[] },
    ];
    expect(containers[0].env.map(({ name }) => name)).toEqual(['1', '3', '4', '5', '2']);
  });

  test('may not hold what the schema does not know, anywhere', () => {
    const error = deployments().refusal('m', { spec: { ...spec, foo: 1 }, top: 1 });
    expect(error.code).toBe(500);
    expect(error.message).toBe(
      'failed to create typed patch object (/x; apps/v1, Kind=Deployment): errors:\n  .spec.foo: field not declared in schema\n  .top: field not declared in schema',
    );
  });

  test.each([
    [{ spec: { replicas: 'three' } }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ spec: 1 }, '.spec: expected map, got &{1}'],
    [{ spec: { paused: 'x' } }, '.spec.paused: expected boolean, got &{x}'],
    [
      { metadata: { name: 'x', labels: { a: { b: 1 } } } },
      '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":1}}',
    ],
    [
      { metadata: { name: 'x', finalizers: ['a', null] } },
      ".metadata.finalizers: element 1: associative list without keys has an element that's an explicit null",
    ],
    [{ metadata: { name: 'x', finalizers: ['a', 'a'] } }, '.metadata.finalizers: duplicate entries for key [="a"]'],
    [
      { spec: { template: { spec: { containers: {} } } } },
      '.spec.template.spec.containers: expected list, got &{map[]}',
    ],
    [
      { spec: { template: { spec: { containers: [container, null] } } } },
      '.spec.template.spec.containers: element 1: associative list with keys may not have a null element',
    ],
    [
      { spec: { template: { spec: { containers: [container, container] } } } },
      '.spec.template.spec.containers: duplicate entries for key [name="c"]',
    ],
  ])('%j does not fit', (config, message) => {
    expect(deployments().refusal('m', config).message).toContain(message);
  });

  test('may leave out a key that is always written', () => {
    const { object } = deployments().apply('m', { spec: { template: { spec: { containers: [{ image: 'x' }] } } } });
    expect(object).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'x' }] } } } });
  });

  test('may not carry managedFields', () => {
    const error = configMaps().refusal('m', { metadata: { name: 'x', managedFields: [] } });
    expect(error).toMatchObject({ code: 400, message: 'metadata.managedFields must be nil' });
    const nothing = configMaps().apply('m', { metadata: { managedFields: null }, data: { k: '1' } });
    nothing.expectOwners({ 'm Apply': ['.data.k'] });
  });

  test('fields named like members of every object are data', () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as object;
    const story = configMaps().apply('a', { data });
    expect(Object.keys((story.object as unknown as { data: object }).data).sort()).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    expect(story.refusal('b', { data: { constructor: '9' } }).message).toContain('.data.constructor');
    story.apply('a', {}).expectFields({}).expectOwners({});
  });
});

describe('an apply that drops all of its metadata', () => {
  const labelled = { name: 'x', labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['c/d'] };

  test('leaves the object its name', () => {
    const story = configMaps().apply('m', { metadata: labelled, data: { k: '1' } });
    story.apply('m', { data: { k: '1' } }).expectOwners({ 'm Apply': ['.data.k'] });
    expect(story.object?.metadata).toMatchObject({ name: 'x' });
    expect(Object.keys(story.object?.metadata ?? {}).sort()).toEqual(['managedFields', 'name']);
    expect(story.apply('m', {}).object?.metadata).toEqual({ name: 'x' });
  });

  test('leaves to others what is theirs', () => {
    const story = configMaps()
      .apply('m', { metadata: labelled })
      .apply('n', { metadata: { name: 'x', labels: { a: '1' } } });
    expect(story.apply('m', {}).object?.metadata.labels).toEqual({ a: '1' });
    expect(story.object?.metadata.annotations).toBeUndefined();
  });
});

describe('the time of an apply', () => {
  const times = (story: Scenario) => Object.fromEntries(story.managers.map(({ manager, time }) => [manager, time]));

  test('is missing where it only agreed with what was there, until it changes something', () => {
    const story = configMaps().apply('a', { data: { k: '1' } });
    const first = times(story)['a'];
    expect(times(story.apply('b', { data: { k: '1' } }))).toEqual({ a: first });
    expect(story.managers.map(({ manager }) => manager)).toEqual(['b', 'a']);
    const { a, b } = times(story.apply('b', { data: { k: '1', l: '1' } }));
    expect([a, b !== undefined && b > (first as string)]).toEqual([first, true]);
  });

  test('stays when an owner gives up what others own too', () => {
    const story = configMaps()
      .apply('a', { data: { k: '1', l: '1' } })
      .apply('b', { data: { k: '1', m: '1' } });
    const before = times(story);
    story.apply('a', { data: { l: '1' } }).expectOwners({ 'a Apply': ['.data.l'], 'b Apply': ['.data.k', '.data.m'] });
    expect(times(story)).toEqual(before);
  });
});

test('conflicts are listed place by place, what is at one place before what is below it', () => {
  const pod = (image: string, port: number, replicas: number) => ({
    spec: {
      ...spec,
      replicas,
      template: {
        ...template,
        spec: {
          containers: [
            {
              ...container,
              image,
              env: [{ name: 'e', value: image }],
              ports: [9, 80].map((containerPort) => ({ containerPort, hostPort: port })),
            },
          ],
        },
      },
    },
  });
  const story = deployments().apply('a', pod('i', 1, 1));
  const item = '- .spec.template.spec.containers[name="c"]';
  expect(
    story
      .refusal('b', pod('j', 2, 2))
      .message.split('\n')
      .slice(1),
  ).toEqual([
    '- .spec.replicas',
    `${item}.image`,
    `${item}.env[name="e"].value`,
    `${item}.ports[containerPort=9,protocol="TCP"].hostPort`,
    `${item}.ports[containerPort=80,protocol="TCP"].hostPort`,
  ]);
});

describe('what client-side apply left behind', () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { k: '1', l: '1' } };
  const clientSide = (data: object) =>
    configMaps().update('kubectl-client-side-apply', {
      metadata: { name: 'x', annotations: { last: JSON.stringify(config) } },
      data,
    });

  test('is taken over without conflict by the same tool, and the annotation follows', () => {
    const story = clientSide({ k: '1', l: '1' }).apply('kubectl', { data: { k: '2', l: '1' } });
    const text = story.object?.metadata.annotations?.['last'] ?? '';
    expect(text).toBe('{"apiVersion":"v1","data":{"k":"2","l":"1"},"kind":"ConfigMap","metadata":{"name":"x"}}\n');
    expect(story.owners['kubectl Apply']).toEqual(['.data.k', '.data.l']);
  });

  test('loses the annotation where that would be too long, and keeps it empty where it was', () => {
    const long = { k: 'x'.repeat(257 * 1024), l: '1' };
    const story = clientSide({ k: '1', l: '1' }).apply('kubectl', { data: long });
    expect(story.object?.metadata.annotations).toBeUndefined();
    const empty = configMaps().update('m', { metadata: { name: 'x', annotations: { last: '' } } });
    expect(empty.apply('kubectl', { data: { k: '1' } }).object?.metadata.annotations).toEqual({ last: '' });
  });

  test('but not what another manager has changed since', () => {
    const story = clientSide({ k: '1', l: 'changed' });
    expect(story.refusal('kubectl', { data: { k: '2', l: '2' } }).details?.causes).toHaveLength(1);
  });

  test('and not by others', () => {
    expect(clientSide({ k: '1', l: '1' }).refusal('flux', { data: { k: '2' } }).code).toBe(409);
  });
});
