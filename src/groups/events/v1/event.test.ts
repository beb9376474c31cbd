import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { event } from './event.ts';

const rules = rulesOf(event, 'events.k8s.io/v1');
const good = {
  eventTime: '2030-01-01T00:00:00.000000Z',
  reportingController: 'a.example/c',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  type: 'Normal',
  regarding: { kind: 'Pod', name: 'p', namespace: 'n' },
  note: 'hello',
};

describe('a new event', () => {
  test.each<[string, object, string[]]>([
    ['has it all', {}, []],
    ['has no time', { eventTime: undefined }, ['Required eventTime']],
    ['is loud', { type: 'Loud' }, ['Invalid type']],
    ['counts the old way', { deprecatedCount: 3 }, ['Invalid count']],
    ['has a source of old', { deprecatedSource: { host: 'h' } }, ['Invalid source']],
    ['is a series of one', { series: { count: 1, lastObservedTime: good.eventTime } }, ['Invalid series.count']],
    ['has no reporting controller', { reportingController: '' }, ['Required reportingController']],
  ])('that %s', (_, fields, expected) => {
    const found = rules.create({ ...good, ...fields });
    expect(found.filter((one, index) => found.indexOf(one) === index)).toEqual(
      expected[0] === 'Required reportingController' ? [...expected, 'Invalid reportingController'] : expected,
    );
  });
});

describe('an event that happened', () => {
  const series = { count: 2, lastObservedTime: good.eventTime };
  test.each<[string, object, string[]]>([
    ['goes on', { series }, []],
    ['cannot become a series of one', { series: { ...series, count: 1 } }, ['Invalid series.count']],
    ['is not told otherwise', { note: 'changed' }, ['Invalid message']],
    ['has the reason it had', { reason: 'S' }, ['Invalid reason', 'Invalid reason']],
    ['is about what it was', { regarding: { namespace: 'n' } }, ['Invalid involvedObject']],
    ['has one reporter', { reportingController: 'b.example/c' }, ['Invalid reportingController']],
  ])('%s', (_, fields, expected) => {
    expect(rules.update({ ...good, ...fields }, good)).toEqual(expected);
  });
});

test('is the same event in both groups', () => {
  const { conversion } = event;
  const newer = { ...rules.defaulted(good) };
  const stored = conversion?.toStorage(newer, kubernetes) as ApiObject;
  expect(stored).toMatchObject({
    message: 'hello',
    involvedObject: { name: 'p' },
    reportingComponent: 'a.example/c',
    source: {},
    firstTimestamp: null,
  });
  expect(conversion?.fromStorage(stored, kubernetes)).toEqual(newer);
});

test('can be selected by what it is about', () => {
  const fields = event.selectableFields ?? {};
  expect(fields['regarding.name']?.(rules.defaulted(good))).toBe('p');
  expect(fields['reportingController']?.(rules.defaulted(good))).toBe('a.example/c');
  expect(Object.keys(fields)).not.toContain('involvedObject.name');
});

test('is looked at as often as Kubernetes looks, which the core group does less', () => {
  expect(event.strategy?.updateChecks).toEqual({ meta: 0 });
});
