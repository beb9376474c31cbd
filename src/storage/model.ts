// Random command sequences against a naive model: what nobody thought of.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Revision, revision } from '../meta/revision.ts';
import type { StoreFixture } from './contract.ts';
import { CompactedError, type Store } from './store.ts';

/** The whole history, as a list of snapshots. */
interface Model {
  readonly snapshots: Map<number, ReadonlyMap<string, { value: string; revision: number }>>;
  current: ReadonlyMap<string, { value: string; revision: number }>;
  /** The revision before the first command. */
  readonly base: number;
  revision: number;
  compacted: number;
}

type Command = fc.AsyncCommand<Model, Store>;

const keys = ['/a/1', '/a/2', '/a/3', '/b/1'];

class WriteCommand implements Command {
  readonly key: string;
  readonly value: string | undefined;
  readonly stale: boolean;
  constructor(key: string, value: string | undefined, stale: boolean) {
    this.key = key;
    this.value = value;
    this.stale = stale;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, store: Store): Promise<void> {
    const found = model.current.get(this.key)?.revision ?? 0;
    const expected = this.stale ? found + 1 : found;
    const value = this.value === undefined ? undefined : Buffer.from(this.value);
    const result = await store.commit({ key: this.key, value, expected: revision(expected) });
    expect(result.kind).toBe(this.stale ? 'conflict' : 'committed');
    if (result.kind === 'committed') apply(model, this.key, this.value, result.revision);
  }

  toString(): string {
    return `write(${this.key}, ${this.value}, ${this.stale ? 'stale' : 'fresh'})`;
  }
}

function apply(model: Model, key: string, value: string | undefined, at: Revision): void {
  const next = new Map(model.current);
  if (value === undefined) next.delete(key);
  else next.set(key, { value, revision: at });
  model.current = next;
  model.revision = at;
  model.snapshots.set(at, next);
}

class ListCommand implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }

  check(model: Model): boolean {
    return model.revision > model.base;
  }

  async run(model: Model, store: Store): Promise<void> {
    const at = Math.max(model.base, model.revision - this.back);
    const listed = store.list({ prefix: '/a/', at: revision(at) });
    if (at < model.compacted) {
      await expect(listed).rejects.toThrow(CompactedError);
      return;
    }
    const entries = (await listed).entries.map(({ key, value, revision: r }) => [
      key,
      Buffer.from(value).toString(),
      r,
    ]);
    const wanted = [...(model.snapshots.get(at) ?? [])]
      .filter(([key]) => key.startsWith('/a/'))
      .map(([key, entry]) => [key, entry.value, entry.revision])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
    expect(entries).toEqual(wanted);
  }

  toString(): string {
    return `list(${this.back} back)`;
  }
}

class CompactCommand implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }

  check(model: Model): boolean {
    return model.revision > model.base;
  }

  async run(model: Model, store: Store): Promise<void> {
    const to = Math.max(0, model.revision - this.back);
    await store.compact(revision(to));
    model.compacted = Math.max(model.compacted, to);
  }

  toString(): string {
    return `compact(${this.back} back)`;
  }
}

const commands = fc.commands(
  [
    fc
      .record({
        key: fc.constantFrom(...keys),
        value: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
        stale: fc.boolean(),
      })
      .map(({ key, value, stale }) => new WriteCommand(key, value, stale)),
    fc.nat(6).map((back) => new ListCommand(back)),
    fc.nat(6).map((back) => new CompactCommand(back)),
  ],
  { maxCommands: 40 },
);

export function describeStoreModel(name: string, open: () => Promise<StoreFixture>): void {
  describe(`${name} store against a naive model`, () => {
    test('agrees after any sequence of writes, reads and compactions', async () => {
      await fc.assert(
        fc.asyncProperty(commands, async (sequence) => {
          const fixture = await open();
          try {
            const base = await fixture.store.currentRevision();
            const model: Model = { snapshots: new Map(), current: new Map(), base, revision: base, compacted: 0 };
            await fc.asyncModelRun(() => ({ model, real: fixture.store }), sequence);
          } finally {
            await fixture.dispose();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}
