// `keelson test-server` as a program in any language uses it: one line of JSON, HTTP, and an end with its parent.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, loadKubeconfig } from '../../src/index.ts';

const keelson = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-test-server-'));
const seed = join(folder, 'seed.yaml');

interface Started {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  readonly kubeconfig: string;
  readonly adminPath: string;
  readonly pid: number;
}

async function started(child: ChildProcessWithoutNullStreams): Promise<Started> {
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return JSON.parse(line) as Started;
}

let child: ChildProcessWithoutNullStreams;
let server: Started;

beforeAll(async () => {
  writeFileSync(seed, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: seed }\n');
  child = spawn(process.execPath, [keelson, 'test-server', '-f', seed, '--', '--feature-gates=APIListChunking=false']);
  server = await started(child);
});
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

function call(method: string, path: string, body?: unknown, token = server.token): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { method, ca: server.ca, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

const admin = (what: string, body: unknown = {}, token?: string) =>
  call('POST', `${server.adminPath}/${what}`, body, token);
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a test server for any language', () => {
  test('says where it is, and has its manifests', async () => {
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(server.pid).toBe(child.pid);
    expect((await call('GET', `${configMaps}/seed`)).status).toBe(200);
    using connection = connect(await loadKubeconfig({ file: server.kubeconfig }));
    expect((await connection.client.get(`${configMaps}/seed`)).metadata.name).toBe('seed');
  });

  test('takes manifests, and goes back to a snapshot', async () => {
    const { body } = await admin('snapshot');
    expect((await admin('apply', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: more }\n')).status).toBe(200);
    expect((await call('GET', `${configMaps}/more`)).status).toBe(200);
    expect((await admin('reset', body)).status).toBe(200);
    expect((await call('GET', `${configMaps}/more`)).status).toBe(404);
    expect((await admin('reset')).status).toBe(200);
    expect((await admin('reset', { snapshot: '77' })).body.message).toBe('there is no snapshot "77"');
  });

  test('takes faults of every sort', async () => {
    const planned = await admin('faults', {
      fault: 'fail',
      filter: { verb: 'get', resource: 'configmaps' },
      ...{ nth: 2, status: 503, message: 'later' },
    });
    expect((await call('GET', `${configMaps}/seed`)).status).toBe(200);
    expect(await call('GET', `${configMaps}/seed`)).toMatchObject({ status: 503, body: { message: 'later' } });
    expect((await admin('faults', { fault: 'hits', ...planned.body })).body).toEqual({ hits: 1 });
    await admin('faults', { fault: 'drop', filter: { path: '/configmaps/seed' } });
    await expect(call('GET', `${configMaps}/seed`)).rejects.toThrow(/hang up|ECONNRESET/);
    await admin('faults', { fault: 'delay', ms: 1, filter: { user: ['keelson-test'] } });
    for (const fault of ['endWatches', 'expireWatches', 'compact', 'expireTokens', 'breakStore'])
      expect((await admin('faults', { fault })).status).toBe(200);
    expect((await call('POST', configMaps, { metadata: { name: 'x' } })).status).toBe(503);
    expect((await admin('faults', { fault: 'clear' })).status).toBe(200);
    expect((await admin('reset')).status).toBe(200);
    expect((await call('POST', configMaps, { metadata: { name: 'x' } })).status).toBe(201);
  });

  test('says what is wrong with what it is asked', async () => {
    const told = async (body: unknown) => (await admin('faults', body)).body.message;
    expect(await told({ fault: 'explode' })).toMatch(/^"explode" is no fault; use fail, delay/);
    expect(await told({ fault: 'fail', filter: { colour: 'red' } })).toMatch(/^filter has no "colour"; use verb/);
    expect(await told({ fault: 'fail', filter: { verbs: 'get' } })).toBe('filter has no "verbs"; did you mean verb?');
    expect(await told({ fault: 'fail', tims: 2 })).toBe('fault has no "tims"; did you mean times?');
    expect(await told({ fault: 'fail', filter: { verb: 'creat' } })).toBe(
      'filter.verb: "creat" is not a verb; did you mean create?',
    );
    expect(await told({ fault: 'fail', nth: 'two' })).toBe('fault.nth must be a whole number from 1');
    expect(await told({ fault: 'fail', filter: { verb: 1 } })).toBe('filter.verb must be a text or a list of texts');
    expect(await told('[]')).toBe('the body must be a JSON object');
    for (const what of ['nothing', 'constructor', '__proto__', '']) expect((await admin(what)).status).toBe(404);
  });

  const deep = '['.repeat(200_000);
  const mistakes: readonly (readonly [string, string, number, RegExp])[] = [
    ['apply', 'kind: [', 400, /^the manifest: /],
    ['apply', 'kind: ConfigMap\n', 400, /an object needs apiVersion, kind and metadata/],
    ['apply', deep, 400, /exceeded max depth/],
    ['apply', `a: ${deep}`, 400, /exceeded max depth/],
    ['apply', `{"a":${deep}${']'.repeat(200_000)}}`, 400, /exceeded max depth/],
    [
      'apply',
      `a: &a [1]\nb: [${Array(200).fill('*a').join()}]\nc: [${Array(200).fill('*b').join()}]`,
      400,
      /the manifest: /,
    ],
    ['apply', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: A }\n', 422, /Invalid value/],
    ['apply', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: 1\n', 400, /ConfigMap/],
    ['clock', '{"advanceMs":1e300}', 400, /the clock advances by 0 to \d+ ms at a time/],
    ['clock', '{"advanceMs":-1}', 400, /must be/],
    ['clock', '{"advanceMs":"1"}', 400, /must be a number/],
    ['clock', '{"advanceMs":null}', 400, /must be a number/],
    ['clock', '{"pause":1}', 400, /pause must be true or false/],
    ['clock', '{"pause":true,"resume":true}', 400, /at once/],
    ['clock', '{"advance":1}', 400, /unknown field "advance"; use pause, resume, advanceMs/],
    ['snapshot', '{"name":"a"}', 400, /unknown field "name"/],
    ['reset', '{"snapshot":1}', 400, /snapshot must be a text/],
    ['reset', '{"snapshots":"1"}', 400, /unknown field/],
    ['faults', '{}', 400, /is no fault/],
    ['faults', `{"fault":${deep}${']'.repeat(200_000)}}`, 400, /deep/],
    ['faults', `{"fault":"${'x'.repeat(100_000)}"}`, 400, /^"x{99} is no fault/],
    ['faults', '{"fault":"hits","id":"no"}', 400, /there is no fault with the id "no"/],
    ['faults', '{"fault":"fail","times":-1}', 400, /times/],
    ['journal', '{"verb":"get"}', 400, /unknown field "verb"; use filter/],
    ['journal', '{"filter":[]}', 400, /filter must be an object/],
    ['users', '{"name":""}', 400, /a user has a name/],
    ['users', '{"name":"a","group":"b"}', 400, /unknown field "group"/],
    ['users', '{"name":"a","groups":"b"}', 400, /a list of groups/],
    ['users', 'null', 400, /the body must be a JSON object/],
    ['users', '{', 400, /json parse error/],
    ['users', deep, 400, /the body (is nested|must be)/],
  ];
  test.each(
    mistakes.map(([what, body, status, message]) => ({ what, body, status, message, start: body.slice(0, 40) })),
  )('/$what answers $status to $start', async ({ what, body, status, message }) => {
    const before = (await admin('clock')).body;
    const answer = await admin(what, body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
    const after = (await admin('clock')).body;
    expect(after.isPaused).toBe(before.isPaused);
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeLessThan(60_000);
  });

  test('takes no body that is larger than that of an object', async () => {
    const { status, body } = await admin('apply', `# ${'x'.repeat(3 * 1024 * 1024)}`);
    expect([status, body.reason]).toEqual([413, 'RequestEntityTooLarge']);
  });

  test('keeps a journal, moves its clock and makes users', async () => {
    await admin('reset');
    await call('POST', configMaps, { metadata: { name: 'by-token' } });
    const { body } = await admin('journal', { filter: { verb: 'write' } });
    expect(body.requests).toMatchObject([
      { user: 'keelson-test', resource: 'configmaps', name: 'by-token', status: 201 },
    ]);
    const before = await admin('clock', { pause: true });
    const after = await admin('clock', { advanceMs: 60_000, resume: true });
    expect(Date.parse(after.body.now) - Date.parse(before.body.now)).toBeGreaterThanOrEqual(60_000);
    const { body: user } = await admin('users', { name: 'alice', groups: ['devs'] });
    using alice = connect(await loadKubeconfig({ file: user.kubeconfig }));
    await expect(alice.client.list('/api/v1/pods')).rejects.toThrow('User "alice" cannot list');
    expect((await admin('users', { name: 3 })).status).toBe(400);
  });

  test('opens its admin path to its token only, whatever rights others have', async () => {
    const { body: boss } = await admin('users', { name: 'boss', groups: ['system:masters'] });
    using connection = connect(await loadKubeconfig({ file: boss.kubeconfig }));
    await connection.client.list('/api/v1/secrets');
    const asked = connection.client.create(`${server.adminPath}/faults`, { fault: 'breakStore' });
    await expect(asked).rejects.toMatchObject({ code: 403 });
    const account = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { token } = (await call('POST', account, {})).body.status;
    expect((await admin('faults', { fault: 'breakStore' }, token)).status).toBe(403);
    expect((await admin('faults', { fault: 'breakStore' }, 'guess')).status).toBe(401);
    expect((await call('GET', `${configMaps}/seed`)).status).toBe(200);
  });
});

describe('its end', () => {
  const gone = async (process: ChildProcessWithoutNullStreams) => once(process, 'exit');

  test('comes with the end of its standard input', async () => {
    const ended = gone(child);
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(existsSync(server.kubeconfig)).toBe(false);
  });

  test('comes with the end of its parent, though nothing was said on its input', async () => {
    // a parent that leaves its own input to the server, and is killed
    const script = `const { spawn } = require('node:child_process');
      spawn(process.execPath, ${JSON.stringify([keelson, 'test-server'])}, { stdio: ['ignore', 'inherit', 'inherit'] });`;
    const parent = spawn(process.execPath, ['-e', script]);
    const { pid } = await started(parent);
    parent.kill('SIGKILL');
    const isAlive = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    const end = Date.now() + 50_000;
    while (isAlive() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isAlive()).toBe(false);
  });

  test('comes at once for a wrong flag, with a line that says why', async () => {
    const wrong = spawn(process.execPath, [keelson, 'test-server', '-f', join(folder, 'none.yaml')]);
    const errors: Buffer[] = [];
    wrong.stderr.on('data', (part: Buffer) => errors.push(part));
    expect(await once(wrong, 'close')).toEqual([2, null]);
    expect(Buffer.concat(errors).toString()).toMatch(
      /^keelson: manifests: there is no file or folder ".*none\.yaml"\n$/,
    );
  });
});
