import { describe, expect, test } from 'vitest';
import { mayBeTerminated, nodeNamesIn } from './glance.ts';
import { TerminatedPods } from './terminated-pods.ts';

const pod = (name: string, minute: number, status: object = { phase: 'Succeeded' }) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, creationTimestamp: `2030-01-01T00:0${minute}:00Z` },
  spec: { containers: [] },
  status,
});

test('pods above the limit: evicted ones first, then the oldest, then by name', () => {
  const pods = new TerminatedPods();
  for (const one of [
    pod('new', 9),
    pod('b', 1),
    pod('a', 1),
    pod('evicted', 5, { phase: 'Failed', reason: 'Evicted' }),
  ])
    pods.see(`/${one.metadata.name}`, one);
  expect(pods.above(4)).toEqual([]);
  expect(pods.above(1)).toEqual(['/evicted', '/a', '/b']);
  pods.forget('/a');
  expect(pods.above(1)).toEqual(['/evicted', '/b']);
});

test.each([
  ['Pending', 0],
  ['Running', 0],
  ['Unknown', 0],
  ['Succeeded', 1],
  ['Failed', 1],
])('a pod of the phase %s counts as %i terminated pods', (phase, count) => {
  const pods = new TerminatedPods();
  pods.see('/p', pod('p', 0));
  pods.see('/p', pod('p', 0, { phase }));
  expect(pods.size).toBe(count);
});

describe('the bytes of a pod', () => {
  const bytes = (object: object) => Buffer.from(JSON.stringify(object));

  test.each([
    ['the field', { spec: { nodeName: 'n' } }, ['n']],
    ['a label as well', { metadata: { labels: { nodeName: 'x' } }, spec: { nodeName: 'n' } }, ['x', 'n']],
    ['text that quotes the field', { metadata: { annotations: { a: '"nodeName":"x"' } } }, []],
    ['a pod without a node', { spec: { containers: [] } }, []],
  ])('node names: %s', (_, object, names) => {
    expect(nodeNamesIn(bytes(object))).toEqual(names);
  });

  test.each([
    ['a running pod', { status: { phase: 'Running' } }, false],
    ['a finished pod', { status: { phase: 'Failed' } }, true],
    ['a label that looks like a phase', { labels: { phase: 'moon' }, status: { phase: 'Running' } }, true],
    ['no phase', { status: {} }, true],
  ])('%s may be terminated: %#', (_, object, may) => {
    expect(mayBeTerminated(bytes(object))).toBe(may);
  });

  test('text that ends inside a name yields no endless loop', () => {
    expect(nodeNamesIn(Buffer.from('{"nodeName":"n'))).toEqual(['']);
  });
});
