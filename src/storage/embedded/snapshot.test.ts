import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { CompactedError, type Store } from '../store.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import { restoreSnapshot, saveSnapshot } from './snapshot.ts';
import { readSnapshot, SnapshotError } from './snapshot-file.ts';

/** A snapshot file put together by hand, with a hash that is right. */
function crafted(header: object, entries: readonly { revision: number; record: Buffer; length?: number }[]): Buffer {
  const frame = (length: number, number: number) => {
    const out = Buffer.alloc(10);
    out.writeUInt32BE(length, 0);
    out.writeUIntBE(number, 4, 6);
    return out;
  };
  const content = Buffer.concat([
    Buffer.from(`keelson snapshot\n${JSON.stringify(header)}\n`),
    ...entries.flatMap(({ revision: at, record, length }) => [frame(length ?? record.length, at), record]),
    frame(0, entries.length),
  ]);
  return Buffer.concat([content, createHash('sha256').update(content).digest()]);
}

/** The record of an object, with numbers that need not be true. */
function recordOf(
  key: string,
  { flags = 0, previous = 0, keyLength = Buffer.byteLength(key), value = '{}' } = {},
): Buffer {
  const head = Buffer.alloc(9);
  head[0] = flags;
  head.writeUIntBE(previous, 1, 6);
  head.writeUInt16BE(keyLength, 7);
  return Buffer.concat([head, Buffer.from(key + value)]);
}

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-snapshot-'));
  file = join(folder, 'a.snapshot');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function put(store: Store, key: string, value: string, expected: Revision = zeroRevision): Promise<Revision> {
  const result = await store.commit({ key, value: Buffer.from(value), expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

async function contentOf(store: Store): Promise<unknown[]> {
  const { entries } = await store.list({ prefix: '/' });
  return entries.map((entry) => [entry.key, Buffer.from(entry.value).toString(), entry.revision]);
}

/** A store with a history: `/a/1` changed, `/a/2` deleted, `/b/1` created. */
async function filled(): Promise<Store> {
  const store = openEmbeddedStore(join(folder, 'store'));
  await put(store, '/a/1', 'new', await put(store, '/a/1', 'old'));
  await store.commit({ key: '/a/2', value: undefined, expected: await put(store, '/a/2', 'x') });
  await put(store, '/b/1', 'y'.repeat(100_000));
  return store;
}

describe('a snapshot', () => {
  test('restores every object with its version, and later versions are higher', async () => {
    const store = await filled();
    const saved = await saveSnapshot(join(folder, 'store'), file);
    const before = await contentOf(store);
    expect(saved).toMatchObject({ objects: 2, revision: await store.currentRevision(), format: 1 });
    expect(saved.size).toBe(statSync(file).size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await store.close();

    expect(await readSnapshot(file)).toEqual(saved);
    expect(await restoreSnapshot(file, join(folder, 'other'))).toEqual(saved);
    const restored = openEmbeddedStore(join(folder, 'other'));
    expect(await contentOf(restored)).toEqual(before);
    expect(await restored.currentRevision()).toBe(saved.revision);
    await expect(restored.list({ prefix: '/', at: revision(saved.revision - 1) })).rejects.toThrow(CompactedError);
    expect(await put(restored, '/c/1', 'z')).toBe(saved.revision + 1);
    await restored.close();
  });

  test('shows one moment, while writes go on', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    // two keys that always change together: `left` first
    let [left, right] = [await put(store, '/left', '0'), await put(store, '/right', '0')];
    let stop = false;
    const writing = (async () => {
      for (let i = 1; !stop; i++) {
        left = await put(store, '/left', `${i}`, left);
        right = await put(store, '/right', `${i}`, right);
        await put(store, `/fill/${i}`, 'x'.repeat(1000));
      }
    })();
    for (let round = 0; round < 5; round++) {
      const restored = new Map<string, string>();
      const saved = await saveSnapshot(join(folder, 'store'), file);
      await readSnapshot(file, ({ key, value, revision: at }) => {
        expect(at).toBeLessThanOrEqual(saved.revision);
        restored.set(key, Buffer.from(value ?? []).toString());
      });
      const [l, r] = [Number(restored.get('/left')), Number(restored.get('/right'))];
      expect([0, 1]).toContain(l - r);
      for (let i = 1; i < r; i++) expect(restored.has(`/fill/${i}`)).toBe(true);
    }
    stop = true;
    await writing;
    await store.close();
  });

  test('keeps when objects end', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    await store.commit({ key: '/e/1', value: Buffer.from('x'), expected: zeroRevision, ttlSeconds: 0.3 });
    await saveSnapshot(join(folder, 'store'), file);
    await store.close();
    await restoreSnapshot(file, join(folder, 'other'));
    const restored = openEmbeddedStore(join(folder, 'other'));
    const ended = new Promise((resolve) => {
      restored.watch(
        { prefix: '/e/', after: restored.currentRevision() as Revision },
        { onEvents: ([event]) => resolve(event?.value), onProgress() {}, onEnd() {} },
      );
    });
    expect(await ended).toBeUndefined();
    await restored.close();
  });

  test('can skip versions that were handed out after it was made', async () => {
    await (await filled()).close();
    const saved = await saveSnapshot(join(folder, 'store'), file);
    await restoreSnapshot(file, join(folder, 'other'), { bumpRevision: 1000 });
    const restored = openEmbeddedStore(join(folder, 'other'));
    expect(await put(restored, '/c/1', 'z')).toBe(saved.revision + 1001);
    await restored.close();
  });

  test('is not restored over anything', async () => {
    await (await filled()).close();
    await saveSnapshot(join(folder, 'store'), file);
    const before = readFileSync(join(folder, 'store', 'data.mdb'));
    await expect(restoreSnapshot(file, join(folder, 'store'))).rejects.toThrow('is not empty');
    expect(readFileSync(join(folder, 'store', 'data.mdb')).equals(before)).toBe(true);
  });

  test('may be restored into an empty folder', async () => {
    await (await filled()).close();
    await saveSnapshot(join(folder, 'store'), file);
    mkdirSync(join(folder, 'other'));
    expect((await restoreSnapshot(file, join(folder, 'other'))).objects).toBe(2);
  });

  test('is not made of a folder without a store', async () => {
    await expect(saveSnapshot(join(folder, 'none'), file)).rejects.toThrow(SnapshotError);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a damaged file is refused and leaves nothing behind', () => {
  const flip = (bytes: Buffer, at: number) => {
    bytes[at] = (bytes[at] as number) ^ 0xff;
    return bytes;
  };
  test.each([
    ['one byte of an object is another one', (bytes: Buffer) => flip(bytes, 20_000), 'does not match its hash'],
    ['the hash is another one', (bytes: Buffer) => flip(bytes, bytes.length - 1), 'does not match its hash'],
    ['the end is missing', (bytes: Buffer) => bytes.subarray(0, bytes.length - 50), 'ends too early'],
    ['there is more than a snapshot', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]), 'follows the end'],
    ['it is something else', () => Buffer.from('hello'), 'no snapshot of Keelson'],
    ['it is empty', () => Buffer.alloc(0), 'no snapshot of Keelson'],
    [
      'it is of a newer format',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"format":1', '"format":2'), 'latin1'),
      'newer version (format 2',
    ],
  ])('%s', async (_, damage, message) => {
    await (await filled()).close();
    await saveSnapshot(join(folder, 'store'), file);
    const bad = join(folder, 'bad');
    copyFileSync(file, bad);
    writeFileSync(bad, damage(readFileSync(file)));
    await expect(readSnapshot(bad)).rejects.toThrow(message);
    await expect(restoreSnapshot(bad, join(folder, 'other'))).rejects.toThrow(SnapshotError);
    expect(readdirSync(folder).sort()).toEqual(['a.snapshot', 'bad', 'store']);
  });
});

describe('a file with a hash that is right is refused all the same', () => {
  const header = { format: 1, revision: 10 };
  const sound = { revision: 5, record: recordOf('/a/1') };
  const entry = (options: Parameters<typeof recordOf>[1]) =>
    crafted(header, [{ revision: 5, record: recordOf('/a/1', options) }]);
  test.each([
    ['its revision is negative', crafted({ format: 1, revision: -1 }, []), 'revision -1 is out of range'],
    ['its revision leaves no room for others', crafted({ format: 1, revision: 2 ** 48 }, []), 'is out of range'],
    ['its format never was', crafted({ format: 0, revision: 1 }, []), 'there is no format 0'],
    ['an entry is newer than the header', crafted(header, [{ ...sound, revision: 11 }]), 'entry has revision 11'],
    ['an entry has no revision', crafted(header, [{ ...sound, revision: 0 }]), 'entry has revision 0'],
    ['a key is longer than its record', entry({ keyLength: 500 }), 'shorter than its lengths say'],
    ['a key is longer than the store takes', entry({ keyLength: 2000 }), 'a key of 2000 bytes'],
    ['a key is empty', entry({ keyLength: 0 }), 'a key of 0 bytes'],
    ['an end is beyond the record', entry({ flags: 2 }), 'shorter than its lengths say'],
    ['a flag is unknown', entry({ flags: 4 }), 'unknown flags'],
    ['an object is a deleted one', entry({ flags: 1 }), 'of a deleted object'],
    ['an entry replaces another', entry({ previous: 3 }), 'replaces another one'],
    ['a record is too short', crafted(header, [{ revision: 5, record: Buffer.alloc(4) }]), 'shorter than its head'],
    ['a length is beyond the file', crafted(header, [{ ...sound, length: 4_000_000_000 }]), 'ends too early'],
  ])('%s', async (_, bytes, message) => {
    writeFileSync(file, bytes);
    await expect(readSnapshot(file)).rejects.toThrow(message);
    await expect(restoreSnapshot(file, join(folder, 'other'))).rejects.toThrow(SnapshotError);
    expect(readdirSync(folder)).toEqual(['a.snapshot']);
  });

  test('two entries have one revision', async () => {
    writeFileSync(file, crafted(header, [sound, { ...sound, record: recordOf('/a/2') }]));
    await expect(restoreSnapshot(file, join(folder, 'other'))).rejects.toThrow('two entries have revision 5');
    expect(readdirSync(folder)).toEqual(['a.snapshot']);
  });

  test('the revisions to skip lead out of range', async () => {
    writeFileSync(file, crafted({ format: 1, revision: 2 ** 47 }, [sound]));
    await expect(restoreSnapshot(file, join(folder, 'other'), { bumpRevision: 1 })).rejects.toThrow('out of range');
    expect((await restoreSnapshot(file, join(folder, 'other'))).objects).toBe(1);
  });
});

test("a restored store is its owner's alone", async () => {
  await (await filled()).close();
  await saveSnapshot(join(folder, 'store'), file);
  await restoreSnapshot(file, join(folder, 'other'));
  for (const store of ['store', 'other'])
    for (const name of ['data.mdb', 'lock.mdb']) expect(statSync(join(folder, store, name)).mode & 0o777).toBe(0o600);
});

test('whatever stands in a snapshot file, it is restored whole or refused by a SnapshotError', async () => {
  const record = fc.record({
    flags: fc.constantFrom(0, 0, 0, 2, 1, 255),
    previous: fc.constantFrom(0, 0, 7),
    keyLength: fc.oneof(fc.constant(4), fc.nat(65_535)),
    value: fc.string({ maxLength: 20 }),
  });
  const entry = fc.record({
    revision: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.nat(2 ** 31)),
    record: fc.oneof(
      record.map((options) => recordOf('/a/1', options)),
      fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    ),
  });
  const header = fc.oneof(
    fc.constant({ format: 1, revision: 10 }),
    fc.record({ format: fc.integer({ max: 2 }), revision: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.string()) }),
    fc.object(),
  );
  const flip = fc.option(fc.nat());
  await fc.assert(
    fc.asyncProperty(header, fc.array(entry, { maxLength: 4 }), flip, async (head, entries, at) => {
      const bytes = crafted(head, entries);
      if (at !== null) bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ 1;
      writeFileSync(file, bytes);
      const other = join(folder, 'other');
      try {
        const { objects, revision: restored } = await restoreSnapshot(file, other);
        const store = openEmbeddedStore(other);
        expect(await store.currentRevision()).toBe(restored);
        expect((await contentOf(store)).length).toBeLessThanOrEqual(objects);
        await store.close();
      } catch (error) {
        expect(error).toBeInstanceOf(SnapshotError);
      }
      rmSync(other, { recursive: true, force: true });
    }),
    fuzzRuns(60),
  );
});
