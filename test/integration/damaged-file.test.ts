// Data files that were cut off, overwritten or hit by a flipped bit: one clear line, never the end by a signal.

import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { fuzzRuns } from '../../src/testing/fuzz-runs.ts';
import { apiOf, configMap, configMaps } from './api.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const opener = join(import.meta.dirname, '../damage/open-store.mjs');

let folder = '';
let sound: Buffer = Buffer.alloc(0);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-damage-'));
  const dataDir = join(folder, 'sound');
  await using server = await createServer({ store: 'embedded', dataDir, controllers: [] });
  const api = apiOf(server);
  const names = Array.from({ length: 120 }, (_, i) => `a-${i}`);
  await Promise.all(names.map((name, i) => api.post(configMaps, configMap(name, { text: name.repeat(i * 10) }))));
  await Promise.all(names.slice(0, 60).map((name) => api.put(`${configMaps}/${name}`, configMap(name))));
  await Promise.all(names.slice(100).map((name) => api.delete(`${configMaps}/${name}`)));
  await server.close();
  sound = pagesInUse(readFileSync(join(dataDir, 'store', 'data.mdb')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without the room behind them, which is kept ready and holds nothing. */
function pagesInUse(file: Buffer): Buffer {
  const last = Math.max(...[144, 4096 + 144].map((at) => Number(file.readBigUInt64LE(at))));
  return file.subarray(0, (last + 1) * 4096);
}

/** A data folder with this data file. */
function damaged(bytes: Buffer): string {
  const dataDir = mkdtempSync(join(folder, 'damaged-'));
  mkdirSync(join(dataDir, 'store'), { mode: 0o700 });
  writeFileSync(join(dataDir, 'store', 'data.mdb'), bytes);
  return dataDir;
}

const overwritten = (at: number, bytes: Buffer) => {
  const copy = Buffer.from(sound);
  bytes.copy(copy, at);
  return copy;
};

/** In both of its heads. */
function morePages(): Buffer {
  const copy = Buffer.from(sound);
  for (const at of [144, 4096 + 144]) copy.fill(0x7f, at, at + 8);
  return copy;
}

const commands = ['serve', 'save', 'status', 'doctor'] as const;
type Command = (typeof commands)[number];

function run(command: Command, dataDir: string) {
  const words: Readonly<Record<Command, readonly string[]>> = {
    serve: ['serve', '--secure-port=0'],
    save: ['snapshot', 'save', join(dataDir, 'snapshot')],
    status: ['status'],
    doctor: ['doctor', '--secure-port=0'],
  };
  const args = [bin, ...words[command], '--data-dir', dataDir];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
}

/** Where a command puts the one line about the file; the others print what they can read as well. */
const lines: Readonly<Record<Command, RegExp>> = {
  serve: /^keelson: (the data file .*)\n$/,
  save: /^keelson: (the data file .*)\n$/,
  status: /^problem +store: (the data file .*)$/m,
  doctor: /^bad +store +(the data file .*)$/m,
};

describe('a data file', () => {
  test.each([
    ['that is empty', () => Buffer.alloc(0), 'it is empty'],
    ['of which only the beginning is left', () => sound.subarray(0, 100), 'ends before its head'],
    ['that lost its last third', () => sound.subarray(0, (sound.length * 2) / 3), 'it ends before page'],
    ['that is something else', () => Buffer.alloc(100_000, 'hello '), 'not that of a data file'],
    ['whose head says there are more pages', morePages, 'it has an impossible number'],
    ['whose pages were overwritten', () => overwritten(8192, Buffer.alloc(sound.length - 8192, 0xff)), 'page'],
    ['whose pages are zeros', () => overwritten(8192, Buffer.alloc(sound.length - 8192)), 'page'],
  ])('%s is refused in one line by serve, snapshot save, status and doctor', (_, bytes, words) => {
    for (const command of commands) {
      const dataDir = damaged(bytes());
      const { status, signal, stderr, stdout } = run(command, dataDir);
      expect({ command, status, signal }).toEqual({ command, status: 1, signal: null });
      const [, line = ''] = lines[command].exec(stderr + stdout) ?? [];
      expect(line, `${command}: ${stderr}${stdout}`).toMatch(/data\.mdb is damaged: .*; restore a snapshot/);
      expect(line).toContain(words);
    }
  });

  test('that was made longer is used as it is', () => {
    const dataDir = damaged(Buffer.concat([sound, Buffer.alloc(100_000)]));
    for (const command of ['save', 'status', 'doctor'] as const)
      expect(run(command, dataDir)).toMatchObject({ status: 0, stderr: '' });
  });
});

/** A process that opens folders; a new one after each that died. */
class Opener {
  #child: ChildProcess | undefined;

  async open(dataDir: string): Promise<unknown> {
    this.#child ??= fork(opener, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const child = this.#child;
    child.send(dataDir);
    const over = new AbortController();
    const { signal } = over;
    const died = once(child, 'exit', { signal }).then((how) => [{ died: how }]);
    const [message] = (await Promise.race([once(child, 'message', { signal }), died])) as [object];
    over.abort();
    died.catch(() => {});
    if ('died' in message) this.#child = undefined;
    return message;
  }

  close(): void {
    this.#child?.kill();
  }
}

type Damage =
  | { readonly how: 'cut'; readonly at: number }
  | { readonly how: 'bit'; readonly at: number; readonly bit: number }
  | { readonly how: 'page'; readonly at: number; readonly byte: number }
  | { readonly how: 'swap'; readonly at: number; readonly with: number };

/** Half of the damage goes to the heads of pages, where the numbers are. */
function damageOf(size: number): fc.Arbitrary<Damage> {
  const anywhere = fc.nat(size - 1);
  const head = fc.tuple(fc.nat(size / 4096 - 1), fc.nat(200)).map(([page, offset]) => page * 4096 + offset);
  const at = fc.oneof(anywhere, head);
  return fc.oneof(
    fc.record({ how: fc.constant('cut' as const), at: anywhere }),
    fc.record({ how: fc.constant('bit' as const), at, bit: fc.nat(7) }),
    fc.record({ how: fc.constant('page' as const), at, byte: fc.nat(255) }),
    fc.record({ how: fc.constant('swap' as const), at, with: anywhere }),
  );
}

function apply(bytes: Buffer, damage: Damage): Buffer {
  const copy = Buffer.from(bytes);
  const page = (at: number) => at - (at % 4096);
  switch (damage.how) {
    case 'cut':
      return copy.subarray(0, damage.at);
    case 'bit':
      copy[damage.at] = (copy[damage.at] ?? 0) ^ (1 << damage.bit);
      return copy;
    case 'page':
      return copy.fill(
        damage.byte,
        Math.min(copy.length, page(damage.at)),
        Math.min(copy.length, page(damage.at) + 4096),
      );
    case 'swap':
      sound.copy(copy, Math.min(copy.length, page(damage.at)), page(damage.with), page(damage.with) + 4096);
      return copy;
  }
}

test('however a data file is damaged, opening and using it ends with answers or with one line', async () => {
  const use = new Opener();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(damageOf(sound.length), { minLength: 1, maxLength: 3 }), async (all) => {
        const dataDir = damaged(all.reduce(apply, sound));
        const outcome = (await use.open(dataDir)) as { refused?: string; died?: unknown };
        rmSync(dataDir, { recursive: true, force: true });
        expect(outcome).not.toHaveProperty('died');
        expect(outcome.refused ?? '').not.toContain('\n');
      }),
      fuzzRuns(25),
    );
  } finally {
    use.close();
  }
});
