// What the console's part of the server answers, without a browser.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLocal } from '../../src/console/page-origin.ts';
import { linkMs, Sessions, sessionMs } from '../../src/console/sessions.ts';
import type { ApiRequest } from '../../src/meta/exchange.ts';
import { FakeClock, startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Headers, secureCall } from '../integration/secure-call.ts';

const built = join(import.meta.dirname, '../../dist/console');
const { first } = JSON.parse(readFileSync(join(built, 'files.json'), 'utf8')) as { first: readonly string[] };
const kilobytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + readFileSync(join(built, file)).length, 0) / 1000;

describe('files of the console', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ enableUi: true });
  });
  afterAll(() => server?.close());

  const get = async (path: string, headers: Headers = {}) => {
    let sent: Record<string, unknown> = {};
    const reply = await secureCall(server, 'GET', path, {
      headers,
      onHeaders: (all) => {
        sent = all;
      },
    });
    return { status: reply.status, body: reply.body as unknown, headers: sent };
  };

  test('a browser loads at most 60 kB before the first view, and at most 250 kB in all', () => {
    const styles = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.css'));
    const firstFiles = [...first, ...styles.map((name) => `assets/${name}`), 'index.html'];
    expect(kilobytes(firstFiles.map((name) => `${name}.br`))).toBeLessThan(60);
    expect(kilobytes(firstFiles.map((name) => `${name}.gz`))).toBeLessThan(60);
    const all = readdirSync(built, { recursive: true, encoding: 'utf8' });
    expect(kilobytes(all.filter((name) => name.endsWith('.br')))).toBeLessThan(250);
  });

  test('every answer forbids scripts in pages, other hosts, frames and guesses of types', async () => {
    const { status, headers, body } = await get('/ui/');
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    expect(body).not.toMatch(/<script(?! type="module" src="\/ui\/)|\sstyle=|\son\w+=/);
  });

  test('files with a hash in their name are kept for good, and come compressed', async () => {
    const path = `/ui/${first[0]}`;
    const { headers } = await get(path, { 'accept-encoding': 'gzip, br' });
    expect(headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' });
    expect((await get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    expect((await get(path)).headers['content-encoding']).toBeUndefined();
  });

  test.each(['/ui', '/ui/', '/ui/list/core/v1/pods', '/ui/..%2f..%2fpackage.json', '/ui/files.json'])(
    '%s answers the page and nothing else',
    async (path) => {
      const { status, headers } = await get(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    },
  );

  test.each([
    '/ui/assets/none.js',
    '/ui/assets/..%2ffiles.json',
    '/ui/assets%2f..%2ffiles.json',
    '/ui/assets/__proto__',
  ])('%s is not there', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test('other methods are refused', async () => {
    expect((await secureCall(server, 'PUT', '/ui/')).status).toBe(405);
    expect((await secureCall(server, 'HEAD', '/ui/')).status).toBe(200);
  });

  test('there is no console without enableUi', async () => {
    await using other = await startTestServer();
    expect(other.signInLink()).toBeUndefined();
    expect((await secureCall(other, 'GET', '/ui/')).status).toBe(403);
    expect((await secureCall(other, 'POST', '/ui/session', { body: { link: 'x' } })).status).toBe(403);
  });
});

describe('sessions of the console', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ enableUi: true });
  });
  afterAll(() => server?.close());

  const newLink = () => (server.signInLink() ?? '').split('#link=')[1] ?? '';

  const signIn = (headers: Headers = {}, link = newLink()) =>
    secureCall(server, 'POST', '/ui/session', { headers, body: { link } });

  /** The headers of a session. */
  async function openSession(): Promise<{ cookie: string; 'x-keelson-page': string }> {
    let cookie = '';
    const reply = await secureCall(server, 'POST', '/ui/session', {
      body: { link: newLink() },
      onHeaders: (all) => {
        cookie = all['set-cookie']?.[0]?.split(';')[0] ?? '';
      },
    });
    const { pageToken } = reply.body as { readonly pageToken: string };
    return { cookie, 'x-keelson-page': pageToken };
  }

  const list = (headers: Headers) => secureCall(server, 'GET', '/api/v1/namespaces', { headers });

  test('a link works once, also for two requests at a time', async () => {
    const link = newLink();
    const replies = await Promise.all([signIn({}, link), signIn({}, link), signIn({}, link)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
  });

  test.each<[string, Headers]>([
    ['the origin of another page', { origin: 'https://attacker.example' }],
    ['the origin of a page on another port', { origin: 'https://127.0.0.1:1' }],
    ['the origin of a sandboxed frame', { origin: 'null' }],
    ['a request across sites', { 'sec-fetch-site': 'cross-site' }],
    ['a request of another port', { 'sec-fetch-site': 'same-site' }],
  ])('a link is refused with %s, and stays good for its owner', async (_, headers) => {
    const link = newLink();
    expect((await signIn(headers, link)).status).toBe(403);
    expect((await signIn({}, link)).status).toBe(201);
  });

  test.each([
    ['127.0.0.1', '127.0.0.1:6443', true],
    ['::1', '[::1]:6443', true],
    ['::ffff:127.0.0.1', 'localhost', true],
    ['127.0.0.1', 'attacker.example:6443', false],
    ['10.0.0.7', '127.0.0.1:6443', false],
    ['127.0.0.1.attacker', 'localhost', false],
  ])('a link of %s under the name %s: %s', (address, host, isUsable) => {
    const header = (name: string) => (name === 'host' ? host : undefined);
    expect(isLocal({ peer: { address }, header } as unknown as ApiRequest)).toBe(isUsable);
  });

  test('a form of another page cannot send a link', async () => {
    expect((await signIn({ 'content-type': 'text/plain' })).status).toBe(400);
    expect((await signIn({ 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(400);
  });

  test.each([
    ['an empty object', {}],
    ['a number', { link: 7 }],
    ['an empty code', { link: '' }],
    ['a code that is too long', { link: 'x'.repeat(5000) }],
  ])('%s opens no session', async (_, body) => {
    const { status } = await secureCall(server, 'POST', '/ui/session', { body });
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test('a link does not work from another machine', async () => {
    const answer = await server.fetch('/ui/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: '127.0.0.1' },
      body: JSON.stringify({ link: newLink() }),
    });
    expect(answer.status).toBe(403);
  });

  test('both secrets of a session are needed, for reads too', async () => {
    const session = await openSession();
    expect((await list(session)).status).toBe(200);
    expect((await list({ cookie: session.cookie })).status).toBe(403);
    expect((await list({ 'x-keelson-page': session['x-keelson-page'] })).status).toBe(401);
    const other = await openSession();
    expect((await list({ ...session, cookie: other.cookie })).status).toBe(401);
    expect((await list({ ...session, cookie: `${session.cookie}x` })).status).toBe(401);
    expect((await list({ ...session, 'x-keelson-page': 'x'.repeat(8000) })).status).toBe(401);
  });

  test.each<[string, Headers]>([
    ['another origin', { origin: 'https://attacker.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a navigation', { 'sec-fetch-site': 'none' }],
  ])('a session is refused with the headers of %s', async (_, headers) => {
    const session = await openSession();
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'x' } };
    const write = await secureCall(server, 'POST', '/api/v1/namespaces', { headers: { ...session, ...headers }, body });
    expect(write.status).toBe(401);
    expect((await list({ ...session, ...headers })).status).toBe(401);
  });

  test('a session ends when its user signs out', async () => {
    const session = await openSession();
    expect((await secureCall(server, 'DELETE', '/ui/session', { headers: session })).status).toBe(200);
    expect((await list(session)).status).toBe(401);
  });
});

describe('the table of sessions', () => {
  test('links and sessions expire', () => {
    const clock = new FakeClock(0);
    const sessions = new Sessions(clock);
    const link = sessions.createLink();
    clock.advance(linkMs);
    expect(sessions.open(link)).toBeUndefined();
    const session = sessions.open(sessions.createLink());
    clock.advance(sessionMs - 1);
    expect(session && sessions.isOpen(session)).toBe(true);
    clock.advance(1);
    expect(session && sessions.isOpen(session)).toBe(false);
  });

  test('is bounded: the oldest entries are replaced', () => {
    const clock = new FakeClock(0);
    const sessions = new Sessions(clock);
    const opened = Array.from({ length: 100 }, () => {
      clock.advance(1);
      return sessions.open(sessions.createLink());
    });
    const open = opened.map((session) => session !== undefined && sessions.isOpen(session));
    expect(open).toEqual(Array.from({ length: 100 }, (_, index) => index >= 36));
  });

  test('is one for all threads', () => {
    const clock = new FakeClock(0);
    const main = new Sessions(clock);
    const thread = new Sessions(clock, main.memory);
    const link = main.createLink();
    const session = thread.open(link);
    expect(main.open(link)).toBeUndefined();
    expect(session && main.isOpen(session)).toBe(true);
    if (session) main.close(session);
    expect(session && thread.isOpen(session)).toBe(false);
    expect(thread.cookieName).toBe(main.cookieName);
  });

  test('keeps no secret in its memory', () => {
    const sessions = new Sessions(new FakeClock(0));
    const link = sessions.createLink();
    const session = sessions.open(sessions.createLink());
    const memory = Buffer.from(new Uint8Array(sessions.memory)).toString('latin1');
    for (const secret of [link, session?.cookie ?? '', session?.pageToken ?? '']) {
      expect(secret.length).toBeGreaterThan(40);
      expect(memory).not.toContain(Buffer.from(secret, 'base64url').toString('latin1'));
      expect(memory).not.toContain(secret);
    }
  });
});
