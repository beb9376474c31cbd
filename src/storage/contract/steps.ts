// The steps that tests of stores are made of: a fixture, writes that must succeed, watches that are remembered.

import { type Revision, zeroRevision } from '../../meta/revision.ts';
import type { CommitResult, Store, StoreEvent, StoreWatch } from '../store.ts';

export interface StoreFixture {
  readonly store: Store;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  /** Lets time go by, where the store has a clock that can be moved. */
  pass?(ms: number): Promise<void>;
  dispose(): Promise<void>;
}

export type Contract = (title: string, run: (fixture: StoreFixture) => Promise<void>) => void;

export const bytes = (text: string) => Buffer.from(text);
export const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();

export async function put(
  store: Store,
  key: string,
  value: string,
  expected: Revision = zeroRevision,
): Promise<Revision> {
  return committed(await store.commit({ key, value: bytes(value), expected }));
}

export async function remove(store: Store, key: string, expected: Revision): Promise<Revision> {
  return committed(await store.commit({ key, value: undefined, expected }));
}

export function committed(result: CommitResult): Revision {
  if (result.kind !== 'committed') throw new Error(`the write was not committed: ${JSON.stringify(result)}`);
  return result.revision;
}

export function conflictOf(result: CommitResult): { value: string | undefined; revision: Revision } | undefined {
  if (result.kind !== 'conflict') throw new Error('the write was expected to lose');
  return result.current && { value: text(result.current.value), revision: result.current.revision };
}

export interface Collected {
  readonly events: StoreEvent[];
  readonly watch: StoreWatch;
  readonly ended: Promise<unknown>;
  reached(revision: Revision): Promise<void>;
  /** The events, once there are as many. */
  count(wanted: number): Promise<StoreEvent[]>;
  seen(): object[];
}

export function collect(store: Store, prefix: string, after: Revision): Collected {
  const events: StoreEvent[] = [];
  let at = after;
  let waiting: { readonly revision: Revision; readonly resolve: () => void }[] = [];
  let counting: () => void = () => {};
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const watch = store.watch(
    { prefix, after },
    {
      onEvents(batch) {
        events.push(...batch);
        counting();
      },
      onProgress(reached) {
        at = reached;
        for (const waiter of waiting.filter((w) => w.revision <= at)) waiter.resolve();
        waiting = waiting.filter((w) => w.revision > at);
      },
      onEnd: (reason) => end(reason),
    },
  );
  return {
    events,
    watch,
    ended,
    reached: (wanted) => {
      if (at >= wanted) return Promise.resolve();
      watch.requestProgress?.(wanted);
      return new Promise((resolve, reject) => {
        waiting.push({ revision: wanted, resolve });
        void ended.then((reason) => reject(new Error(`the watch ended at ${at}, before ${wanted}: ${reason}`)));
      });
    },
    async count(wanted) {
      while (events.length < wanted) {
        await new Promise<void>((resolve) => {
          counting = resolve;
        });
      }
      return events;
    },
    seen: () =>
      events.map((event) => ({
        key: event.key,
        revision: event.revision,
        value: text(event.value),
        previous: text(event.previous()?.value),
        previousRevision: event.previous()?.revision,
      })),
  };
}
