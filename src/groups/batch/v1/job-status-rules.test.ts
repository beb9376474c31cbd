import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { jobStatusPart } from './job-status-rules.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const is = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) });
const start = { startTime: '2030-01-01T00:00:00Z' };
const end = { ...start, completionTime: '2030-01-01T00:01:00Z' };
const done = { ...end, ...is('SuccessCriteriaMet', 'Complete') };
const indexed = { completionMode: 'Indexed', completions: 5, parallelism: 1 };

test.each<[string, object, object, object, readonly string[]]>([
  ['a job may complete', {}, {}, done, []],
  ['and may fail', {}, {}, { ...start, ...is('FailureTarget', 'Failed') }, []],
  [
    'but not both',
    {},
    {},
    { ...end, ...is('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed') },
    Array(4).fill('status.conditions'),
  ],
  ['it says first that it will fail', {}, {}, { ...start, ...is('Failed') }, ['status.conditions']],
  ['and first that it succeeded', {}, {}, { ...end, ...is('Complete') }, ['status.conditions']],
  ['completion has a time', {}, {}, { ...start, ...is('SuccessCriteriaMet', 'Complete') }, ['status.completionTime']],
  ['and a time means completion', {}, {}, end, ['status.completionTime']],
  ['not before the start', {}, {}, { ...done, startTime: '2031-01-01T00:00:00Z' }, ['status.completionTime']],
  ['the end stays the end', {}, done, { ...done, completionTime: '2030-01-01T00:02:00Z' }, ['status.completionTime']],
  ['the start stays the start', {}, start, {}, ['status.startTime']],
  ['unless nothing is to run', { suspend: true }, start, {}, []],
  ['a job that ended had begun', {}, {}, is('FailureTarget', 'Failed'), ['status.startTime']],
  ['unless there was nothing to do', { suspend: true, completions: 0 }, {}, { ...is('FailureTarget', 'Failed') }, []],
  ['and has no pods left', {}, {}, { ...done, active: 1, terminating: 1 }, ['status.active', 'status.terminating']],
  ['more cannot be ready than there are', {}, {}, { active: 1, ready: 2 }, ['status.ready']],
  ['failures are not forgotten', {}, { failed: 2 }, { failed: 1 }, ['status.failed']],
  ['nor successes', {}, { succeeded: 2 }, { succeeded: 1 }, ['status.succeeded']],
  ['unless the job shrinks', { ...indexed, parallelism: 5 }, { succeeded: 2 }, { succeeded: 1 }, []],
  ['an end is final', {}, done, end, ['status.completionTime', 'status.conditions', 'status.conditions']],
  ['indexes are for indexed jobs', { completions: 5 }, {}, { completedIndexes: '1' }, ['status.completedIndexes']],
  ['and can be read', indexed, {}, { completedIndexes: '7' }, ['status.completedIndexes']],
  ['failed ones need a limit', indexed, {}, { failedIndexes: '1' }, ['status.failedIndexes']],
  [
    'and have not completed',
    { ...indexed, backoffLimitPerIndex: 1 },
    {},
    { failedIndexes: '1', completedIndexes: '0-1' },
    ['status.failedIndexes'],
  ],
  [
    'what was wrong before does not matter now',
    { completions: 5 },
    { completedIndexes: '1' },
    { completedIndexes: '1', active: 1 },
    [],
  ],
  [
    'pods are counted once',
    {},
    {},
    { uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } },
    ['status.uncountedTerminatedPods.failed[0]', 'status.uncountedTerminatedPods.succeeded[1]'],
  ],
  ['counts are counts', {}, {}, { active: -1 }, ['status.active']],
])('%s', (_, spec, old, status, expected) => {
  const job = (given: object) => ({ kind: 'Job', apiVersion: 'batch/v1', metadata: {}, spec, status: given });
  const found = lines(jobStatusPart.validateUpdate?.(job(status), job(old), context));
  expect(found.map((line) => line.split(':')[0]).sort(), found.join('\n')).toEqual(expected);
});
