import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { cronJob } from './cron-job.ts';
import { job } from './job.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] };

const object = (spec: object, metadata: object = {}): ApiObject => ({
  kind: 'Job',
  apiVersion: 'batch/v1',
  metadata: { name: 'j', uid: 'u', ...metadata },
  spec: { template: { metadata: {}, spec: podSpec }, ...spec },
});

/** A job as it would be stored. */
function made(spec: object = {}): ApiObject {
  const defaulted = job.strategy?.defaults?.(object(spec), context) as ApiObject;
  return job.strategy?.prepareForCreate?.(defaulted, context) as ApiObject;
}

const problems = (spec: object) => lines(job.strategy?.validate?.(made(spec), context));

describe('defaults', () => {
  test.each<[string, object, object]>([
    ['one pod, once', {}, { completions: 1, parallelism: 1 }],
    ['a work queue has no completions', { parallelism: 3 }, { parallelism: 3 }],
    [
      'retries are counted per index where that is asked for',
      { backoffLimitPerIndex: 1 },
      { backoffLimit: 2147483647 },
    ],
    [
      'failed pods are told apart only when they are gone',
      { podFailurePolicy: { rules: [] } },
      { podReplacementPolicy: 'Failed' },
    ],
  ])('%s', (_, given, expected) => {
    expect(made(given)['spec'] as object).toMatchObject(expected);
  });

  test('a work queue stays one', () => {
    expect(made({ parallelism: 3 })['spec']).not.toHaveProperty('completions');
  });

  test('a condition that is only named is one that holds', () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
    expect(made({ podFailurePolicy: { rules } })['spec']).toMatchObject({
      podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
    });
  });
});

describe('the generated selector', () => {
  test('is left out on request', () => {
    const labels = { a: 'b' };
    const manual = {
      manualSelector: true,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
    };
    expect(problems(manual)).toEqual([]);
    expect(made(manual)['spec']).toMatchObject({ selector: { matchLabels: labels } });
  });

  test('is refused next to labels of another job', () => {
    const template = { metadata: { labels: { 'job-name': 'other' } }, spec: podSpec };
    expect(problems({ template })[0]).toContain('spec.template.metadata.labels[job-name]: Invalid value');
  });

  test('keeps labels of the template, and the job has them too', () => {
    const template = { metadata: { labels: { app: 'a' } }, spec: podSpec };
    expect(made({ template }).metadata.labels).toMatchObject({ app: 'a', 'job-name': 'j' });
    expect(made({ template })['spec']).toMatchObject({
      template: { metadata: { labels: { app: 'a', 'job-name': 'j' } } },
    });
  });
});

const indexed = { completionMode: 'Indexed', completions: 3 };
const onExit = (values: readonly number[], more: object = {}) => ({
  podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values, ...more } }] },
});

describe('what is refused', () => {
  test.each<[object, readonly string[]]>([
    [{}, []],
    [indexed, []],
    [onExit([1, 2]), []],
    [{ completions: -1 }, ['spec.completions: Invalid value: -1: must be greater than or equal to 0']],
    [
      { completionMode: 'Odd' },
      ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      { completionMode: 'Indexed', parallelism: 1 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      { maxFailedIndexes: 1, ...indexed },
      ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
    ],
    [{ backoffLimitPerIndex: 1 }, ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode']],
    [
      { managedBy: 'me' },
      ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      { ...onExit([2, 1, 1, 0]), podReplacementPolicy: 'TerminatingOrFailed' },
      [
        'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 1',
        'spec.podFailurePolicy.rules[0].onExitCodes.values[3]: Invalid value: 0: must not be 0 for the In operator',
        'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1,1,0]: must be ordered',
        'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
      ],
    ],
    [
      onExit([1], { containerName: 'x' }),
      [
        'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
      ],
    ],
    [
      { podFailurePolicy: { rules: [{ action: 'FailIndex' }] } },
      [
        'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-7', succeededCount: 9 }] } },
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-7": error parsing succeededIndexes: too large index: "7"',
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less than or equal to 3 (the number of specified completions)',
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)',
      ],
    ],
  ])('%j: %j', (spec, expected) => {
    expect(problems(spec)).toEqual(expected);
  });
});

describe('what may change', () => {
  const changed = (old: object, next: object) =>
    lines(job.strategy?.validateUpdate?.(made(next), made(old), context)).map((line) => line.split(':')[0]);

  test.each<[object, object, readonly string[]]>([
    [{}, { parallelism: 5, completions: 1 }, []],
    [{ completions: 1 }, { completions: 2 }, ['spec.completions']],
    [indexed, { ...indexed, completions: 5, parallelism: 5 }, []],
    [indexed, { ...indexed, completions: 5 }, ['spec.completions']],
    [{}, { managedBy: 'example.com/x' }, ['spec.managedBy']],
    [{}, { template: { metadata: {}, spec: { ...podSpec, hostNetwork: true } } }, ['spec.template']],
    [
      { suspend: true, template: { metadata: {}, spec: { ...podSpec, affinity: { nodeAffinity: {} } } } },
      { suspend: true, template: { metadata: {}, spec: podSpec } },
      [],
    ],
    [
      { suspend: true, template: { metadata: {}, spec: { ...podSpec, affinity: { podAffinity: {} } } } },
      { suspend: true, template: { metadata: {}, spec: podSpec } },
      ['spec.template.spec'],
    ],
  ])('%j to %j: %j', (old, next, expected) => {
    expect(changed(old, next)).toEqual(expected);
  });
});

describe('cron jobs', () => {
  const cron = (spec: object): ApiObject => {
    const given = {
      ...object({}),
      spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: podSpec } } }, ...spec },
    };
    return cronJob.strategy?.defaults?.(given, context) as ApiObject;
  };

  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ schedule: '' }, ['spec.schedule: Required value']],
    [
      { schedule: 'TZ=UTC 0 0 * * *' },
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [{ timeZone: '' }, ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string']],
    [
      { jobTemplate: { spec: { manualSelector: true, selector: {}, template: { spec: podSpec } } } },
      [
        'spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ],
    ],
  ])('%j: %j', (spec, expected) => {
    expect(lines(cronJob.strategy?.validate?.(cron(spec), context))).toEqual(expected);
  });

  test('leave room in their names for the minute', () => {
    expect(cronJob.checkName('a'.repeat(52))).toEqual([]);
    expect(cronJob.checkName('a'.repeat(53))).toEqual(['must be no more than 52 characters']);
    expect(cronJob.checkName('a'.repeat(53), true)).toEqual([]);
  });
});

test.each<[object, object, readonly unknown[]]>([
  [{ completions: 2 }, { succeeded: 1 }, ['Running', '1/2', '']],
  [{ parallelism: 3 }, { startTime: '2030-01-01T00:00:00Z' }, ['Running', '0/1 of 3', '60m']],
  [{}, { conditions: [{ type: 'Suspended', status: 'True' }] }, ['Suspended', '0/1', '']],
  [{}, { conditions: [{ type: 'Failed', status: 'True' }] }, ['Failed', '0/1', '']],
])('a job with %j and %j is shown as %j', (spec, status, expected) => {
  const cells = job.columns?.slice(1, 4).map(({ cell }) => cell({ ...object(spec), status }, context));
  expect(cells).toEqual(expected);
});
