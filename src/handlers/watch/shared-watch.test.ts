// Watches while the table of resources changes below them.

import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Revision } from '../../meta/revision.ts';
import { ApiError } from '../../meta/status.ts';
import { create } from '../../registry/create.ts';
import { Resources } from '../../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../../schema/resource.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { type Member, sharedWatchFor, type WatchEnd } from './shared-watch.ts';

const [core] = builtInGroups(kubernetes).filter(({ group }) => group === '') as [GroupVersionDefinition];
const configMap = core.resources.find(({ kind }) => kind === 'ConfigMap') as ResourceDefinition;
const serving = (more: Partial<ResourceDefinition> = {}): GroupVersionDefinition => ({
  ...core,
  resources: [{ ...configMap, ...more }],
});

class TestMember implements Member {
  after: Revision;
  readonly wantsColumns = false;
  readonly seen: string[] = [];
  readonly ends: WatchEnd[] = [];
  /** Resolves with the next event. */
  #heard: (() => void) | undefined;

  constructor(after: Revision) {
    this.after = after;
  }

  deliver(chunk: Uint8Array): void {
    for (const line of Buffer.from(chunk).toString().trim().split('\n')) {
      const { type, object } = JSON.parse(line) as { type: string; object: ApiObject };
      this.seen.push(`${type} ${object.apiVersion} ${object.metadata.name}`);
    }
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

async function watching(as: 'Object' | 'Table' = 'Object', more: Partial<ResourceDefinition> = {}) {
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
      form: { as, format: 'json', mediaType: 'application/json', version: 'v1', pretty: false },
      table: { definition, context, version: 'v1', include: 'None' },
    },
    framing: 'stream',
  });
  const member = new TestMember(watched.cache.revision);
  shared.join(member);
  const make = (name: string) =>
    create(registry(), { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'default' } } as ApiObject, {
      dryRun: false,
    });
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
  for (let next = waits.shift(); next !== undefined; next = waits.shift()) {
    next();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await member.heard(2);
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
