// /debug/pprof: profiles of the process, in the format of pprof.

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFields } from '../../src/codec/protobuf/reader.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { bearer, secureCall } from './secure-call.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Function that a profile has to name. */
function burnProcessorTime(untilMs: number): number {
  let sum = 0;
  while (Date.now() < untilMs) for (let i = 0; i < 10_000; i++) sum += Math.sqrt(i);
  return sum;
}

async function profile(name: string) {
  const response = await server.fetch(`/debug/pprof/${name}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  return [...readFields(gunzipSync(Buffer.from(await response.arrayBuffer())))];
}

const valuesOf = (fields: Awaited<ReturnType<typeof profile>>, number: number) =>
  fields.filter((field) => field.number === number).map(({ value }) => value);
const textsIn = (fields: Awaited<ReturnType<typeof profile>>) =>
  valuesOf(fields, 6).map((value) => Buffer.from(value as Uint8Array).toString());

test('the profile of the processor names the functions that used it', async () => {
  let isOver = false;
  const sent = profile('profile?seconds=1').finally(() => {
    isOver = true;
  });
  // whenever the profile begins, there is something to see in it
  while (!isOver) {
    expect(burnProcessorTime(Date.now() + 50)).toBeGreaterThan(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const fields = await sent;
  const texts = textsIn(fields);
  expect(texts[0]).toBe('');
  expect(texts).toEqual(expect.arrayContaining(['samples', 'count', 'cpu', 'nanoseconds', 'burnProcessorTime']));
  // sample types, samples, locations and functions
  for (const number of [1, 2, 4, 5]) expect(valuesOf(fields, number).length).toBeGreaterThan(1);
  expect(Number(valuesOf(fields, 10)[0])).toBeGreaterThan(900e6);
});

test('the profile of the heap counts bytes that were allocated and are in use', async () => {
  const kept: string[][] = [];
  const answer = profile('heap?seconds=1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let i = 0; i < 200; i++) kept.push(Array.from({ length: 10_000 }, (_, at) => `${at}-${i}`));
  const fields = await answer;
  expect(textsIn(fields)).toEqual(expect.arrayContaining(['inuse_space', 'bytes']));
  expect(valuesOf(fields, 2).length).toBeGreaterThan(0);
  expect(kept).toHaveLength(200);
});

test('one profile is made at a time', async () => {
  const first = server.fetch('/debug/pprof/profile?seconds=1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const second = await server.fetch('/debug/pprof/heap?seconds=1');
  expect([second.status, await second.text()]).toEqual([500, 'another profile is being made\n']);
  expect((await first).status).toBe(200);
  expect((await server.fetch('/debug/pprof/profile?seconds=1')).status).toBe(200);
});

test.each(['0', '51', '-1', 'many', '1e1', ''])('a profile of %j seconds is refused', async (seconds) => {
  const { status } = await server.fetch(`/debug/pprof/profile?seconds=${seconds}`);
  expect(status).toBe(400);
});

describe('the other pages', () => {
  test.each([
    ['', 'text/html; charset=utf-8', 'href="/debug/pprof/profile"'],
    ['/', 'text/html; charset=utf-8', 'href="/debug/pprof/heap"'],
    ['/symbol', 'text/plain; charset=utf-8', 'num_symbols: 1'],
    ['/cmdline', 'text/plain; charset=utf-8', 'node'],
    ['/goroutine', 'text/plain; charset=utf-8', 'TCP'],
  ])('/debug/pprof%s', async (path, type, text) => {
    const response = await server.fetch(`/debug/pprof${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(await response.text()).toContain(text);
  });

  test('are not listed, and there are no others', async () => {
    expect((await apiOf(server).get('/')).body.paths).not.toContain('/debug/pprof');
    expect((await server.fetch('/debug/pprof/nothing')).status).toBe(404);
  });

  test('need the right to the path', async () => {
    const api = apiOf(server);
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await api.post(accounts, { metadata: { name: 'p' } });
    const { token } = (await api.post(`${accounts}/p/token`, { spec: {} })).body.status;
    expect((await secureCall(server, 'GET', '/debug/pprof/cmdline', { headers: bearer(token) })).status).toBe(403);
  });

  test('are there with profiling only', async () => {
    await using other = await startTestServer({ profiling: false });
    for (const path of ['/debug/pprof', '/debug/pprof/profile', '/debug/flags/v'])
      expect((await other.fetch(path)).status).toBe(404);
  });
});
