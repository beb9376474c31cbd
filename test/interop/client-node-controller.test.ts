// A controller written with @kubernetes/client-node at work: leadership, informers that reconnect, owner references,
// finalizers and cascades, against one server and its successor on the same data.

import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMaps } from '../integration/api.ts';
import { eventually, gone } from '../integration/eventually.ts';
import { FamilyController, finalizer } from './family-controller.ts';
import { TempFolder } from './temp-folder.ts';

function controllerFor(server: Server, identity: string): FamilyController {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
  return new FamilyController({
    config,
    identity,
    namespace: 'default',
    onTrouble() {},
  });
}

const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/family-controller';
const parent = (name: string, count: number) => ({
  metadata: { name, labels: { family: 'parent' } },
  data: { count: String(count) },
});

interface Child {
  readonly metadata: { readonly name: string; readonly ownerReferences: readonly { readonly name: string }[] };
}

test('makes, mends, hands over, survives a restart and cleans up', async () => {
  using folder = new TempFolder();
  const options = { store: 'embedded', dataDir: folder.path } as const;
  await using first = await startTestServer(options);
  const controllers = ['one', 'two'].map((identity) => controllerFor(first, identity));
  let server: Server = first;
  const api = () => apiOf(server);
  const children = async (name: string): Promise<readonly Child[]> => {
    const answer = await api().get(`${configMaps}?labelSelector=family%3Dchild`);
    const { items } = answer.body as { readonly items: readonly Child[] };
    return items.filter((child) => child.metadata.ownerReferences[0]?.name === name);
  };
  const has = (name: string, count: number) => eventually(async () => expect(await children(name)).toHaveLength(count));

  try {
    for (const controller of controllers) controller.start();
    await api().post(configMaps, parent('mother', 3));
    await has('mother', 3);
    // one of them leads, and says so
    const holder = async () => String((await api().get(lease)).body.spec.holderIdentity);
    expect(controllers.filter(({ leads }) => leads)).toHaveLength(1);
    const [leader, follower] = (await holder()) === 'one' ? controllers : controllers.toReversed();
    expect((await api().get(`${configMaps}/mother`)).body.metadata.finalizers).toEqual([finalizer]);

    // what is taken away comes back, what is too much goes
    const [child] = await children('mother');
    await api().delete(`${configMaps}/${child?.metadata.name}`);
    await gone(api(), `${configMaps}/${child?.metadata.name}`);
    await has('mother', 3);
    await api().patch('merge', `${configMaps}/mother`, { data: { count: '1' } });
    await has('mother', 1);

    await leader?.stop();
    await eventually(async () => expect(follower?.leads).toBe(true));
    await api().patch('merge', `${configMaps}/mother`, { data: { count: '2' } });
    await has('mother', 2);

    // a server on the same data and address takes the place of the first
    const port = Number(new URL(first.url).port);
    await first.close();
    await using second = await startTestServer({ ...options, securePort: port, listen: false });
    server = second;
    await api().patch('merge', `${configMaps}/mother`, { data: { count: '4' } });
    await second.listen();
    await has('mother', 4);

    // in the foreground the children go first, then the controller lets the parent go
    const deleted = await api().delete(`${configMaps}/mother`, { propagationPolicy: 'Foreground' });
    expect(deleted.body.metadata.finalizers).toEqual([finalizer, 'foregroundDeletion']);
    await gone(api(), `${configMaps}/mother`);
    await eventually(async () => expect(follower?.cleaned).toEqual(['mother']));
    expect(await children('mother')).toEqual([]);
    await follower?.stop();
    expect((await api().get(lease)).body.spec.holderIdentity ?? '').toBe('');
  } finally {
    for (const controller of controllers) await controller.stop().catch(() => {});
  }
});
