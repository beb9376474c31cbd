import { expect, test } from 'vitest';
import { kubernetes } from '../../../../meta/dialect.ts';
import { FakeClock } from '../../../../testing/fake-clock.ts';
import { nodeColumns } from './node-columns.ts';
import type { Node } from './node-type.ts';

const cells = (node: object) =>
  Object.fromEntries(
    nodeColumns.map(({ name, cell }) => [
      name,
      cell({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' }, ...node } as Node, {
        dialect: kubernetes,
        clock: new FakeClock(),
      }),
    ]),
  );

test('a node that has not reported yet', () => {
  expect(cells({})).toMatchObject({
    Status: 'Unknown',
    Roles: '<none>',
    Version: '',
    'Internal-IP': '<none>',
    'OS-Image': '<unknown>',
  });
});

test('a node at work', () => {
  const shown = cells({
    metadata: {
      name: 'n',
      labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/edge': '', 'kubernetes.io/role': 'old' },
    },
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      nodeInfo: { kubeletVersion: 'v1.36.0', osImage: 'Linux' },
    },
  });
  expect(shown).toMatchObject({
    Status: 'Ready,SchedulingDisabled',
    Roles: 'edge,old,worker',
    Version: 'v1.36.0',
    'Internal-IP': '10.0.0.1',
    'External-IP': '<none>',
    'OS-Image': 'Linux',
  });
});

test.each(['False', 'Unknown'])('a node whose readiness is %s is not ready', (status) => {
  expect(cells({ status: { conditions: [{ type: 'Ready', status }] } })['Status']).toBe('NotReady');
});
