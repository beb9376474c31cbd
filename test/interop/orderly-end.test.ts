// SIGTERM in the middle of everything: what a client was told is kept, what has come is answered, watches end in order.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { configMap, configMaps } from '../integration/api.ts';
import { anyKubectl, describeWith, programOf } from './peers.ts';
import { RunningProgram } from './running-program.ts';
import { TempFolder } from './temp-folder.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number>;
  open(): ClientHttp2Session;
}

async function start(folder: string): Promise<Started> {
  const child = spawn(process.execPath, [bin, '--data-dir', folder, '--secure-port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let output = '';
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (part: Buffer) => {
      output += String(part);
      if (output.includes('get namespaces')) resolve();
    });
  });
  const url = /https:\/\/\S+/.exec(output)?.[0] as string;
  const pki = (file: string) => readFileSync(join(folder, 'pki', file));
  return {
    child,
    ended: once(child, 'close').then(([code]) => code as number),
    open: () => {
      const session = connect(url, { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') });
      return session.on('error', () => {});
    },
  };
}

interface Answer {
  /** 0 where the request was not begun with. */
  readonly status: number;
  readonly text: string;
  readonly isWhole: boolean;
}

/** How a request ended: with a whole answer, with none, or in the middle of one. */
function ask(session: ClientHttp2Session, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve({ status: 0, text: '', isWhole: false });
    const headers = { ':path': path, ':method': body ? 'POST' : 'GET', 'content-type': 'application/json' };
    const stream = session.request(headers, { endStream: body === undefined });
    let [status, text, isWhole] = [0, '', false];
    stream.setEncoding('utf8');
    stream.on('response', (found) => {
      status = Number(found[':status']);
    });
    stream.on('data', (part: string) => {
      text += part;
    });
    stream.on('end', () => {
      isWhole = true;
    });
    stream.on('error', () => {});
    stream.on('close', () => resolve({ status, text, isWhole: isWhole && stream.rstCode === 0 }));
    if (body) stream.end(JSON.stringify(body));
  });
}

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

describeWith(anyKubectl, 'a server that is told to stop while it is busy', () => {
  test('answers what has come, ends watches in order, and keeps what it acknowledged', async () => {
    using folder = new TempFolder();
    const first = await start(folder.path);
    const sessions = [first.open(), first.open()];
    const watched = ask(first.open(), `${configMaps}?watch=true`);
    const env = { ...process.env, KUBECONFIG: join(folder.path, 'kubeconfig') };
    const watching = ['get', 'configmaps', '--watch', '-o', 'name'];
    await using printed = new RunningProgram(programOf(anyKubectl), watching, { cwd: folder.path, env });

    const acknowledged = new Map<string, string>();
    const answers: Answer[] = [];
    let next = 0;
    let isTold = false;
    const writer = async (session: ClientHttp2Session) => {
      for (;;) {
        const name = `end-${next++}`;
        const answer = await ask(session, configMaps, configMap(name, { value: name.repeat(20) }));
        answers.push(answer);
        if (answer.status !== 201) return;
        acknowledged.set(name, (JSON.parse(answer.text) as Item).metadata.resourceVersion);
        if (acknowledged.size < 200 || isTold) continue;
        isTold = true;
        // kubectl is part of it
        await printed.printed(/configmap\/end-/);
        first.child.kill('SIGTERM');
      }
    };
    await Promise.all(sessions.flatMap((session) => Array.from({ length: 8 }, () => writer(session))));

    expect(await first.ended).toBe(0);
    expect(answers.filter(({ status, isWhole }) => status !== 0 && !isWhole)).toEqual([]);
    expect(answers.filter(({ status }) => ![0, 201, 429, 503].includes(status))).toEqual([]);
    const { status, text, isWhole } = await watched;
    expect([status, isWhole, text.endsWith('\n')]).toEqual([200, true, true]);
    const events = text.trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).not.toContain('ERROR');
    expect((await printed.outcome()).code).toBe(0);

    const second = await start(folder.path);
    const session = second.open();
    const { items } = JSON.parse((await ask(session, configMaps)).text) as { items: Item[] };
    const found = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    expect([...acknowledged].filter(([name, version]) => found.get(name) !== version)).toEqual([]);
    session.destroy();
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });
});
