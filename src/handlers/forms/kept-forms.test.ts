import { describe, expect, test } from 'vitest';
import { PartialObjects } from '../../codec/partial-object.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { field, string, struct } from '../../schema/types.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { KeptForms } from './kept-forms.ts';

const objects = Array.from({ length: 100 }, (_, index) => ({ key: String(index) }) as StoredObject);
const bytes = Buffer.alloc(840, 'x');

describe('messages that are kept', () => {
  test('are found by object and form', () => {
    const kept = new KeptForms(100_000, new FakeClock());
    const [one, other] = objects as [StoredObject, StoredObject];
    kept.messages('a').keep(one, Buffer.from('of a'));
    expect(Buffer.from(kept.messages('a').find(one) ?? []).toString()).toBe('of a');
    expect([kept.messages('b').find(one), kept.messages('a').find(other)]).toEqual([undefined, undefined]);
  });

  test('never take more than their budget, whatever the forms', () => {
    const kept = new KeptForms(20_000, new FakeClock());
    for (const form of ['a', 'b']) for (const stored of objects) kept.messages(form).keep(stored, bytes);
    const count = ['a', 'b'].flatMap((form) => objects.filter((stored) => kept.messages(form).find(stored))).length;
    expect(count).toBeGreaterThan(5);
    expect(count * 1000).toBeLessThanOrEqual(20_000);
  });

  test('stay while they are asked for', () => {
    const kept = new KeptForms(20_000, new FakeClock());
    const [busy, ...others] = objects as [StoredObject, ...StoredObject[]];
    kept.messages('a').keep(busy, bytes);
    for (const stored of others) {
      kept.messages('a').keep(stored, bytes);
      expect(kept.messages('a').find(busy)).toBeDefined();
    }
    expect(kept.messages('a').find(others[0] as StoredObject)).toBeUndefined();
  });

  test('include fields of rows, which are read again when rows show more', () => {
    const type = struct('test/v1', 'Sample', '', () => ({ a: field(1, string), b: field(2, string) }));
    const reader = PartialObjects.ofType(type);
    const kept = new KeptForms(20_000, new FakeClock());
    const rows = kept.rows(reader);
    const [one] = objects as [StoredObject];
    const text = Buffer.from('{"a":"1","b":"2"}');
    const show = (name: string) =>
      reader.reading((read) => {
        const object = rows.find(one)?.object ?? read(text, 0);
        rows.keep(one, object);
        return object[name];
      });
    expect([show('a'), rows.find(one)?.object]).toEqual(['1', { a: '1' }]);
    expect([show('b'), show('a'), rows.find(one)?.object]).toEqual(['2', '1', { a: '1', b: '2' }]);
    for (const stored of objects.slice(1)) kept.messages('a').keep(stored, bytes);
    expect(rows.find(one)).toBeUndefined();
  });

  test('include cells of rows for as long as their ages stay as they are', () => {
    const kept = new KeptForms(20_000, new FakeClock());
    const reader = PartialObjects.ofPaths([['a']]);
    const [one] = objects as [StoredObject];
    const row = kept.rows(reader).keep(one, {});
    expect(row.cells(0)).toBeUndefined();
    row.keepCells('["5s"]', 1000, 500);
    const textAt = (now: number) => Buffer.from(row.cells(now) ?? []).toString();
    expect([999, 1000, 1499, 1500].map(textAt)).toEqual(['', '["5s"]', '["5s"]', '']);
    row.keepCells('["a much longer text"]', 1500, 1000);
    expect(textAt(2000)).toBe('["a much longer text"]');
    row.keepCells('[]', 2500, Number.POSITIVE_INFINITY);
    expect(textAt(1e15)).toBe('[]');
  });

  test('include a row that is asked for again, with its cells', () => {
    const kept = new KeptForms(20_000, new FakeClock());
    const reader = PartialObjects.ofPaths([['a']]);
    const [busy, ...others] = objects as [StoredObject, ...StoredObject[]];
    kept.rows(reader).keep(busy, { a: '1' }).keepCells('["1"]', 0, 1000);
    for (const stored of others) {
      kept.messages('a').keep(stored, bytes);
      const row = kept.rows(reader).find(busy);
      expect([row?.object, Buffer.from(row?.cells(1) ?? []).toString()]).toEqual([{ a: '1' }, '["1"]']);
    }
  });

  test('are dropped when no client requested them in ten minutes', () => {
    const clock = new FakeClock();
    const kept = new KeptForms(20_000, clock);
    const [busy, idle] = objects as [StoredObject, StoredObject];
    for (const stored of [busy, idle]) kept.messages('a').keep(stored, bytes);
    for (let minutes = 0; minutes < 10; minutes++) {
      clock.advance(60_000);
      expect(kept.messages('a').find(busy)).toBeDefined();
    }
    expect(kept.messages('a').find(idle)).toBeUndefined();
    kept.close();
  });

  test('leave no timer behind, neither when all are dropped nor when the server stops', () => {
    const clock = new FakeClock();
    const kept = new KeptForms(20_000, clock);
    const [one] = objects as [StoredObject];
    expect(clock.alarmCount).toBe(0);
    kept.messages('a').keep(one, bytes);
    expect(clock.alarmCount).toBe(1);
    clock.advance(20 * 60_000);
    expect(clock.alarmCount).toBe(0);
    kept.messages('a').keep(one, bytes);
    kept.close();
    expect(clock.alarmCount).toBe(0);
  });

  test('include compressed pieces, which are made once for clients that ask at once, and again for other objects', async () => {
    const kept = new KeptForms(20_000, new FakeClock());
    const [a, b, c] = objects as [StoredObject, StoredObject, StoredObject];
    let count = 0;
    const piece = async (...some: readonly StoredObject[]) =>
      kept.pieces('a').of(some, async () => ({ bytes: Buffer.from(`${++count}`), checksum: 0, size: 1 }));
    const texts = async (...pieces: readonly ReturnType<typeof piece>[]) =>
      (await Promise.all(pieces)).map(({ bytes: text }) => Buffer.from(text).toString());
    expect(await texts(piece(a, b), piece(a, b))).toEqual(['1', '1']);
    expect(await texts(piece(a, b))).toEqual(['1']);
    expect(await texts(piece(a, c), piece(a), piece(b, c))).toEqual(['2', '3', '4']);
    for (const stored of objects.slice(3)) kept.messages('a').keep(stored, bytes);
    expect(await texts(piece(b, c))).toEqual(['5']);
  });

  test('do not include a piece whose compression failed', async () => {
    const kept = new KeptForms(20_000, new FakeClock());
    const [a] = objects as [StoredObject];
    const broken = kept.pieces('a').of([a], () => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    const piece = await kept.pieces('a').of([a], async () => ({ bytes: Buffer.from('1'), checksum: 0, size: 1 }));
    expect(Buffer.from(piece.bytes).toString()).toBe('1');
  });
});
