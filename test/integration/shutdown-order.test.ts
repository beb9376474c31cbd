// SIGTERM, step by step, as kube-apiserver stops: not ready, a delay in which all is served, no new requests, watches end, writes finish.

import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { TempFolder } from '../interop/temp-folder.ts';
import { configMap, configMaps } from './api.ts';
import { CommandServer } from './command-server.ts';
import { eventually } from './eventually.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Ended by END_STREAM, not by a reset. */
  readonly isWhole: boolean;
}

function answerTo(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
    let text = '';
    let isWhole = false;
    stream.setEncoding('utf8').on('error', reject);
    stream.on('response', (values) => {
      headers = values;
    });
    stream.on('data', (part: string) => {
      text += part;
    });
    stream.on('end', () => {
      isWhole = true;
    });
    stream.on('close', () => {
      resolve({ status: headers[':status'] ?? 0, headers, text, isWhole: isWhole && stream.rstCode === 0 });
    });
  });
}

const get = (session: ClientHttp2Session, path: string): Promise<Answer> =>
  answerTo(session.request({ ':path': path }));

/** A write whose body is incomplete until `finish`. */
function slowWrite(session: ClientHttp2Session, name: string) {
  const headers = { ':path': configMaps, ':method': 'POST', 'content-type': 'application/json' };
  const stream = session.request(headers);
  const body = JSON.stringify(configMap(name));
  stream.write(body.slice(0, 5));
  return { answer: answerTo(stream), finish: () => stream.end(body.slice(5)) };
}

/** Over HTTP/1.1, on a new connection. */
function callOnce(server: CommandServer, path: string): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const options: RequestOptions = { host: '127.0.0.1', port: server.port, ...server.identity, path, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(options, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    sent.on('error', reject).end();
  });
}

const start = (folder: string, threads: number, ...args: string[]) =>
  CommandServer.start({ folder, args: ['--secure-port=0', `--threads=${threads}`, '--v=1', ...args] });

/** Connections until each thread has one; the system spreads them. */
async function sessionsOn(server: CommandServer, count: number): Promise<readonly ClientHttp2Session[]> {
  const sessions = Array.from({ length: count }, () => server.connect());
  await Promise.all(sessions.map((session) => get(session, '/version')));
  return sessions;
}

describe.each([1, 2])('SIGTERM to a server of %i threads', (threads) => {
  test('/readyz fails at once, all else is served for --shutdown-delay-duration, then watches and writes end whole', async () => {
    using folder = new TempFolder();
    await using server = await start(folder.path, threads, '--shutdown-delay-duration=3s');
    const sessions = await sessionsOn(server, 6);
    const goaways = sessions.map((session) => once(session, 'goaway'));
    const watches = sessions.map((session) => get(session, `${configMaps}?watch=true`));
    const writes = sessions.map((session, at) => slowWrite(session, `late-${at}`));
    server.signal('SIGTERM');
    await eventually(async () => {
      for (const session of sessions) expect((await get(session, '/readyz')).status).toBe(500);
    });
    for (const session of sessions) {
      expect((await get(session, '/livez')).status).toBe(200);
      expect((await get(session, configMaps)).status).toBe(200);
    }
    expect((await callOnce(server, configMaps)).status).toBe(200);
    const codes = (await Promise.all(goaways)).map(([code]) => code as number);
    expect(new Set(codes)).toEqual(new Set([0]));
    for (const { status, isWhole, text } of await Promise.all(watches)) {
      expect([status, isWhole]).toEqual([200, true]);
      expect(text).not.toContain('"ERROR"');
    }
    // the writes are still under way
    for (const { finish } of writes) finish();
    for (const { answer } of writes) expect(await answer).toMatchObject({ status: 201, isWhole: true });
    expect(await server.ended).toBe(0);
  });

  test('--shutdown-watch-termination-grace-period: watches end when writes have finished, and show what these wrote', async () => {
    using folder = new TempFolder();
    await using server = await start(folder.path, threads, '--shutdown-watch-termination-grace-period=1s');
    const sessions = await sessionsOn(server, 2);
    const goaways = sessions.map((session) => once(session, 'goaway'));
    const watches = sessions.map((session) => get(session, `${configMaps}?watch=true`));
    const writes = sessions.map((session, at) => slowWrite(session, `last-${at}`));
    server.signal('SIGTERM');
    await Promise.all(goaways);
    for (const { finish } of writes) finish();
    for (const { answer } of writes) expect(await answer).toMatchObject({ status: 201, isWhole: true });
    for (const { status, isWhole } of await Promise.all(watches)) expect([status, isWhole]).toEqual([200, true]);
    if (threads === 1)
      for (const { text } of await Promise.all(watches))
        for (const at of [0, 1]) expect(text).toContain(`"name":"last-${at}"`);
    expect(await server.ended).toBe(0);
  });

  test('--shutdown-send-retry-after: after the delay new requests get a 429 and leave, health and metrics are served', async () => {
    using folder = new TempFolder();
    await using server = await start(
      folder.path,
      threads,
      '--shutdown-send-retry-after',
      '--shutdown-grace-period=20s',
    );
    const sessions = await sessionsOn(server, 6);
    const watches = sessions.map((session) => get(session, `${configMaps}?watch=true`));
    const writes = sessions.map((session, at) => slowWrite(session, `late-${at}`));
    await Promise.all(sessions.map((session) => get(session, '/version')));
    server.signal('SIGTERM');
    for (const { status, isWhole } of await Promise.all(watches)) expect([status, isWhole]).toEqual([200, true]);
    for (const session of sessions) {
      for (const path of ['/livez', '/metrics']) expect((await get(session, path)).status).toBe(200);
      expect((await get(session, '/readyz')).status).toBe(500);
      const goaway = once(session, 'goaway');
      const refusal = await get(session, configMaps);
      expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5' }, isWhole: true });
      expect(refusal.text).toBe('The apiserver is shutting down, please try again later.\n');
      const [code] = (await goaway) as [number];
      expect(code).toBe(0);
    }
    const refusal = await callOnce(server, configMaps);
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5', connection: 'close' } });
    for (const { finish } of writes) finish();
    for (const { answer } of writes) expect(await answer).toMatchObject({ status: 201, isWhole: true });
    expect(await server.ended).toBe(0);
  });
});
