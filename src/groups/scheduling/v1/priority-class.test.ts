import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { priorityClass as kind } from './priority-class.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const made = (name: string, fields: object): ApiObject => ({
  kind: 'PriorityClass',
  apiVersion: 'v1',
  metadata: { name },
  ...fields,
});
const reserved =
  "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";

test.each<[string, object, readonly string[]]>([
  ['mine', { value: 1000000000 }, []],
  ['mine', { value: 1000000001 }, ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000']],
  ['system-node-critical', { value: 2000001000 }, []],
  [
    'system-node-critical',
    { value: 1 },
    [`${reserved} value of system-node-critical PriorityClass must be 2000001000`],
  ],
  [
    'system-node-critical',
    { value: 2000001000, globalDefault: true },
    [`${reserved} globalDefault of system-node-critical PriorityClass must be false`],
  ],
  ['system-mine', { value: 1 }, [`${reserved} system-mine is not a known system priority class`]],
  [
    'mine',
    { preemptionPolicy: 'Odd' },
    ['preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"'],
  ],
])('%s %j: %j', (name, fields, expected) => {
  expect(lines(kind.strategy?.validateCreate?.(made(name, fields), context))).toEqual(expected);
});

test('value and policy stay as they are', () => {
  const changed = kind.strategy?.validateUpdate?.(
    made('a', { value: 2, preemptionPolicy: 'Never' }),
    made('a', { value: 1 }),
    context,
  );
  expect(lines(changed)).toEqual([
    'value: Forbidden: may not be changed in an update.',
    'preemptionPolicy: Invalid value: "Never": field is immutable',
  ]);
});
