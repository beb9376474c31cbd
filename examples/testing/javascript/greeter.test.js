import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { startTestServer } from 'keelson/testing';
import { reconcile } from './greeter.js';

let server;
before(async () => {
  server = await startTestServer({ manifests: [new URL('../shop.yaml', import.meta.url).pathname] });
});
afterEach(() => server.reset());
after(() => server.close());

test('the operator greets a namespace once', async () => {
  const operator = server.asUser('greeter', ['system:masters']);
  await reconcile(operator.client);
  await reconcile(operator.client);
  const { data } = await server.client.configmaps('shop').get('greeting');
  assert.deepEqual(data, { text: 'hello world' });
  server.journal.assertWrote({ user: 'greeter' }, { times: 1 });
});

test('the operator tries again after a failure', async () => {
  server.faults.fail({ verb: 'create', resource: 'configmaps' }, { status: 503 });
  await assert.rejects(reconcile(server.client), { code: 503 });
  await reconcile(server.client);
  assert.ok(await server.client.configmaps('shop').find('greeting'));
});
