// Watches while the table of resources changes below them.

import { expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { openEnvelope } from '../../codec/protobuf/envelope.ts';
import { decodeObjectMessage } from '../../codec/protobuf/object-message.ts';
import { asBytes, readFields } from '../../codec/protobuf/reader.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Revision } from '../../meta/revision.ts';
import { ApiError } from '../../meta/status.ts';
import { create } from '../../registry/create.ts';
import { Resources } from '../../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../../schema/resource.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { longestTurn } from '../../testing/processor-time.ts';
import { type Member, sharedWatchFor, type WatchEnd } from './shared-watch.ts';

const [core] = builtInGroups(kubernetes).filter(({ group }) => group === '') as [GroupVersionDefinition];
const configMap = core.resources.find(({ kind }) => kind === 'ConfigMap') as ResourceDefinition;
const serving = (more: Partial<ResourceDefinition> = {}): GroupVersionDefinition => ({
  ...core,
  resources: [{ ...configMap, ...more }],
});

interface Told {
  readonly type: string;
  readonly object: ApiObject;
}

const lines = (chunk: Buffer): readonly Told[] =>
  chunk
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);

function messages(chunk: Buffer): readonly Told[] {
  const events: Told[] = [];
  for (let rest = chunk; rest.length > 0; rest = rest.subarray(4 + rest.readUInt32BE(0))) {
    const [type, raw] = [...readFields(rest.subarray(4, 4 + rest.readUInt32BE(0)))].map(({ value }) => asBytes(value));
    const [object] = [...readFields(raw as Buffer)];
    const { apiVersion, raw: message } = openEnvelope(asBytes(object?.value as never));
    events.push({
      type: String(type),
      object: { apiVersion, ...decodeObjectMessage(configMap.type, message) } as unknown as ApiObject,
    });
  }
  return events;
}

class TestMember implements Member {
  after: Revision;
  readonly wantsColumns = false;
  readonly seen: string[] = [];
  readonly chunks: Uint8Array[] = [];
  readonly ends: WatchEnd[] = [];
  /** Resolves with the next event. */
  #heard: (() => void) | undefined;

  constructor(after: Revision) {
    this.after = after;
  }

  deliver(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    const events = chunk[0] === 0x7b ? lines(Buffer.from(chunk)) : messages(Buffer.from(chunk));
    for (const { type, object } of events) this.seen.push(`${type} ${object.apiVersion} ${object.metadata.name}`);
    this.#heard?.();
  }

  onCaughtUp(): void {}

  onWatchEnd(reason: WatchEnd): void {
    this.ends.push(reason);
  }

  heard(count: number): Promise<void> {
    if (this.seen.length >= count) return Promise.resolve();
    return new Promise<void>((resolve) => {
      this.#heard = resolve;
    }).then(() => this.heard(count));
  }
}

async function watching(
  as: 'Object' | 'Table' = 'Object',
  more: Partial<ResourceDefinition> = {},
  format: 'json' | 'protobuf' = 'json',
) {
  let count = 0;
  const resources = new Resources({
    store: openMemoryStore(),
    clock: systemClock,
    dialect: kubernetes,
    newUid: () => `01234567-89ab-cdef-0123-${String(++count).padStart(12, '0')}`,
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: () => {},
  });
  resources.serve(serving(more));
  const registry = () => resources.find('', 'v1', 'configmaps')?.registry ?? expect.fail('not served');
  const watched = registry();
  await watched.fresh({ mode: 'latest' });
  const { definition, context } = watched;
  const shared = sharedWatchFor({
    registry: watched,
    selection: { namespace: '', labels: [], fields: [] },
    shape: {
      definition,
      dialect: kubernetes,
      form: { as, format, mediaType: 'application/json', version: 'v1', pretty: false },
      table: { definition, context, version: 'v1', include: 'None' },
    },
    framing: 'stream',
  });
  const member = new TestMember(watched.cache.revision);
  shared.join(member);
  const make = (name: string, data = {}) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'default' }, data };
    return create(registry(), object as ApiObject, { dryRun: false });
  };
  return { resources, registry, shared, member, make };
}

test('a watch goes on when another definition takes the place of the one it watches', async () => {
  const { resources, registry, shared, member, make } = await watching();
  await make('a');
  resources.serve(serving({ shortNames: ['other'] }));
  await make('b');
  await member.heard(2);
  expect(member.seen).toEqual(['ADDED v1 a', 'ADDED v1 b']);
  expect(member.ends).toEqual([]);
  expect(shared.registry).toBe(registry());
});

test('a watch of a table ends when the definition changes: its columns were told already', async () => {
  const { resources, member } = await watching('Table');
  resources.serve(serving({ columns: [] }));
  expect(member.ends).toEqual(['closed']);
});

test('a watch of a resource that is no longer served ends with an error', async () => {
  const { resources, member } = await watching();
  resources.update([], [serving()]);
  expect(member.ends).toEqual([expect.any(ApiError)]);
  expect((member.ends[0] as ApiError).code).toBe(410);
});

test('events that wait for a conversion keep their order', async () => {
  const waits: (() => void)[] = [];
  const batchConversion = {
    convert: (objects: readonly ApiObject[], apiVersion: string) =>
      new Promise<readonly ApiObject[]>((resolve) => {
        waits.push(() => resolve(objects.map((object) => ({ ...object, apiVersion }))));
      }),
  };
  const { resources, member } = await watching('Object');
  const stored = { ...configMap, version: 'v2' };
  resources.update([serving({ batchConversion }), { ...core, version: 'v2', resources: [stored] }], []);
  const writer = resources.find('', 'v2', 'configmaps')?.registry ?? expect.fail('not served');
  for (const name of ['a', 'b']) {
    const object = { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name, namespace: 'default' } } as ApiObject;
    await create(writer, object, { dryRun: false });
  }
  expect(member.seen).toEqual([]);
  while (member.seen.length < 2) {
    waits.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(member.seen).toEqual(['ADDED v1 a', 'ADDED v1 b']);
});

test('a conversion that fails ends the watch with the error', async () => {
  const batchConversion = { convert: () => Promise.reject(new ApiError({ code: 500, message: 'broken' })) };
  const { resources, member } = await watching();
  resources.update(
    [serving({ batchConversion }), { ...core, version: 'v2', resources: [{ ...configMap, version: 'v2' }] }],
    [],
  );
  const writer = resources.find('', 'v2', 'configmaps')?.registry ?? expect.fail('not served');
  const object = { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'a', namespace: 'default' } } as ApiObject;
  await create(writer, object, { dryRun: false });
  await new Promise((resolve) => setImmediate(resolve));
  expect(member.ends.map((end) => (end as ApiError).message)).toEqual(['broken']);
});

/** What takes many turns to encode. */
const large = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'v']));

test('in protobuf events of small and large objects come in order', async () => {
  const { member, shared, make } = await watching('Object', {}, 'protobuf');
  await make('small');
  expect(member.seen).toEqual(['ADDED v1 small']);
  await make('large', large);
  await make('next');
  // what is said about these must not come before them
  const told = new Promise<void>((resolve) =>
    shared.afterEvents(() => {
      member.seen.push('bookmark');
      resolve();
    }),
  );
  await told;
  expect(member.seen.slice(1)).toEqual(['ADDED v1 large', 'ADDED v1 next', 'bookmark']);
});

test('a large object in protobuf is encoded once for all watches, those who missed it included', async () => {
  const { member, shared, make } = await watching('Object', {}, 'protobuf');
  const late = new TestMember(member.after);
  await make('large', large);
  shared.join(late);
  await Promise.all([member.heard(1), late.heard(1)]);
  expect(late.chunks[0]).toBe(member.chunks[0]);
});

test('large objects that a watch in protobuf missed hold the event loop for no long turn', async () => {
  const { member, shared, make } = await watching('Object', {}, 'protobuf');
  const { after } = member;
  shared.release(member);
  for (const name of ['a', 'b', 'c', 'd']) await make(name, large);
  let chunk = Buffer.alloc(0);
  const longest = await longestTurn(
    () =>
      new Promise<void>((resolve) => {
        const deliver = (part: Uint8Array) => {
          chunk = Buffer.from(part);
          resolve();
        };
        const onCaughtUp = () => {};
        shared.join({ after, wantsColumns: false, deliver, onCaughtUp, onWatchEnd: () => {} });
      }),
  );
  expect(messages(chunk).map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c', 'd']);
  expect(longest).toBeLessThan(150);
});
