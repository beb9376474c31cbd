import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { event } from './event.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };

const make = (namespace: string, fields: object = {}): ApiObject => ({
  kind: 'Event',
  apiVersion: 'v1',
  metadata: { name: 'e', namespace },
  ...fields,
});

function validationErrors(object: ApiObject): string[] {
  const found = event.strategy?.validate?.(object, context) ?? [];
  return found.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);
}

/** What an event with its own time needs. */
const reported = {
  eventTime: '2030-01-01T00:00:00.000000Z',
  reportingComponent: 'example.com/controller',
  reportingInstance: 'controller-0',
  action: 'Binding',
  reason: 'Scheduled',
};
const about = (namespace: string) => ({ involvedObject: { kind: 'Pod', name: 'p', namespace } });
const mismatch = ['Invalid involvedObject.namespace'];

describe('the namespace of an event', () => {
  test.each<[string, object, string[]]>([
    ['n', about('n'), []],
    ['n', about('other'), mismatch],
    ['default', about(''), []],
    ['default', {}, []],
    ['n', about(''), mismatch],
    ['n', {}, mismatch],
    ['default', about('n'), mismatch],
    ['kube-system', about(''), mismatch],
  ])('%s, about %j: %j', (namespace, fields, expected) => {
    expect(validationErrors(make(namespace, fields))).toEqual(expected);
  });

  test('that does not fit is explained', () => {
    expect(event.strategy?.validate?.(make('n', about('other')), context)).toMatchObject([
      {
        reason: 'FieldValueInvalid',
        field: 'involvedObject.namespace',
        message: 'Invalid value: "other": does not match event.namespace',
      },
    ]);
  });

  test.each<[string, object, string[]]>([
    ['n', about('n'), []],
    ['default', about(''), []],
    ['n', about(''), mismatch],
  ])('with its own time, %s, about %j: %j', (namespace, fields, expected) => {
    expect(validationErrors(make(namespace, { ...reported, ...fields }))).toEqual(expected);
  });

  // legacyValidateEvent: with eventTime only a missing namespace is looked at, and the system namespace will do
  test.each<[string, object]>([
    ['kube-system', about('')],
    ['n', about('other')],
  ])('with its own time may be %s, about %j', (namespace, fields) => {
    expect(validationErrors(make(namespace, { ...reported, ...fields }))).toEqual([]);
  });
});

describe('an event with its own time', () => {
  const withFields = (fields: object) => validationErrors(make('n', { ...about('n'), ...reported, ...fields }));

  test.each<[string, object, string[]]>([
    ['has it all', {}, []],
    ['has a component without a domain', { reportingComponent: 'kubelet' }, []],
    ['has a bad component', { reportingComponent: 'a b' }, ['Invalid reportingComponent']],
    ['has no instance', { reportingInstance: '' }, ['Required reportingInstance']],
    ['has a long instance', { reportingInstance: 'x'.repeat(129) }, ['Invalid reportingInstance']],
    ['has an instance that fits', { reportingInstance: 'x'.repeat(128) }, []],
    ['has no action', { action: undefined }, ['Required action']],
    ['has a long action', { action: 'x'.repeat(129) }, ['Invalid action']],
    ['has no reason', { reason: '' }, ['Required reason']],
    ['has a long reason', { reason: 'x'.repeat(129) }, ['Invalid reason']],
    ['has a long message', { message: 'x'.repeat(1025) }, ['Invalid message']],
    ['has a message that fits', { message: 'x'.repeat(1024) }, []],
  ])('%s', (_, fields, expected) => {
    expect(withFields(fields)).toEqual(expected);
  });

  test('without a component lacks it and has a bad one', () => {
    expect(withFields({ reportingComponent: '' })).toEqual([
      'Required reportingComponent',
      'Invalid reportingComponent',
      'Invalid reportingComponent',
    ]);
  });

  // Go counts bytes
  test('has a message of few characters that are many bytes', () => {
    expect(withFields({ message: 'é'.repeat(513) })).toEqual(['Invalid message']);
  });
});

test('an event without its own time may leave out the rest', () => {
  expect(validationErrors(make('n', { ...about('n'), message: 'x'.repeat(2000) }))).toEqual([]);
});

describe('a row', () => {
  const row = (fields: object) =>
    Object.fromEntries((event.columns ?? []).map(({ name, cell }) => [name, cell(make('n', fields), context)]));

  test('has these columns, some of them only when there is room', () => {
    const columns = (event.columns ?? []).map(({ name, priority }) => `${name} ${priority}`);
    expect(columns).toEqual([
      'Last Seen 0',
      'Type 0',
      'Reason 0',
      'Object 0',
      'Subobject 1',
      'Source 1',
      'Message 0',
      'First Seen 1',
      'Count 1',
      'Name 1',
    ]);
  });

  test('tells the story of an event', () => {
    const fields = {
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'n', fieldPath: 'spec.containers{c}' },
      type: 'Warning',
      reason: 'BackOff',
      message: ' Back-off \n',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:55:30Z',
      count: 7,
    };
    expect(row(fields)).toEqual({
      'Last Seen': '4m30s',
      Type: 'Warning',
      Reason: 'BackOff',
      Object: 'pod/p',
      Subobject: 'spec.containers{c}',
      Source: 'kubelet, node-1',
      Message: 'Back-off',
      'First Seen': '60m',
      Count: 7,
      Name: 'e',
    });
  });

  test('of a single event counts one and takes its own time', () => {
    const cells = row({
      ...reported,
      eventTime: '2030-01-01T00:30:00.000000Z',
      firstTimestamp: null,
      lastTimestamp: null,
    });
    expect(cells).toMatchObject({ 'Last Seen': '30m', 'First Seen': '30m', Count: 1 });
    expect(cells['Source']).toMatch(/^example.com\/controller/);
  });

  test('of a series takes its count and its last time', () => {
    const series = { count: 5, lastObservedTime: '2030-01-01T00:59:00.000000Z' };
    expect(row({ ...reported, series })).toMatchObject({ 'Last Seen': '60s', 'First Seen': '60m', Count: 5 });
  });

  test('without any time does not know it', () => {
    expect(row({})).toMatchObject({ 'Last Seen': '<unknown>', 'First Seen': '<unknown>' });
  });

  // printEvent, formatEventSource
  test('names the reporting instance where there is no host', () => {
    expect(row(reported)['Source']).toBe('example.com/controller, controller-0');
  });

  test('without a name of the object shows its kind alone', () => {
    expect(row({ involvedObject: { kind: 'Pod' } })['Object']).toBe('pod');
    expect(row({ involvedObject: { name: 'x' } })['Object']).toBe('/x');
  });

  test('was last seen when it was first seen, if nothing else is said', () => {
    expect(row({ firstTimestamp: '2030-01-01T00:00:00Z', lastTimestamp: null })['Last Seen']).toBe('60m');
  });
});

test('events can be selected by what they say', () => {
  const object = make('n', { ...about('n'), source: { component: 'kubelet' }, reason: 'Started', type: 'Normal' });
  const read = (name: string) => event.selectableFields?.[name]?.(object);
  expect(read('involvedObject.name')).toBe('p');
  expect(read('involvedObject.uid')).toBe('');
  expect(read('reason')).toBe('Started');
  expect(read('source')).toBe('kubelet');
  expect(read('type')).toBe('Normal');
  expect(event.selectableFields?.['source']?.(make('n', reported))).toBe('example.com/controller');
});
