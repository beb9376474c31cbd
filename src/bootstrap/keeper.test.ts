import { describe, expect, test } from 'vitest';
import { zeroRevision } from '../meta/revision.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Keeper } from './keeper.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function started(reconcile: () => Promise<void>) {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  const errors: unknown[] = [];
  let looks = 0;
  const keeper = new Keeper({
    ...{ store, clock, keys: ['/a/one'], everyMs: 60_000, onError: (error) => errors.push(error) },
    reconcile() {
      looks++;
      return reconcile();
    },
  });
  keeper.start();
  const write = (key: string) => store.commit({ key, value: Buffer.from('{}'), expected: zeroRevision });
  return { clock, store, keeper, errors, write, looks: () => looks };
}

describe('a keeper', () => {
  test('looks at start, when its object changes, and now and then', async () => {
    const { clock, keeper, write, looks } = started(async () => {});
    await turn();
    expect(looks()).toBe(1);
    await write('/a/one');
    await turn();
    expect(looks()).toBe(2);
    await write('/a/one-more');
    await turn();
    expect(looks()).toBe(2);
    clock.advance(60_000);
    expect(looks()).toBe(3);
    await keeper.close();
  });

  test('looks once more for everything that happens during a look', async () => {
    let finish = () => {};
    const { keeper, looks } = started(() => new Promise((resolve) => (finish = resolve)));
    keeper.look();
    keeper.look();
    expect(looks()).toBe(1);
    finish();
    await turn();
    expect(looks()).toBe(2);
    finish();
    await turn();
    expect(looks()).toBe(2);
    await keeper.close();
  });

  test('a failed attempt is repeated after growing pauses, and reported', async () => {
    const { clock, keeper, errors, looks } = started(async () => {
      throw new Error('no');
    });
    await turn();
    for (const pause of [250, 500, 1000]) {
      clock.advance(pause - 1);
      await turn();
      const before = looks();
      clock.advance(1);
      await turn();
      expect(looks()).toBe(before + 1);
    }
    expect(errors).toHaveLength(4);
    await keeper.close();
  });

  test('does nothing any more once it is closed', async () => {
    const { clock, keeper, write, looks } = started(async () => {});
    await keeper.close();
    await write('/a/one');
    clock.advance(600_000);
    keeper.look();
    await turn();
    expect(looks()).toBe(1);
  });
});
