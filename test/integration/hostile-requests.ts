// Bodies that are made to keep a server busy.

import { configMaps } from './api.ts';
import type { HostileRequest } from './hostile-bodies.ts';

export interface HostileBody {
  readonly title: string;
  /** What has to be there before. */
  readonly prepare?: HostileRequest;
  readonly request: (attempt: number) => HostileRequest;
  readonly status: number;
}

/** The most a body may have. */
const limit = 3 * 1024 * 1024;

const keyed = (count: number, member: (index: number) => string): string =>
  Array.from({ length: Math.floor(count) }, (_, index) => member(index)).join(',');

const mapWith = (name: string, members: string): string =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"}${members === '' ? '' : `,${members}`}}`;

/** As many members as fit into the largest body. */
function full(member: (index: number) => string): string {
  const members: string[] = [];
  for (let length = 200, index = 0; ; index++) {
    const next = member(index);
    length += next.length + 1;
    if (length > limit) return members.join(',');
    members.push(next);
  }
}

/** Just fewer than the values that a body may have, and as many bytes as that allows. */
const most = 65_000;
const long = 'x'.repeat(20);
const unknown = keyed(most, (index) => `"u${index}${long}":1`);
const repeated = keyed(most / 3, () => '"data":{"a":"b"}');
const pieces = keyed(20_000, (index) => `"data":{"k${index}":"b"}`);
const repeatedUnknown = keyed(most, (index) => `"u${index % 40_000}${long}":1`);
const repeatedDeep = `"data":{${keyed(most, (index) => `"k${index % 1000}":"v"`)}}`;

const deployments = '/apis/apps/v1/namespaces/default/deployments';

const env = (count: number, value: string) =>
  Array.from({ length: count }, (_, index) => ({ name: `NAME_${index}`, value: `${value}-${index}` }));

function deployment(name: string, count: number, value: string): object {
  const labels = { app: name };
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'main:1', env: env(count, value) }] },
      },
    },
  };
}

const many = 8000;
const create = (name: string): HostileRequest => ({
  path: `${deployments}?fieldManager=maker`,
  body: JSON.stringify(deployment(name, many, 'old')),
});
const patchOf = (name: string, query: string, type: string, body: unknown): HostileRequest => ({
  method: 'PATCH',
  path: `${deployments}/${name}${query}`,
  type: `application/${type}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A Deployment whose env entries have names that begin with a prefix. */
function renamed(name: string, prefix: string): object {
  const text = JSON.stringify(deployment(name, many, 'a'));
  return JSON.parse(text.replaceAll('"NAME_', `"${prefix}_`)) as object;
}

const applyOf = (name: string, prefix: string): HostileRequest =>
  patchOf(name, '?fieldManager=applier', 'apply-patch+yaml', renamed(name, prefix));

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

function emptyService(name: string): HostileRequest {
  const [version, ...group] = name.split('.');
  const spec = { version, group: group.join('.'), groupPriorityMinimum: 100, versionPriority: 15 };
  const service = { namespace: 'default', name: 'none' };
  const body = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name } };
  return {
    path: apiServices,
    body: JSON.stringify({ ...body, spec: { ...spec, insecureSkipTLSVerify: true, service } }),
  };
}

const conditions = (attempt: number) =>
  Array.from({ length: 15_000 }, (_, index) => ({ type: `T${index}`, status: 'True', reason: `R${attempt}` }));

const yamlLines = (count: number) => Array.from({ length: count }, (_, index) => `  k${index}: v${index}`).join('\n');
const yamlMap = (name: string) =>
  `kind: ConfigMap\napiVersion: v1\nmetadata: {name: ${name}}\ndata:\n${yamlLines(15_500)}\n`;

const emptyMap = (name: string): HostileRequest => ({ path: configMaps, body: mapWith(name, '') });
const patchMap = (name: string, type: string, body: string): HostileRequest => ({
  method: 'PATCH',
  path: `${configMaps}/${name}`,
  type: `application/${type}`,
  body,
});

/** Each begins with an object that has as many finalizers as it has operations. */
const inserts = (path: string, count: number, value: (index: number) => unknown) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ op: 'add', path, value: value(index) })));

export const hostileBodies: readonly HostileBody[] = [
  {
    title: '3 MB of unknown keys',
    request: () => ({
      path: configMaps,
      body: mapWith(
        'full',
        full((index) => `"u${index}":1`),
      ),
    }),
    status: 413,
  },
  {
    title: '3 MB of one key',
    request: () => ({
      path: configMaps,
      body: mapWith(
        'full',
        full(() => '"data":{"a":"b"}'),
      ),
    }),
    status: 413,
  },
  {
    title: '3 MB of empty objects in a patch',
    prepare: emptyMap('full-patch'),
    request: () => patchMap('full-patch', 'merge-patch+json', `{"data":[${full(() => '{}')}]}`),
    status: 413,
  },
  {
    title: '3 MB of numbers in an apply',
    request: () => patchMap('full-apply?fieldManager=a', 'apply-patch+yaml', `{"data":[${full(() => '1')}]}`),
    status: 413,
  },
  {
    title: '3 MB of half characters',
    request: () => ({
      path: configMaps,
      body: mapWith('full', `"data":{${full((index) => `"\\ud800${index}":"\\ud800"`)}}`),
    }),
    status: 413,
  },
  {
    title: 'one map in many pieces',
    request: (attempt) => ({ path: configMaps, body: mapWith(`pieces-${attempt}`, pieces) }),
    status: 201,
  },
  {
    title: 'unknown keys, refused',
    request: () => ({ path: `${configMaps}?fieldValidation=Strict`, body: mapWith('unknown', unknown) }),
    status: 400,
  },
  {
    title: 'unknown keys, warned about',
    request: (attempt) => ({ path: configMaps, body: mapWith(`unknown-${attempt}`, unknown) }),
    status: 201,
  },
  {
    title: 'unknown keys, ignored',
    request: (attempt) => ({
      path: `${configMaps}?fieldValidation=Ignore`,
      body: mapWith(`unknown-ignored-${attempt}`, unknown),
    }),
    status: 201,
  },
  {
    title: 'one key again and again, refused',
    request: () => ({ path: `${configMaps}?fieldValidation=Strict`, body: mapWith('repeated', repeated) }),
    status: 400,
  },
  {
    title: 'one key again and again, warned about',
    request: (attempt) => ({ path: configMaps, body: mapWith(`repeated-${attempt}`, repeated) }),
    status: 201,
  },
  {
    title: 'unknown keys that repeat, refused',
    request: () => ({ path: `${configMaps}?fieldValidation=Strict`, body: mapWith('both', repeatedUnknown) }),
    status: 400,
  },
  {
    title: 'unknown keys that repeat, warned about',
    request: (attempt) => ({ path: configMaps, body: mapWith(`both-${attempt}`, repeatedUnknown) }),
    status: 201,
  },
  {
    title: 'keys of a map that repeat',
    request: (attempt) => ({ path: configMaps, body: mapWith(`deep-${attempt}`, repeatedDeep) }),
    status: 201,
  },
  {
    title: 'unknown keys in the options of a delete',
    request: () => ({
      method: 'DELETE',
      path: `${configMaps}/absent`,
      body: `{"kind":"DeleteOptions","apiVersion":"v1",${repeatedUnknown}}`,
    }),
    status: 404,
  },
  {
    title: 'unknown keys in a review',
    request: () => ({
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"nonResourceAttributes":{"path":"/","verb":"get"},${repeatedUnknown}}}`,
    }),
    status: 201,
  },
  {
    title: 'a merge patch of unknown keys',
    prepare: emptyMap('merged'),
    request: () => patchMap('merged', 'merge-patch+json', `{${unknown}}`),
    status: 200,
  },
  {
    title: 'a merge patch of keys that repeat',
    prepare: emptyMap('merged-again'),
    request: () => patchMap('merged-again', 'merge-patch+json', `{${repeatedUnknown}}`),
    status: 200,
  },
  {
    title: 'a strategic patch of unknown keys',
    prepare: emptyMap('strategic'),
    request: () => patchMap('strategic', 'strategic-merge-patch+json', `{${repeatedUnknown}}`),
    status: 200,
  },
  {
    title: 'YAML of 250 KB',
    request: (attempt) => ({
      path: configMaps,
      type: 'application/yaml',
      body: yamlMap(`yaml-${attempt}`),
    }),
    status: 201,
  },
  {
    title: 'YAML of 8 KB',
    request: (attempt) => ({
      path: configMaps,
      type: 'application/yaml',
      body: `{kind: ConfigMap, apiVersion: v1, metadata: {name: short-yaml-${attempt}}, data: {${'a:,'.repeat(2600)}}}`,
    }),
    status: 201,
  },
  {
    title: 'YAML of 250 KB that begins as JSON does',
    request: (attempt) => ({
      path: configMaps,
      type: 'application/yaml',
      body: `{kind: ConfigMap, apiVersion: v1, metadata: {name: flow-yaml-${attempt}}, binaryData: {a: [${'[],'.repeat(20_000)}]}}`,
    }),
    status: 400,
  },
  {
    title: 'applied YAML of 250 KB',
    request: (attempt) => ({
      method: 'PATCH',
      path: `${configMaps}/applied-yaml-${attempt}?fieldManager=applier`,
      type: 'application/apply-patch+yaml',
      body: yamlMap(`applied-yaml-${attempt}`),
    }),
    status: 201,
  },
  {
    title: 'a Deployment of 8,000 env entries',
    request: (attempt) => create(`made-${attempt}`),
    status: 201,
  },
  {
    title: 'a strategic patch of 8,000 env entries',
    prepare: create('strategic'),
    request: (attempt) =>
      patchOf('strategic', '', 'strategic-merge-patch+json', {
        spec: { template: { spec: { containers: [{ name: 'main', env: env(many, `new${attempt}`) }] } } },
      }),
    status: 200,
  },
  {
    title: 'a strategic patch that deletes and orders 8,000 env entries',
    prepare: create('strategic-order'),
    request: (attempt) =>
      patchOf('strategic-order', '?dryRun=All', 'strategic-merge-patch+json', {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'main',
                  '$setElementOrder/env': env(many, '')
                    .map(({ name }) => ({ name }))
                    .reverse(),
                  env: env(many, `new${attempt}`).map(({ name, value }, index) =>
                    index % 2 === 0 ? { name, value } : { name, $patch: 'delete' },
                  ),
                },
              ],
            },
          },
        },
      }),
    // compat: what is deleted has no place in the order
    status: 500,
  },
  {
    title: 'an apply of 8,000 env entries',
    request: (attempt) =>
      patchOf(
        `applied-${attempt}`,
        '?fieldManager=applier',
        'apply-patch+yaml',
        deployment(`applied-${attempt}`, many, 'a'),
      ),
    status: 201,
  },
  {
    title: 'an apply that conflicts in 8,000 env entries',
    prepare: create('conflict'),
    request: (attempt) =>
      patchOf('conflict', '?fieldManager=applier', 'apply-patch+yaml', deployment('conflict', many, `new${attempt}`)),
    status: 409,
  },
  {
    title: 'an apply that takes over 8,000 env entries',
    prepare: create('forced'),
    request: (attempt) =>
      patchOf(
        'forced',
        '?fieldManager=applier&force=true',
        'apply-patch+yaml',
        deployment('forced', many, `new${attempt}`),
      ),
    status: 200,
  },
  {
    title: 'an apply that gives other 8,000 env entries than before',
    prepare: applyOf('replaced', 'OLD'),
    request: (attempt) => applyOf('replaced', `NEW${attempt}`),
    status: 200,
  },
  {
    title: 'a Deployment of 8,000 env entries that all become others',
    prepare: create('renamed'),
    request: (attempt) => patchOf('renamed', '', 'merge-patch+json', renamed('renamed', `N${attempt}`)),
    status: 200,
  },
  {
    title: 'a JSON patch with 10,000 inserts at the front',
    prepare: { path: deployments, body: JSON.stringify(deployment('inserts', 1, 'a')) },
    request: () =>
      patchOf(
        'inserts',
        '?dryRun=All',
        'json-patch+json',
        inserts('/spec/template/spec/containers/0/env/0', 10_000, (index) => ({ name: `N${index}`, value: 'x' })),
      ),
    status: 200,
  },
  {
    title: 'a JSON patch with 10,000 small steps in a large object',
    prepare: create('steps'),
    request: () =>
      patchOf(
        'steps',
        '?dryRun=All',
        'json-patch+json',
        JSON.stringify(
          Array.from({ length: 10_000 }, (_, index) =>
            index % 2 === 0
              ? { op: 'add', path: `/spec/template/spec/containers/0/env/${index % 5000}`, value: { name: 'N' } }
              : { op: 'remove', path: `/spec/template/spec/containers/0/env/${(index - 1) % 5000}` },
          ),
        ),
      ),
    status: 200,
  },
  {
    title: 'a JSON patch that tests the whole object 10,000 times',
    prepare: create('tests'),
    request: () =>
      patchOf(
        'tests',
        '?dryRun=All',
        'json-patch+json',
        JSON.stringify(
          Array.from({ length: 10_000 }, () => ({
            op: 'test',
            path: '/spec/template/spec/containers/0/env',
            value: [],
          })),
        ),
      ),
    status: 422,
  },
  {
    title: 'a JSON patch with a pointer of 1,500,000 parts',
    prepare: create('pointers'),
    request: () =>
      patchOf(
        'pointers',
        '?dryRun=All',
        'json-patch+json',
        JSON.stringify([{ op: 'add', path: '/a'.repeat(1_500_000), value: 1 }]),
      ),
    status: 422,
  },
  {
    title: 'a JSON patch of 10,000 copies',
    prepare: create('copies'),
    request: () =>
      patchOf(
        'copies',
        '?dryRun=All',
        'json-patch+json',
        JSON.stringify(
          Array.from({ length: 10_000 }, () => ({
            op: 'copy',
            from: '/spec/template/spec/containers/0/env',
            path: '/metadata/annotations',
          })),
        ),
      ),
    status: 413,
  },
  {
    title: 'a small JSON patch that moves a list of 2,000 entries 1,200 times',
    prepare: { path: deployments, body: JSON.stringify(deployment('moves', 2000, 'a')) },
    request: () => {
      const list = '/spec/template/spec/containers/0/env';
      const there = { op: 'move', from: list, path: '/metadata/env' };
      const back = { op: 'move', from: '/metadata/env', path: list };
      const operations = Array.from({ length: 1200 }, (_, index) => (index % 2 === 0 ? there : back));
      return patchOf('moves', '?dryRun=All', 'json-patch+json', operations);
    },
    status: 200,
  },
  {
    title: 'a small strategic patch that names one container 1,500 times',
    prepare: { path: deployments, body: JSON.stringify(deployment('repeats', 2000, 'a')) },
    request: () =>
      patchOf('repeats', '?dryRun=All', 'strategic-merge-patch+json', {
        spec: {
          template: {
            spec: {
              containers: Array.from({ length: 1500 }, () => ({ name: 'main', env: [{ name: 'NAME_1', value: 'y' }] })),
            },
          },
        },
      }),
    status: 200,
  },
  {
    title: 'a ConfigMap of 20,000 keys',
    request: (attempt) => ({
      path: configMaps,
      body: mapWith(`keys-${attempt}`, `"data":{${keyed(20_000, (index) => `"k${index}":""`)}}`),
    }),
    status: 201,
  },
  {
    title: 'an apply of 20,000 keys',
    request: (attempt) => ({
      method: 'PATCH',
      path: `${configMaps}/applied-keys-${attempt}?fieldManager=applier`,
      type: 'application/apply-patch+yaml',
      body: mapWith(`applied-keys-${attempt}`, `"data":{${keyed(20_000, (index) => `"k${index}":""`)}}`),
    }),
    status: 201,
  },
  ...['application/yaml', 'application/json;as=Table;g=meta.k8s.io;v=v1', 'application/vnd.kubernetes.protobuf'].map(
    (accept, index) => ({
      title: `a ConfigMap of 20,000 keys to show as ${accept}`,
      prepare: {
        path: configMaps,
        body: mapWith(`shown-${index}`, `"data":{${keyed(20_000, (key) => `"k${key}":"v"`)}}`),
      },
      request: () => ({ method: 'GET', path: `${configMaps}/shown-${index}`, headers: { accept } }),
      status: 200,
    }),
  ),
  ...['application/yaml', 'application/vnd.kubernetes.protobuf'].map((accept, index) => ({
    title: `a list of a ConfigMap of 20,000 keys to show as ${accept}`,
    prepare: {
      path: configMaps,
      body: mapWith(`listed-${index}`, `"data":{${keyed(20_000, (key) => `"k${key}":"v"`)}}`),
    },
    request: () => ({
      method: 'GET',
      path: `${configMaps}?fieldSelector=metadata.name=listed-${index}`,
      headers: { accept },
    }),
    status: 200,
  })),
  ...[
    ['vnd.kubernetes.protobuf', 'begins with', ''],
    ['vnd.kubernetes.protobuf', 'has missed', '&resourceVersion=1'],
    ['json', 'has missed', '&resourceVersion=1'],
  ].map(([format, when, since], index) => ({
    title: `a ConfigMap of 20,000 keys that a watch in ${format} ${when}`,
    prepare: {
      path: configMaps,
      body: mapWith(`watched-${index}`, `"data":{${keyed(20_000, (key) => `"k${key}":"v"`)}}`),
    },
    request: () => ({
      method: 'GET',
      path: `${configMaps}?watch=true&timeoutSeconds=3&fieldSelector=metadata.name=watched-${index}${since}`,
      headers: { accept: `application/${format};stream=watch` },
    }),
    status: 200,
  })),
  {
    title: 'managedFields of 30,000 fields',
    request: (attempt) => ({
      path: configMaps,
      body: JSON.stringify({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: `managed-${attempt}`,
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v1',
              time: '2026-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f:k${i}`, {}])) },
            },
          ],
        },
      }),
    }),
    status: 201,
  },
  {
    title: 'managedFields of 7,000 managers',
    request: (attempt) => ({
      path: configMaps,
      body: JSON.stringify({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: `managers-${attempt}`,
          managedFields: Array.from({ length: 7_000 }, (_, index) => ({
            manager: `m${index}`,
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          })),
        },
      }),
    }),
    status: 201,
  },
  {
    title: 'lists within lists',
    request: () => ({ path: configMaps, body: mapWith('lists', `"data":${'['.repeat(limit / 2 - 200)}`) }),
    status: 400,
  },
  {
    title: 'braces within a text',
    request: () => ({ path: configMaps, body: mapWith('braces', `"data":{"a":"${'{[:'.repeat(1_000_000)}"}`) }),
    status: 422,
  },
  {
    title: 'numbers with fractions',
    request: () => ({
      path: `${configMaps}?fieldValidation=Strict`,
      body: mapWith(
        'fractions',
        keyed(most, (index) => `"u${index}":1.5`),
      ),
    }),
    status: 400,
  },
  {
    title: 'values that are no base64',
    request: () => ({
      path: configMaps,
      body: mapWith('base64', `"binaryData":{${keyed(20_000, (index) => `"k${index}":"!"`)}}`),
    }),
    status: 400,
  },
  {
    title: 'halves of characters',
    request: (attempt) => ({
      path: configMaps,
      body: mapWith(`halves-${attempt}`, `"data":{${keyed(20_000, (index) => `"k${index}":"\\ud800"`)}}`),
    }),
    status: 201,
  },
  {
    title: 'protobuf of a million tiny fields',
    request: () => ({
      path: configMaps,
      type: 'application/vnd.kubernetes.protobuf',
      body: tinyFields(),
    }),
    status: 413,
  },
  ...['merge', 'strategic-merge'].map((patch) => ({
    title: `a ${patch} patch of 15,000 conditions, which controllers hear of`,
    prepare: emptyService(`v1.${patch}.example.com`),
    request: (attempt: number) => ({
      method: 'PATCH',
      path: `${apiServices}/v1.${patch}.example.com/status`,
      type: `application/${patch}-patch+json`,
      body: JSON.stringify({ status: { conditions: conditions(attempt) } }),
    }),
    status: 200,
  })),
];

/** An envelope around a message whose map repeats an empty entry. */
function tinyFields(): Buffer {
  const raw = Buffer.alloc(2 * 1_000_000, Buffer.from([0x12, 0x00]));
  const length: number[] = [];
  for (let left = raw.length; ; left >>>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (left <= 0x7f) break;
  }
  const typeMeta = [0x0a, 0x02, ...Buffer.from('v1'), 0x12, 0x09, ...Buffer.from('ConfigMap')];
  return Buffer.concat([
    Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, typeMeta.length, ...typeMeta, 0x12, ...length]),
    raw,
  ]);
}
