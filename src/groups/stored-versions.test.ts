// Where 1.36 keeps each kind in its store, and in which version: a server of either kind can be put in front of the data of the other.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { builtInGroups } from './catalog.ts';

interface Kept {
  /** Below the root of the store. */
  readonly prefix: string;
  /** The group and version that objects are written in. */
  readonly stored: string;
}

const file = join(import.meta.dirname, '../../test/golden/stored-versions.json');
const kept = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Kept>>;

/** Written in the version that clients use, which the reference server reads as well; its discovery names the older one. */
const newer = new Set(['customresourcedefinitions', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']);

const resources = builtInGroups(kubernetes).flatMap(({ resources, ...group }) =>
  resources.map((one) => ({ ...one, key: `${group.group}/${group.version}/${one.plural}` })),
);
const versionOf = (key: string) => key.slice(0, key.lastIndexOf('/')).replace(/^\//, '');

test.each(Object.entries(kept))('%s', (key, { prefix, stored }) => {
  const one = resources.find((resource) => resource.key === key);
  expect(one?.storagePrefix).toBe(prefix);
  const written = resources.filter(({ storagePrefix, conversion }) => storagePrefix === prefix && !conversion);
  expect(written).toHaveLength(1);
  const [{ key: own, hashedVersion, plural, group } = { key: '', plural: '', group: '' }] = written;
  expect(hashedVersion === undefined ? versionOf(own) : `${group}/${hashedVersion}`).toBe(stored);
  expect(hashedVersion !== undefined).toBe(newer.has(plural));
});

test('no kind that 1.36 has is left out', () => {
  const known = new Set(Object.values(kept).map(({ prefix }) => prefix));
  const isStored = resources.filter(({ action, conversion }) => !action && !conversion);
  const others = isStored.filter(({ storagePrefix }) => !known.has(storagePrefix)).map(({ plural }) => plural);
  // made for each request, and of older releases
  expect(others.sort()).toEqual(['componentstatuses', 'podsecuritypolicies']);
});
