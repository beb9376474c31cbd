import { expect, test } from 'vitest';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { type DaemonNode, placement, rollingUpdate } from './reconcile.ts';

const pod = (name: string, phase = 'Running', metadata: object = {}): Pod => ({
  ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name, ...metadata }, status: { phase } },
});
const old = (name: string) => pod(`old-${name}`);
const fresh = (name: string) => pod(`new-${name}`);
const broken = (one: Pod): Pod => ({ ...one, metadata: { ...one.metadata, labels: { broken: 'yes' } } });

const node = (name: string, pods: Pod[], shouldRun = true, mayStay = shouldRun): DaemonNode => ({
  ...{ name, pods, shouldRun, mayStay },
});

const rules = (maxUnavailable: number, maxSurge = 0) => ({
  ...{ maxUnavailable, maxSurge },
  isUpdated: ({ metadata }: Pod) => metadata.name?.startsWith('new-') ?? false,
  isAvailable: ({ metadata }: Pod) => metadata.labels?.['broken'] === undefined,
});

const names = ({ created, deleted }: { created: readonly string[]; deleted: readonly Pod[] }) => ({
  created,
  deleted: deleted.map(({ metadata }) => metadata.name),
});

test.each([
  ['a pod where there is none', node('n', []), { created: ['n'], deleted: [] }],
  ['nothing where there is one', node('n', [old('a')]), { created: [], deleted: [] }],
  ['only the oldest of two', node('n', [old('a'), old('b')]), { created: [], deleted: ['old-b'] }],
  ['none where pods may not stay', node('n', [old('a')], false), { created: [], deleted: ['old-a'] }],
  ['one that may stay', node('n', [old('a')], false, true), { created: [], deleted: [] }],
  [
    'none before the last one is gone',
    node('n', [pod('x', 'Running', { deletionTimestamp: 't' })]),
    { created: [], deleted: [] },
  ],
])('a node has %s', (_, it, expected) => {
  expect(names(placement(it, rules(1)))).toEqual(expected);
});

test.each([
  ['one pod at a time', [node('a', [old('a')]), node('b', [old('b')])], rules(1), { created: [], deleted: ['old-a'] }],
  [
    'none while a new one is not available',
    [node('a', [broken(fresh('a'))]), node('b', [old('b')])],
    rules(1),
    { created: [], deleted: [] },
  ],
  [
    'a pod that does not work in any case',
    [node('a', [broken(old('a'))]), node('b', [old('b')])],
    rules(1),
    { created: [], deleted: ['old-a'] },
  ],
  ['nothing once all are new', [node('a', [fresh('a')])], rules(1), { created: [], deleted: [] }],
  [
    'first a new pod with surge',
    [node('a', [old('a')]), node('b', [old('b')])],
    rules(0, 1),
    { created: ['a'], deleted: [] },
  ],
  [
    'then the old one',
    [node('a', [old('a'), fresh('a')]), node('b', [old('b')])],
    rules(0, 1),
    { created: ['b'], deleted: ['old-a'] },
  ],
])('an update replaces %s', (_, nodes, limits, expected) => {
  expect(names(rollingUpdate(nodes, limits))).toEqual(expected);
});
