import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../../testing/processor-time.ts';
import { OwnerGraph } from './graph.ts';

const ref = (name: string, uid: string, blockOwnerDeletion = false) => ({
  apiVersion: 'v1',
  kind: 'X',
  name,
  uid,
  blockOwnerDeletion,
});
const names = (owners: readonly { readonly name: string }[]) => owners.map(({ name }) => name);

describe('the graph of owners', () => {
  test('learns of 10,000 owners of an object in little time, and forgets them so', async () => {
    const ownerReferences = Array.from({ length: 10_000 }, (_, index) => ref(`o${index}`, `u${index}`));
    await expectProcessorTime(400, () => {
      const graph = new OwnerGraph();
      graph.set('/a', 'ns', { uid: '1', ownerReferences }, 5);
      expect(graph.dependentsOf('u9999').map(({ path }) => path)).toEqual(['/a']);
      expect(graph.remove('/a')).toHaveLength(10_000);
      expect([...graph.owners]).toEqual([]);
    });
  });

  test('keeps nothing of objects without owners', () => {
    const graph = new OwnerGraph();
    graph.set('/a', 'ns', { uid: '1' }, 5);
    expect([graph.size, [...graph.owners].length]).toEqual([0, 0]);
  });

  test('shares an owner among dependents of one namespace, and forgets it with the last', () => {
    const graph = new OwnerGraph();
    graph.set('/a', 'ns', { uid: '1', ownerReferences: [ref('o', 'u')] }, 5);
    graph.set('/b', 'ns', { uid: '2', ownerReferences: [ref('o', 'u')] }, 6);
    graph.set('/c', 'other', { uid: '3', ownerReferences: [ref('o', 'u')] }, 7);
    expect([...graph.owners].length).toBe(2);
    expect(graph.dependentsOf('u').map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
    for (const path of ['/a', '/b', '/c']) expect(names(graph.remove(path))).toEqual(['o']);
    expect([graph.size, [...graph.owners].length, graph.dependentsOf('u')]).toEqual([0, 0, []]);
  });

  test('an update keeps what is known of an owner', () => {
    const graph = new OwnerGraph();
    graph.set('/a', 'ns', { uid: '1', ownerReferences: [ref('o', 'u')] }, 5);
    const [owner] = graph.owners;
    if (owner !== undefined) owner.state = 'present';
    graph.set('/a', 'ns', { uid: '1', ownerReferences: [ref('o', 'u'), ref('p', 'v')] }, 6);
    expect([...graph.owners].map(({ name, state }) => [name, state])).toEqual([
      ['o', 'present'],
      ['p', 'unknown'],
    ]);
    expect(graph.dependent('/a')?.revision).toBe(6);
  });

  test('tells the first owner of which nothing is known, and looks at each owner once', () => {
    const graph = new OwnerGraph();
    const owners = Array.from({ length: 1000 }, (_, i) => ref(`o${i}`, `u${i}`));
    graph.set('/a', 'ns', { uid: '1', ownerReferences: owners }, 5);
    const dependent = graph.dependent('/a');
    if (dependent === undefined) throw new Error('no dependent');
    for (const { owner } of dependent.links) {
      expect(graph.unsettledOwner(dependent)).toBe(owner);
      owner.state = 'absent';
    }
    expect(graph.unsettledOwner(dependent)).toBeUndefined();
    expect(dependent.settled).toBe(1000);
  });

  test('counts who keeps an owner waiting', () => {
    const graph = new OwnerGraph();
    graph.set('/a', 'ns', { uid: '1', ownerReferences: [ref('o', 'u', true)] }, 5);
    graph.set('/b', 'ns', { uid: '2', ownerReferences: [ref('o', 'u', true)] }, 6);
    graph.set('/a', 'ns', { uid: '1', ownerReferences: [ref('o', 'u', false)] }, 7);
    expect(graph.isBlocked('u')).toBe(true);
    graph.remove('/b');
    expect(graph.isBlocked('u')).toBe(false);
  });

  test('an owner waits when the object at its place, with its uid, is leaving in the foreground', () => {
    const graph = new OwnerGraph();
    graph.set('/a', 'ns', { uid: '1', ownerReferences: [ref('o', 'u')] }, 5);
    const [owner] = graph.owners;
    if (owner === undefined) throw new Error('no owner');
    graph.place(owner, '/o');
    graph.setLeaving({ path: '/o', uid: 'another', policy: 'Foreground' });
    expect(graph.isWaiting(owner)).toBe(false);
    graph.setLeaving({ path: '/o', uid: 'u', policy: 'Foreground' });
    expect(graph.isWaiting(owner)).toBe(true);
    expect([...graph.ownersAt('/o')]).toEqual([owner]);
    graph.clear();
    expect([...graph.ownersAt('/o')]).toEqual([]);
  });
});
