// When webhooks are called again, and which conditions let them be called: the tables of Kubernetes' integration tests.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, allow, configurations, type HookAnswer, install, patchOf } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
let hooks: AdmissionHooks;
beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  await api.post(classes, { metadata: { name: 'low-priority' }, value: 1 });
  await api.post(classes, { metadata: { name: 'high-priority' }, value: 10 });
  await eventually(async () =>
    expect((await api.get('/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(200),
  );
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

const add = (path: string, value: string) => ({ op: 'add', path, value });
const fight =
  (value: string): HookAnswer =>
  () =>
    patchOf({ op: 'replace', path: '/metadata/labels/fight', value });
const answers: Readonly<Record<string, HookAnswer>> = {
  noop: () => allow,
  settrue: fight('true'),
  setfalse: fight('false'),
  addlabel: ({ request }) =>
    request.object.metadata.labels.a === 'true' ? allow : patchOf(add('/metadata/labels/a', 'true')),
  conditional: ({ request }) =>
    request.object.metadata.labels.a === undefined ? allow : patchOf(add('/metadata/labels/b', 'true')),
  setpriority: ({ request }) =>
    request.object.spec.priorityClassName === 'high-priority'
      ? allow
      : patchOf(add('/spec/priorityClassName', 'high-priority'), { op: 'remove', path: '/spec/priority' }),
  invalid: () => patchOf(add('/spec/priorityClassName', 'invalid'), { op: 'remove', path: '/spec/priority' }),
};

interface Called {
  readonly name: string;
  readonly policy?: string;
  readonly objectSelector?: object;
}

const again = (name: string, more: object = {}): Called => ({ name, policy: 'IfNeeded', ...more });
const once = (name: string, policy?: string): Called => ({ name, ...(policy === undefined ? {} : { policy }) });
const onlyA = { objectSelector: { matchLabels: { a: 'true' } } };

const cases: readonly [what: string, webhooks: readonly Called[], calls: readonly string[], labels: object][] = [
  ['a plugin of the server alone is no reason', [again('noop')], ['noop'], {}],
  ['nor is the only webhook that changes something', [again('addlabel')], ['addlabel'], { a: 'true' }],
  ['what the server changes because of a webhook is one', [again('setpriority')], ['setpriority', 'setpriority'], {}],
  [
    'a later webhook is one for those before it, and not for itself',
    [again('addlabel'), again('conditional')],
    ['addlabel', 'conditional', 'addlabel'],
    { a: 'true', b: 'true' },
  ],
  [
    'each is called twice at most',
    [again('settrue'), again('setfalse')],
    ['settrue', 'setfalse', 'settrue', 'setfalse'],
    { fight: 'false' },
  ],
  [
    'a webhook that was not called the first time is not called the second time',
    [again('conditional', onlyA), again('addlabel')],
    ['addlabel'],
    { a: 'true' },
  ],
  [
    'a webhook may say never',
    [once('conditional', 'Never'), once('addlabel', 'Never')],
    ['conditional', 'addlabel'],
    { a: 'true' },
  ],
  [
    'and does so if it says nothing',
    [once('conditional'), once('addlabel')],
    ['conditional', 'addlabel'],
    { a: 'true' },
  ],
];

let count = 0;

/** Creates a pod while webhooks are in force; tells which of them were called. */
async function created(webhooks: readonly Called[]) {
  const home = `again-${count++}`;
  const made = webhooks.map(({ name, policy, objectSelector }) =>
    hooks.hook(`/default/${home}-${name}`, answers[name] as HookAnswer, {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      ...(policy === undefined ? {} : { reinvocationPolicy: policy }),
      ...(objectSelector === undefined ? {} : { objectSelector }),
    }),
  );
  await install(api, 'mutating', home, ...made);
  const { status, body } = await api.post('/api/v1/namespaces/default/pods', {
    metadata: { name: home, labels: { x: 'true', fight: 'none' } },
    spec: { containers: [{ name: 'c', image: 'i' }], priorityClassName: 'low-priority' },
  });
  await api.delete(`${configurations.mutating}/${home}`);
  const prefix = `/default/${home}-`;
  const calls = hooks.reviews.flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
  return { status, body, calls };
}

describe('a second call', () => {
  test.each(cases)('%s', async (_, webhooks, calls, labels) => {
    const found = await created(webhooks);
    expect([found.status, found.body.message]).toEqual([201, undefined]);
    expect(found.calls).toEqual(calls);
    expect(found.body.metadata.labels).toEqual({ x: 'true', fight: 'none', ...labels });
  });

  test('lets plugins of the server refuse what a webhook made', async () => {
    const { status, body, calls } = await created([again('invalid')]);
    expect([status, calls]).toEqual([403, ['invalid']]);
    expect(body.message).toContain('no PriorityClass with name invalid was found');
  });
});

describe('conditions', () => {
  const missing = "object.nonExistentProperty == 'someval'";
  const conditionCases: readonly [string, readonly string[], string, number, boolean][] = [
    ['one that is false counts more than errors', [missing, 'true', 'false', 'true', missing], 'Fail', 201, false],
    ['errors refuse the request', [missing, 'true', 'true', missing], 'Fail', 403, false],
    ['or leave the webhook out', [missing, 'true', 'true', missing], 'Ignore', 201, false],
    [
      'all have to hold',
      ["object.metadata.namespace == 'default'", "object.metadata.name == 'other'"],
      'Fail',
      201,
      false,
    ],
    ['the old object is there, and null on create', ['oldObject == null'], 'Fail', 201, true],
    ['rights can be asked for', ["authorizer.group('').resource('pods').check('get').allowed()"], 'Fail', 201, true],
  ];

  test.each(conditionCases)('%s', async (_, expressions, failurePolicy, wanted, isCalled) => {
    for (const type of ['mutating', 'validating'] as const) {
      const name = `conditions-${count++}`;
      const matchConditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }));
      const more = { matchConditions, failurePolicy };
      await install(
        api,
        type,
        name,
        hooks.hook(`/default/${name}`, () => allow, more),
      );
      const { status } = await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name } });
      await api.delete(`${configurations[type]}/${name}`);
      expect([status, hooks.asked(`/default/${name}`).length > 0]).toEqual([wanted, isCalled]);
    }
  });
});
