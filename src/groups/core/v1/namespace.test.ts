import { describe, expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { namespace } from './namespace.ts';

const inDialect = (dialect: Dialect) => ({ dialect, clock: new FakeClock('2030-01-01T01:00:00Z') });
const context = inDialect(kubernetes);
const strategy = namespace.strategy ?? {};

const make = (fields: object = {}, metadata: object = {}): ApiObject => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z', ...metadata },
  spec: {},
  status: {},
  ...fields,
});

const finalizing = (...finalizers: string[]) => make({ spec: { finalizers } });

describe('the label with the name', () => {
  const label = (object: ApiObject, dialect: Dialect = kubernetes) =>
    strategy.defaults?.(object, inDialect(dialect))?.metadata.labels;

  test.each<[string, object, Record<string, string> | undefined]>([
    ['is added', {}, { 'kubernetes.io/metadata.name': 'a' }],
    ['is corrected', { labels: { 'kubernetes.io/metadata.name': 'b' } }, { 'kubernetes.io/metadata.name': 'a' }],
    ['stands among others', { labels: { z: '1', b: '2' } }, { b: '2', 'kubernetes.io/metadata.name': 'a', z: '1' }],
    ['waits for a name', { name: '', generateName: 'a-' }, undefined],
  ])('%s', (_, metadata, expected) => {
    const labels = label(make({}, metadata));
    expect(labels).toEqual(expected);
    expect(Object.keys(labels ?? {})).toEqual(Object.keys(expected ?? {}));
  });

  test('carries the domain of the dialect', () => {
    expect(label(make(), cluster({ labelDomain: 'example.com' }))).toEqual({ 'example.com/metadata.name': 'a' });
  });

  test('is there after a name was generated', () => {
    const created = strategy.prepareForCreate?.(make({}, { name: 'a-xyz', generateName: 'a-' }), context);
    expect(created?.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'a-xyz' });
  });

  test('that is right leaves the object as it is', () => {
    const object = make({ status: { phase: 'Active' } }, { labels: { 'kubernetes.io/metadata.name': 'a' } });
    expect(strategy.defaults?.(object, context)).toBe(object);
  });
});

describe('a new namespace', () => {
  test.each([
    [[], ['kubernetes']],
    [['kubernetes'], ['kubernetes']],
    [['example.com/x'], ['example.com/x', 'kubernetes']],
    [
      ['kubernetes', 'example.com/x'],
      ['kubernetes', 'example.com/x'],
    ],
  ])('with the finalizers %j has %j', (given, expected) => {
    const created = strategy.prepareForCreate?.(finalizing(...given), context);
    expect(created?.['spec']).toEqual({ finalizers: expected });
  });

  test('is held by the vendor of its dialect', () => {
    expect(strategy.prepareForCreate?.(make(), inDialect(cluster()))?.['spec']).toEqual({ finalizers: ['cluster'] });
  });

  test('is active, whatever it says', () => {
    const created = strategy.prepareForCreate?.(make({ status: { phase: 'Terminating', conditions: [] } }), context);
    expect(created?.['status']).toEqual({ phase: 'Active' });
  });
});

describe('finalizers', () => {
  test.each(['kubernetes', 'example.com/x', 'a/b'])('may be %s', (name) => {
    expect(strategy.validateCreate?.(finalizing(name), context)).toEqual([]);
  });

  test.each([
    ['', 3],
    ['other', 1],
    ['a b', 2],
    ['/x', 1],
    ['a/b/c', 1],
  ])('may not be %j', (name, count) => {
    const found = strategy.validateCreate?.(finalizing('kubernetes', name), context) ?? [];
    expect(found.map(({ field }) => field)).toEqual(new Array(count).fill('spec.finalizers'));
  });

  test('without a domain are explained', () => {
    expect(strategy.validateCreate?.(finalizing('other'), context)?.[0]?.message).toBe(
      'Invalid value: "other": name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  // IsStandardFinalizerName also knows the two of garbage collection
  test.each(['orphan', 'foregroundDeletion'])('may be %s', (name) => {
    expect(strategy.validateCreate?.(finalizing(name), context)).toEqual([]);
  });

  test('hold a namespace that is being deleted', () => {
    expect(strategy.isHeld?.(finalizing('kubernetes'), context)).toBe(true);
    expect(strategy.isHeld?.(finalizing(), context)).toBe(false);
    expect(strategy.isHeld?.(make(), context)).toBe(false);
  });
});

describe('updates', () => {
  const old = make({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  const next = make({ spec: {}, status: { phase: 'Terminating' } }, { labels: { x: 'y' } });
  const through = (name: string) =>
    namespace.subresources?.find((subresource) => subresource.name === name) as PartSubresource;

  test('change metadata only', () => {
    const updated = strategy.prepareForUpdate?.(next, old, context);
    expect(updated).toMatchObject({ metadata: next.metadata, spec: old['spec'], status: old['status'] });
  });

  test('through finalize say which finalizer is odd', () => {
    const found = through('finalize').validateUpdate?.(finalizing('kubernetes', 'odd'), old, context) ?? [];
    expect(found.map(({ field }) => field)).toEqual(['spec.finalizers[1]']);
  });

  test('through finalize change the spec', () => {
    expect(through('finalize').merge(next, old, context)).toMatchObject({ spec: {}, status: old['status'] });
    expect(through('finalize').verbs).toEqual(['update']);
  });

  test('through status change the status', () => {
    expect(through('status').merge(next, old, context)).toMatchObject({ spec: old['spec'], status: next['status'] });
    expect(through('status').verbs).toEqual(['get', 'patch', 'update']);
  });

  test.each([
    ['Active', undefined, true],
    ['Terminating', undefined, false],
    ['', undefined, false],
    ['Terminating', '2030-01-01T00:00:00Z', true],
    ['Active', '2030-01-01T00:00:00Z', false],
  ])('the phase may be %s when deleted at %s: %s', (phase, deletionTimestamp, fits) => {
    const object = make({ status: { phase } }, deletionTimestamp ? { deletionTimestamp } : {});
    expect(through('status').validateUpdate?.(object, old, context)?.length ?? 0).toBe(fits ? 0 : 1);
  });
});

// field.NewPath("status", "Phase"): the one path that begins with a capital
test('a phase that does not fit is reported on status.Phase', () => {
  const status = namespace.subresources?.find(({ name }) => name === 'status') as PartSubresource;
  const object = make({ status: { phase: 'Terminating' } });
  expect(status.validateUpdate?.(object, object, context)?.[0]?.field).toBe('status.Phase');
});

test('deletion begins with the phase Terminating and no grace period', () => {
  const begun = strategy.beginDeletion?.(
    make({ status: { phase: 'Active', conditions: [] } }, { deletionGracePeriodSeconds: 0 }),
    context,
  );
  expect(begun).toMatchObject({ status: { phase: 'Terminating', conditions: [] } });
  expect(begun?.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
});

test('names are labels, and there is no deleting of all', () => {
  expect(namespace.checkName('a.b')).not.toEqual([]);
  expect(namespace.verbs).not.toContain('deletecollection');
});

test('a row shows name, phase and age', () => {
  const columns = namespace.columns ?? [];
  expect(columns.map(({ name }) => name)).toEqual(['Name', 'Status', 'Age']);
  expect(columns.map(({ cell }) => cell(make({ status: { phase: 'Active' } }), context))).toEqual([
    'a',
    'Active',
    '60m',
  ]);
  expect(namespace.selectableFields?.['status.phase']?.(make({ status: { phase: 'Active' } }))).toBe('Active');
});
