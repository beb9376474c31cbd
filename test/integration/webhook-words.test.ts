// A webhook may repeat what it was asked about, and that may be a Secret: none of its words reach the log.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Log, Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, type HookAnswer, install, type Review } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';

const hidden = 'c2VjcmV0LXZhbHVl';
const home = '/api/v1/namespaces/default/secrets';

let lines: string[] = [];
const take = (fields: object, message: string) =>
  lines.push(JSON.stringify([message, fields], (_, value) => (value instanceof Error ? value.stack : value)));
const log: Log = { info: take, warn: take, error: take };

let server: Server;
let api: Api;
let hooks: AdmissionHooks;
beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ controllers: [], log, verbosity: 10 });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});
beforeEach(() => {
  lines = [];
});

const echo =
  (code: number, type: string | undefined): HookAnswer =>
  (review, response) => {
    response.writeHead(code, type === undefined ? {} : { 'content-type': type });
    response.end(JSON.stringify(review));
  };
const status =
  (message: (review: Review) => string): HookAnswer =>
  (review, response) => {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: message(review) }));
  };
const dataOf = ({ request }: Review): string => request.object.data.password;

const cases: readonly [string, string, HookAnswer, 'validating' | 'mutating', boolean][] = [
  ['an error page in text', 'text', echo(500, 'text/plain'), 'validating', true],
  ['an error page without a type', 'untyped', echo(500, undefined), 'validating', true],
  ['an error page in JSON', 'json', echo(500, 'application/json'), 'validating', false],
  ['a refusal in JSON', 'forbidding', echo(403, 'application/json'), 'validating', false],
  ['a Status', 'status', status(dataOf), 'validating', true],
  ['an answer with another uid', 'uid', (review) => ({ allowed: true, uid: dataOf(review) }), 'validating', true],
  ['no JSON at all', 'garbage', (review, response) => void response.end(`{"a":${dataOf(review)}`), 'validating', false],
  [
    'a patch of another type',
    'patch',
    (review) => ({
      allowed: true,
      patch: 'W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL3gifV0=',
      patchType: dataOf(review),
    }),
    'mutating',
    true,
  ],
  [
    'a broken patch',
    'broken',
    (review) => ({
      allowed: true,
      patch: Buffer.from(dataOf(review)).toString('base64'),
      patchType: 'JSONPatch',
    }),
    'mutating',
    false,
  ],
];

test.each(cases)('%s is not logged', async (_, name, answer, type, reachesClient) => {
  for (const failurePolicy of ['Fail', 'Ignore']) {
    const hook = hooks.hook(`/default/${name}`, answer, {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
      objectSelector: { matchLabels: { for: name } },
      failurePolicy,
    });
    await install(api, type, `${name}-${failurePolicy.toLowerCase()}`, hook);
    const body = {
      metadata: { name: `${name}-${failurePolicy.toLowerCase()}`, labels: { for: name } },
      data: { password: hidden },
    };
    const written = await api.post(home, body);
    expect(written.status, written.body.message).toBe(failurePolicy === 'Fail' ? 500 : 201);
    // the client that sent it may see it again, as far as the reference server shows it
    if (failurePolicy === 'Fail') expect(String(written.body.message).includes(hidden)).toBe(reachesClient);
    await api.delete(
      `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/${name}-${failurePolicy.toLowerCase()}`,
    );
  }
  expect(lines.some((line) => line.includes('a webhook could not be called'))).toBe(true);
  expect(lines.filter((line) => line.includes(hidden))).toEqual([]);
});
