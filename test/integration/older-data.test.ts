// Data folders and snapshots of every layout so far: each opens with its objects, or is refused in one line that explains what to do.
// The first two layouts are older than custom resources and than events that expire.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf, configMap } from './api.ts';
import { eventually } from './eventually.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const fixtures = join(import.meta.dirname, '../golden/data-folders');
const named = (ending: string) =>
  readdirSync(fixtures)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
const unpacked = (file: string) => gunzipSync(readFileSync(join(fixtures, file)));

function layDown(folder: string, fixture: string): void {
  mkdirSync(join(folder, 'store'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'store/data.mdb'), unpacked(`${fixture}.mdb.gz`), { mode: 0o600 });
}

function keelson(
  ...args: string[]
): Promise<{ readonly code: number; readonly output: string; readonly errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

const shop = '/api/v1/namespaces/shop';

/** Serves the folder, and expects what every fixture holds. */
async function expectObjects(dataDir: string, isRecent: boolean): Promise<void> {
  const clock = new FakeClock();
  await using server = await createServer({ store: 'embedded', dataDir, clock });
  const api = apiOf(server);
  const prices = await api.get(`${shop}/configmaps/prices`);
  expect(prices.body.data).toEqual({ apple: '3', pear: '4' });
  expect((await api.get(`${shop}/configmaps/gone`)).status).toBe(404);
  expect((await api.get(shop)).body.status).toEqual({ phase: 'Active' });
  if (isRecent) {
    // its hour is over, years later
    await eventually(async () => {
      clock.advance(60_000);
      expect((await api.get(`${shop}/events/bought`)).status).toBe(404);
    });
    await eventually(async () => {
      const apple = await api.get('/apis/example.com/v1/namespaces/shop/fruits/apple');
      expect(apple.body.spec).toEqual({ color: 'red' });
    });
  }
  // what is written now comes after all revisions of the older release
  const created = await api.post(`${shop}/configmaps`, configMap('new'));
  expect(created.status).toBe(201);
  const newest = Number(created.body.metadata.resourceVersion);
  expect(newest).toBeGreaterThan(Number(prices.body.metadata.resourceVersion));
  expect((await api.patch('merge', `${shop}/configmaps/prices`, { data: { plum: '5' } })).status).toBe(200);
}

const recentSince = 3;
const isRecent = (fixture: string) => Number(fixture[0]) >= recentSince;

test('there is a data folder of each layout', () => {
  expect(named('.mdb.gz')).toEqual([
    '1-first',
    '2-expiring-objects',
    '3-extended-file',
    '4-several-threads',
    '5-release-noted',
  ]);
});

describe.each(named('.mdb.gz'))('the data folder %s', (fixture) => {
  test('opens with its objects, takes writes, and opens again', async () => {
    using folder = new TempFolder();
    layDown(folder.path, fixture);
    await expectObjects(folder.path, isRecent(fixture));
    await using server = await createServer({ store: 'embedded', dataDir: folder.path });
    const { data } = (await apiOf(server).get(`${shop}/configmaps/prices`)).body;
    expect(data).toEqual({ apple: '3', pear: '4', plum: '5' });
  });
});

describe.each(named('.snapshot.gz'))('the snapshot %s', (fixture) => {
  test('is sound, and is restored with its objects', async () => {
    using folder = new TempFolder();
    const file = join(folder.path, 'one.snapshot');
    writeFileSync(file, unpacked(`${fixture}.snapshot.gz`));
    expect((await keelson('snapshot', 'status', file)).code).toBe(0);
    const dataDir = join(folder.path, 'data');
    expect(await keelson('snapshot', 'restore', file, '--data-dir', dataDir)).toMatchObject({ code: 0, errors: '' });
    await expectObjects(dataDir, isRecent(fixture));
  });
});

describe('a data folder that this release does not read is refused in one line', () => {
  async function startWithFormat(format: unknown): Promise<string> {
    using folder = new TempFolder();
    layDown(folder.path, named('.mdb.gz').at(-1) as string);
    const root = open({ path: join(folder.path, 'store'), encoding: 'binary', noSubdir: false });
    await root.openDB({ name: 'meta', encoding: 'json' }).put('format', format);
    await root.close();
    const { code, errors } = await keelson('serve', '--data-dir', folder.path, '--secure-port=0');
    expect(code).toBe(1);
    return errors.replaceAll(folder.path, 'DATA');
  }

  test('when its format is newer', async () => {
    expect(await startWithFormat(2)).toBe(
      'keelson: DATA/store was written by a newer version (format 2, this one reads 1); ' +
        'install that version, or restore an older snapshot into another folder\n',
    );
  });

  test.each([0, -1, 'two', null])('when its format is %j', async (format) => {
    expect(await startWithFormat(format)).toBe(
      `keelson: DATA/store has a format that never was, ${JSON.stringify(format)}; restore a snapshot into another folder\n`,
    );
  });
});

test.each(['status', 'restore'])(
  'keelson snapshot %s refuses a snapshot of a newer format by its name',
  async (action) => {
    using folder = new TempFolder();
    const file = join(folder.path, 'later.snapshot');
    const bytes = unpacked('5-release-noted.snapshot.gz').toString('latin1').replace('"format":1', '"format":2');
    writeFileSync(file, bytes, 'latin1');
    const more = action === 'restore' ? ['--data-dir', join(folder.path, 'data')] : [];
    expect(await keelson('snapshot', action, file, ...more)).toEqual({
      code: 1,
      output: '',
      errors: `keelson: ${file}: it was written by a newer version (format 2, this one reads 1); restore it with that version\n`,
    });
  },
);
