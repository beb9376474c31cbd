// Arguments of the test kit that are wrong: an error at once, never a fault for every request or for none.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-kit-arguments-'));
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
});
afterEach(() => server.reset());
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const seed = `
apiVersion: v1
kind: ConfigMap
metadata: { name: a }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: b }
`;

describe('a misspelt argument of the kit in plain JavaScript', () => {
  // what a program without types may pass
  type Loose = Record<string, (...args: readonly unknown[]) => unknown>;
  const loose = (part: unknown) => part as Loose;

  test.each<[string, () => unknown, string]>([
    [
      'filter of fail',
      () => loose(server.faults)['fail']?.({ verbs: 'get' }),
      'filter has no "verbs"; did you mean verb?',
    ],
    [
      'filter of delay',
      () => loose(server.faults)['delay']?.({ kind: 'Pod' }, 5),
      'filter has no "kind"; use verb, res',
    ],
    [
      'filter of drop',
      () => loose(server.faults)['drop']?.({ resource: 3 }),
      'filter.resource must be a text or a list',
    ],
    ['filter that is a text', () => loose(server.faults)['fail']?.('pods'), 'filter must be an object'],
    [
      'verb',
      () => loose(server.faults)['fail']?.({ verb: ['get', 'creat'] }),
      '"creat" is not a verb; did you mean create?',
    ],
    [
      'option of fail',
      () => loose(server.faults)['fail']?.({}, { code: 409 }),
      'options has no "code"; use nth, times',
    ],
    ['turn of fail', () => loose(server.faults)['fail']?.({}, { nth: 0 }), 'options.nth must be a whole number from 1'],
    [
      'status of fail',
      () => loose(server.faults)['fail']?.({}, { status: '409' }),
      'options.status must be a status from',
    ],
    ['time of delay', () => loose(server.faults)['delay']?.({}, '5'), 'ms must be a number that is not negative'],
    [
      'option of drop',
      () => loose(server.faults)['drop']?.({}, { what: 'reply' }),
      'options.what must be one of request',
    ],
    ['filter of watches', () => loose(server.faults)['endWatches']?.({ resources: 'pods' }), 'did you mean resource?'],
    ['option of breakStore', () => loose(server.faults)['breakStore']?.({ writes: true }), 'did you mean writesOnly?'],
    ['filter of the journal', () => loose(server.journal)['requests']?.({ users: 'a' }), 'did you mean user?'],
    [
      'filter of assertDidNotWrite',
      () => loose(server.journal)['assertDidNotWrite']?.({ user_: 'a' }),
      'filter has no',
    ],
    ['option of assertWrote', () => loose(server.journal)['assertWrote']?.({}, { time: 1 }), 'did you mean times?'],
    ['groups of a user', () => loose(server)['asUser']?.('alice', 'devs'), 'user.groups must be a list of texts'],
  ])('is refused: %s', (_, act, message) => {
    expect(act).toThrow(message);
    // and nothing was planned
    expect(server.journal.requests()).toEqual([]);
  });

  test('is refused where the answer is a promise', async () => {
    const list = server.client.pods('default').list({ labelSelectors: 'a=b' } as object);
    await expect(list).rejects.toThrow('options has no "labelSelectors"; did you mean labelSelector?');
    const looked = server.eventually(() => true, { timeout: 5 } as object);
    await expect(looked).rejects.toThrow('options has no "timeout"; did you mean timeoutMs?');
  });
});

test('manifests name the file and the document of a mistake', async () => {
  const path = join(folder, 'many.list');
  writeFileSync(path, `${seed}---\nkind: Pod\n---\n{}\n`);
  await expect(startTestServer({ listen: false, manifests: [path] })).rejects.toThrow(
    `${path}: document 3: an object needs apiVersion, kind and metadata`,
  );
  writeFileSync(path, `${seed}---\na: [\n`);
  await expect(startTestServer({ listen: false, manifests: [path] })).rejects.toThrow(`${path}: document 3: `);
  await expect(server.apply('a: *b')).rejects.toThrow('the manifest: ');
});

test('a server that is left open is named on the standard error, with the place of its start', async () => {
  const program = join(folder, 'left-open.mjs');
  const kit = join(import.meta.dirname, '../../dist/testing.js');
  writeFileSync(program, `import { startTestServer } from ${JSON.stringify(kit)};\nawait startTestServer();\n`);
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const [line] = (await once(child.stderr as NodeJS.ReadableStream, 'data')) as [Buffer];
    expect(line.toString()).toMatch(
      /^keelson: the test server started at .*left-open\.mjs:2:7 is still open: call close\(\), or the process does not end\n$/,
    );
  } finally {
    child.kill();
  }
});
