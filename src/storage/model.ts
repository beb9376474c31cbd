// Random command sequences against a naive model: cases that no test lists.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Revision, revision } from '../meta/revision.ts';
import { type Collected, collect, type StoreFixture } from './contract/steps.ts';
import { type CommitResult, CompactedError, type Store, type StoreEvent, type Write } from './store.ts';

/** The whole history, as a list of snapshots. */
interface Model {
  readonly snapshots: Map<number, ReadonlyMap<string, { value: string; revision: number }>>;
  current: ReadonlyMap<string, { value: string; revision: number }>;
  /** The revision before the first command. */
  readonly base: number;
  revision: number;
  compacted: number;
  /** Every write, in order. */
  readonly events: { readonly key: string; readonly value: string | undefined; readonly revision: number }[];
  readonly watches: { readonly after: number; readonly watch: Collected }[];
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
    const nothing = this.value === undefined && found === 0;
    if (result.kind === 'committed' && !nothing) apply(model, this.key, this.value, result.revision);
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
  model.events.push({ key, value, revision: at });
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

class GetCommand implements Command {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, store: Store): Promise<void> {
    const found = await store.get(this.key);
    const seen = found && { value: Buffer.from(found.value).toString(), revision: found.revision };
    expect(seen).toEqual(model.current.get(this.key));
    expect(await store.currentRevision()).toBe(model.revision);
  }

  toString(): string {
    return `get(${this.key})`;
  }
}

/** Page by page at one revision, with a write in between that must not show. */
class PagesCommand implements Command {
  readonly limit: number;
  constructor(limit: number) {
    this.limit = limit;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, store: Store): Promise<void> {
    const wanted = [...model.current.keys()].sort();
    const at = revision(model.revision);
    const found: string[] = [];
    for (let more = true; more; ) {
      const after = found.at(-1);
      const query = { prefix: '/', at, limit: this.limit, countRemaining: true };
      const page = await store.list(after === undefined ? query : { ...query, after });
      found.push(...page.entries.map(({ key }) => key));
      expect(page).toMatchObject({ revision: at, remaining: wanted.length - found.length });
      more = page.more;
      await new WriteCommand('/b/1', `${found.length}`, false).run(model, store);
    }
    expect(found).toEqual(wanted);
  }

  toString(): string {
    return `pages(${this.limit})`;
  }
}

class WatchCommand implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }

  check(model: Model): boolean {
    return model.revision > model.base;
  }

  async run(model: Model, store: Store): Promise<void> {
    const after = Math.max(model.base, model.revision - this.back);
    const watch = collect(store, '/a/', revision(after));
    if (after < model.compacted) {
      expect(await watch.ended).toBe('gone');
      return;
    }
    // until a watch has told of something new, compaction may still overtake it
    await new WriteCommand('/b/1', `${after}`, false).run(model, store);
    await watch.reached(revision(model.revision));
    model.watches.push({ after, watch });
  }

  toString(): string {
    return `watch(${this.back} back)`;
  }
}

/** Whatever happened since it began, each watch has seen it, once and in order. */
async function checkWatches(model: Model): Promise<void> {
  for (const { after, watch } of model.watches) {
    await watch.reached(revision(model.revision));
    const wanted = model.events.filter((event) => event.revision > after && event.key.startsWith('/a/'));
    expect(watch.events.map(plain)).toEqual(wanted);
  }
}

const plain = ({ key, value, revision: at }: StoreEvent) => ({
  key,
  value: value && Buffer.from(value).toString(),
  revision: at,
});

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
    fc.constantFrom(...keys).map((key) => new GetCommand(key)),
    fc.integer({ min: 1, max: 3 }).map((limit) => new PagesCommand(limit)),
    fc.nat(6).map((back) => new WatchCommand(back)),
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
            const model: Model = {
              snapshots: new Map([[base, new Map()]]),
              current: new Map(),
              base,
              revision: base,
              compacted: 0,
              events: [],
              watches: [],
            };
            await fc.asyncModelRun(() => ({ model, real: fixture.store }), sequence);
            await checkWatches(model);
          } finally {
            await fixture.dispose();
          }
        }),
        { numRuns: 40 },
      );
    });

    test('puts the writes of concurrent clients into one order that explains every answer', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(clientSteps, { minLength: 2, maxLength: 6 }), async (clients) => {
          const fixture = await open();
          try {
            await checkConcurrent(fixture.store, clients);
          } finally {
            await fixture.dispose();
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}

/** What a client does next: reads a key, or writes it on the ground of what it last heard of it. */
interface Step {
  readonly key: string;
  readonly action: 'read' | 'write' | 'delete';
}

const clientSteps = fc.array(
  fc.record({
    key: fc.constantFrom(...keys),
    action: fc.constantFrom<Step['action']>('read', 'write', 'write', 'delete'),
  }),
  { minLength: 1, maxLength: 15 },
);

interface Attempt {
  readonly write: Write;
  readonly result: CommitResult;
}

async function checkConcurrent(store: Store, clients: readonly (readonly Step[])[]): Promise<void> {
  const base = await store.currentRevision();
  const watch = collect(store, '/', base);
  const attempts = (await Promise.all(clients.map((steps, client) => runClient(store, steps, client)))).flat();
  const last = await store.currentRevision();
  await watch.reached(last);
  explain(watch.events, attempts);
  const { entries } = await store.list({ prefix: '/' });
  const final = new Map(watch.events.map((event) => [event.key, event]));
  const alive = [...final.values()].filter(({ value }) => value !== undefined).map(plain);
  expect(
    entries.map(({ key, value, revision: at }) => ({ key, value: Buffer.from(value).toString(), revision: at })),
  ).toEqual(alive.sort((a, b) => (a.key < b.key ? -1 : 1)));
}

async function runClient(store: Store, steps: readonly Step[], client: number): Promise<Attempt[]> {
  const known = new Map<string, Revision>();
  const attempts: Attempt[] = [];
  for (const [index, { key, action }] of steps.entries()) {
    if (action === 'read') {
      known.set(key, (await store.get(key))?.revision ?? revision(0));
      continue;
    }
    const value = action === 'delete' ? undefined : Buffer.from(`${client}.${index}`);
    const write = { key, value, expected: known.get(key) ?? revision(0) };
    const result = await store.commit(write);
    attempts.push({ write, result });
    known.set(key, result.kind === 'committed' ? result.revision : (result.current?.revision ?? revision(0)));
  }
  return attempts;
}

/** Every success is one event and followed what it expected; every refusal had a reason at some moment. */
function explain(events: readonly StoreEvent[], attempts: readonly Attempt[]): void {
  const versions = new Map<string, Set<number>>();
  const current = new Map<string, number>();
  const successes = new Map<number, Attempt>();
  for (const attempt of attempts) {
    const { result, write } = attempt;
    const nothing = write.value === undefined && write.expected === 0;
    if (result.kind === 'committed' && !nothing) successes.set(result.revision, attempt);
  }
  expect(events.map((event) => event.revision)).toEqual([...successes.keys()].sort((a, b) => a - b));
  for (const event of events) {
    const { write } = successes.get(event.revision) as Attempt;
    expect(write.expected).toBe(current.get(event.key) ?? 0);
    expect(event.previous()?.revision ?? 0).toBe(write.expected);
    const next = event.value === undefined ? 0 : event.revision;
    current.set(event.key, next);
    versions.set(event.key, (versions.get(event.key) ?? new Set([0])).add(next));
  }
  for (const { write, result } of attempts) {
    if (result.kind !== 'conflict') continue;
    const seen = result.current?.revision ?? 0;
    expect(seen).not.toBe(write.expected);
    expect((versions.get(write.key) ?? new Set([0])).has(seen)).toBe(true);
  }
}
