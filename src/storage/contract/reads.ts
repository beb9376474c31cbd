// What a store has to do with reads.

import { expect } from 'vitest';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { FutureRevisionError } from '../store.ts';
import { type Contract, put, remove, text } from './steps.ts';

export function describeReads(contract: Contract): void {
  contract('lists a prefix in key order and nothing next to it', async ({ store }) => {
    for (const key of ['/a/b', '/a/a', '/a/a-b', '/a/a.b', '/ab/x', '/a0', '/b/x']) await put(store, key, key);
    const { entries, more } = await store.list({ prefix: '/a/' });
    expect(entries.map(({ key }) => key)).toEqual(['/a/a', '/a/a-b', '/a/a.b', '/a/b']);
    expect(entries.map(({ value }) => text(value))).toEqual(['/a/a', '/a/a-b', '/a/a.b', '/a/b']);
    expect(more).toBe(false);
  });

  contract('pages through a fixed revision while writes go on', async ({ store }) => {
    let last = zeroRevision;
    for (let i = 0; i < 7; i++) last = await put(store, `/a/${i}`, 'old');
    const first = await store.list({ prefix: '/a/', limit: 3, countRemaining: true });
    expect(first).toMatchObject({ more: true, remaining: 4, revision: last });
    await put(store, '/a/35', 'new');
    await remove(store, '/a/5', (await store.get('/a/5'))?.revision ?? zeroRevision);
    await put(store, '/a/6', 'new', (await store.get('/a/6'))?.revision);
    const rest = await store.list({
      prefix: '/a/',
      after: '/a/2',
      at: first.revision,
      limit: 10,
      countRemaining: true,
    });
    expect(rest.entries.map(({ key, value }) => [key, text(value)])).toEqual([
      ['/a/3', 'old'],
      ['/a/4', 'old'],
      ['/a/5', 'old'],
      ['/a/6', 'old'],
    ]);
    expect(rest).toMatchObject({ more: false, remaining: 0 });
  });

  contract('reads any retained revision exactly', async ({ store }) => {
    const created = await put(store, '/a/1', 'one');
    const updated = await put(store, '/a/1', 'two', created);
    const deleted = await remove(store, '/a/1', updated);
    const again = await put(store, '/a/1', 'three');
    const at = async (wanted: Revision) =>
      (await store.list({ prefix: '/a/', at: wanted })).entries.map(({ value }) => text(value));
    expect([await at(created), await at(updated), await at(deleted), await at(again)]).toEqual([
      ['one'],
      ['two'],
      [],
      ['three'],
    ]);
  });

  contract('pages from a start key, with and without a limit, whether the key is there or not', async ({ store }) => {
    for (const key of ['/a/1', '/a/2', '/a/3', '/b/1']) await put(store, key, key);
    const keysOf = async (query: object) =>
      (await store.list({ prefix: '/a/', ...query })).entries.map(({ key }) => key);
    expect(await keysOf({ after: '/a/1' })).toEqual(['/a/2', '/a/3']);
    expect(await keysOf({ after: '/a/15' })).toEqual(['/a/2', '/a/3']);
    expect(await keysOf({ after: '/a/3' })).toEqual([]);
    expect(await keysOf({ after: '/a/1', limit: 1 })).toEqual(['/a/2']);
    expect(await store.list({ prefix: '/a/', limit: 3 })).toMatchObject({ more: false });
    expect(await store.list({ prefix: '/a/', limit: 2 })).toMatchObject({ more: true });
    expect(await store.list({ prefix: '/none/', limit: 2, countRemaining: true })).toMatchObject({
      entries: [],
      more: false,
      remaining: 0,
    });
  });

  contract('counts what follows a page at an older revision', async ({ store }) => {
    for (let i = 0; i < 5; i++) await put(store, `/a/${i}`, 'x');
    const at = (await store.list({ prefix: '/a/' })).revision;
    await remove(store, '/a/4', (await store.get('/a/4'))?.revision ?? zeroRevision);
    await put(store, '/a/9', 'x');
    expect(await store.list({ prefix: '/a/', limit: 2, at, countRemaining: true })).toMatchObject({ remaining: 3 });
  });

  contract('refuses to list a revision that is still to come', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    await expect(store.list({ prefix: '/a/', at: revision(first + 100) })).rejects.toThrow(FutureRevisionError);
  });
}
