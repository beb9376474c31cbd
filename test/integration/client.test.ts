// The client library against a server that listens: kubeconfig in, objects out.

import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.ts';
import { connect, Informer, loadKubeconfig } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const named = (name: string) => ({ metadata: { name } });

describe('a client of a listening server', async () => {
  test('writes, reads, follows and deletes as the administrator', async () => {
    await using server = await startTestServer();
    using cluster = connect(await loadKubeconfig({ text: server.kubeconfig }));
    expect(cluster.namespace).toBe('default');
    await cluster.client.create(configMaps, named('first'));
    const seen: string[] = [];
    const watched = await new Promise<string[]>((resolve, reject) => {
      const informer = new Informer({
        client: cluster.client,
        clock: systemClock,
        path: configMaps,
        onError: reject,
        onChange({ metadata }) {
          seen.push(`+${metadata.name}`);
          if (metadata.name === 'first') void cluster.client.create(configMaps, named('second'));
          if (metadata.name === 'second') void cluster.client.delete(`${configMaps}/first`);
        },
        onDelete({ metadata }) {
          seen.push(`-${metadata.name}`);
          void informer.close().then(() => resolve(seen));
        },
      });
      informer.start();
    });
    expect(watched.filter((one) => !one.includes('root-ca'))).toEqual(['+first', '+second', '-first']);
    expect(await cluster.client.find(`${configMaps}/first`)).toBeUndefined();
  });

  test('acts as another user, and learns why it may not', async () => {
    await using server = await startTestServer();
    const config = await loadKubeconfig({ text: server.kubeconfig });
    const [user] = config.users.values();
    if (user === undefined) throw new Error('the kubeconfig has no user');
    const as = { ...user.impersonate, user: 'ann', groups: ['devs'], extra: new Map([['a/b', ['c']]]) };
    using cluster = connect({ ...config, users: new Map([['admin', { ...user, impersonate: as }]]) });
    const self = await cluster.client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(self).toMatchObject({
      status: { userInfo: { username: 'ann', groups: ['devs', 'system:authenticated'], extra: { 'a/b': ['c'] } } },
    });
    await expect(cluster.client.list(configMaps)).rejects.toThrow(
      '403 configmaps is forbidden: User "ann" cannot list',
    );
  });

  test('large lists come packed', async () => {
    await using server = await startTestServer();
    using cluster = connect(await loadKubeconfig({ text: server.kubeconfig }));
    const data = { text: 'x'.repeat(200_000) };
    await cluster.client.create(configMaps, { ...named('large'), data });
    const { items } = await cluster.client.list(`${configMaps}?fieldSelector=metadata.name=large`);
    expect(items).toMatchObject([{ data }]);
  });
});
