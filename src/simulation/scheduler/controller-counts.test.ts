import { expect, test } from 'vitest';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { ClusterState } from './cluster-state.ts';
import { sumByValue } from './controller-counts.ts';
import { nodeFactsOf } from './node-entry.ts';
import { podEntryOf } from './pod-entry.ts';

const nodeOf = (index: number, zone: string) =>
  nodeFactsOf({ metadata: { name: `node-${index}`, labels: zone === '' ? {} : { zone } } } as unknown as Node);

const podOf = (index: number, owner: string) =>
  podEntryOf({
    metadata: {
      ...{ name: `pod-${index}`, namespace: 'default', uid: `uid-${index}` },
      ownerReferences: [{ apiVersion: 'v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
    },
    spec: { containers: [] },
  } as unknown as Pod);

test('counts of controllers: equal a new count after any change of pods and nodes', () => {
  const state = new ClusterState();
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  const pick = (values: readonly string[]) => values[below(values.length)] as string;
  for (let step = 0; step < 2000; step++) {
    const action = below(10);
    if (action < 5) state.place(podOf(below(40), pick(['a', 'b'])), `node-${below(6)}`);
    else if (action < 8) state.remove(`uid-${below(40)}`);
    else if (action === 8) state.setNode(nodeOf(below(6), pick(['', 'x', 'y'])));
    else state.removeNode(`node-${below(6)}`);
    for (const owner of ['a', 'b'])
      expect(state.controllerCounts(owner, 'zone')).toEqual(sumByValue(owner, 'zone', state.nodes));
  }
});
