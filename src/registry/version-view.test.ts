import { describe, expect, test } from 'vitest';
import { objectMeta } from '../groups/meta/v1/types.ts';
import { kubernetes } from '../meta/dialect.ts';
import { zeroRevision } from '../meta/revision.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { StoredObject } from './stored-object.ts';
import { VersionView } from './version-view.ts';
import { KindVersions } from './versions.ts';

const group = 'example.com';
const list = { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } } as const;
const versionOf = (version: string): ResourceDefinition => ({
  ...{ group, version, kind: 'Thing', plural: 'things', singular: 'thing', namespaced: true, verbs: ['get'] },
  ...{ storagePrefix: 'things', about: '', checkName: () => [] },
  type: {
    ...{ is: 'structural', home: `${group}/${version}`, name: 'Thing', about: '', meta: objectMeta },
    schema: { type: 'object', properties: { list } },
  },
});
const [stored, other] = [versionOf('v1'), versionOf('v2')];

function viewOfOther(): VersionView {
  const versions = new KindVersions(kubernetes);
  versions.add({ ...other, conversion: { toStorage: (object) => object, fromStorage: (object) => object } });
  versions.add(stored);
  return new VersionView(other, versions);
}

const objectOf = (items: number): StoredObject => {
  const object = {
    ...{ kind: 'Thing', apiVersion: `${group}/v1`, metadata: { name: 'a', uid: '1', generation: 1 } },
    list: Array.from({ length: items }, (_, index) => ({ gone: index, k: `k${index}` })),
  };
  const value = Buffer.from(JSON.stringify(object));
  return StoredObject.of(stored, { key: '/things/default/a', revision: zeroRevision, value });
};

describe('an object in another version', () => {
  test('is there at once where no other server converts', () => {
    const shown = viewOfOther().of(objectOf(3)) as StoredObject;
    expect(shown.parse()).toMatchObject({ apiVersion: `${group}/v2`, list: [{ k: 'k0' }, { k: 'k1' }, { k: 'k2' }] });
  });

  test('is there while other work is done between it and the next, where many are large', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++);
    const shown = await viewOfOther().ofAll(Array.from({ length: 6 }, () => objectOf(20_000)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    const lists = shown.map((one) => (one.parse() as unknown as { list: unknown[] }).list);
    expect(lists.map((items) => items.at(-1))).toEqual(Array.from({ length: 6 }, () => ({ k: 'k19999' })));
  });
});
