import { describe, expect, test } from 'vitest';
import { zeroRevision } from '../meta/revision.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { storedLeases } from './endpoint-leases.ts';
import { withOwn } from './endpoint-reconciler.ts';
import { advertisedAddress } from './own-endpoints.ts';

describe('leases of API servers', () => {
  const opened = () => {
    const clock = new FakeClock();
    const store = openMemoryStore({ clock });
    return { clock, store, leases: storedLeases(store) };
  };

  test('are the addresses of those that renewed theirs', async () => {
    const { clock, leases } = opened();
    await leases.renew('10.1.0.1');
    await leases.renew('fd00::7');
    expect(await leases.list()).toEqual(['10.1.0.1', 'fd00::7']);
    clock.advance(10_000);
    await leases.renew('fd00::7');
    clock.advance(10_000);
    await expect.poll(() => leases.list()).toEqual(['fd00::7']);
    await leases.remove('fd00::7');
    await leases.remove('fd00::7');
    expect(await leases.list()).toEqual([]);
  });

  // what Go writes: texts also where they are empty, the time of creation as an empty message
  const record =
    '6b3873000a0f0a0276311209456e64706f696e747312220a100a0012001a0022002a00320038024200120e0a0c0a0831302e312e302e311a001a002200';

  test('are written as kube-apiserver writes them, the generation counting the renewals', async () => {
    const { store, leases } = opened();
    await leases.renew('10.1.0.1');
    await leases.renew('10.1.0.1');
    const stored = await store.get('/masterleases/10.1.0.1');
    expect(Buffer.from(stored?.value ?? []).toString('hex')).toBe(record);
  });

  test('that cannot be read are left out', async () => {
    const { store, leases } = opened();
    const write = (name: string, value: string) =>
      store.commit({ key: `/masterleases/${name}`, value: Buffer.from(value), expected: zeroRevision });
    await write('a', 'k8s\u0000\u00ff');
    await write('b', '{');
    await write('c', '{"subsets":[{"addresses":[{"ip":"10.1.0.3"}]}]}');
    expect(await leases.list()).toEqual(['10.1.0.3']);
  });
});

describe('by count', () => {
  test.each([
    [['b'], 'a', 2, ['a', 'b']],
    [['a', 'b'], 'a', 2, ['a', 'b']],
    [['a', 'b'], 'c', 2, ['b', 'c']],
    [['b', 'c'], 'a', 2, ['a', 'c']],
    [['a', 'b', 'c'], 'b', 1, ['b']],
    [[], 'a', 1, ['a']],
  ])('%j and our own %s of at most %i are %j', (current, own, count, wanted) => {
    expect(withOwn(current, own, count)).toEqual(wanted);
  });
});

describe('the advertised address', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['10.0.0.7', '10.0.0.7'],
    ['::1', '::1'],
    ['fd00::7', 'fd00::7'],
    ['localhost', '127.0.0.1'],
  ])('of a server that listens on %s is %s', (bound, advertised) => {
    expect(advertisedAddress(bound)).toBe(advertised);
  });

  test.each(['0.0.0.0', '::'])('of a server that listens on %s is no such address', (bound) => {
    expect(advertisedAddress(bound)).not.toBe(bound);
  });
});
