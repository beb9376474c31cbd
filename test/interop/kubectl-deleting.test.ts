// kubectl deleting things: cascades, grace, waiting, namespaces.

import { expect, test } from 'vitest';
import { TestClock } from '../../src/testing/test-clock.ts';
import { printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { type Workplace, workbench } from './workbench.ts';

/** An owner and a dependent that blocks it. */
async function family({ run, write }: Workplace): Promise<void> {
  await run`create configmap parent`;
  const { stdout: uid } = await run`get configmap parent -o jsonpath=${'{.metadata.uid}'}`;
  write(
    'child.yaml',
    `apiVersion: v1
kind: ConfigMap
metadata:
  name: child
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: parent, uid: ${uid}, blockOwnerDeletion: true}]
`,
  );
  expect((await run`create -f child.yaml`).code).toBe(0);
}

const pod = (name: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec: {nodeName: worker, containers: [{name: c, image: i}]}
`;

describeWith(kubectl, 'kubectl deletes', () => {
  const bench = workbench(kubectl);

  test.each(['foreground', 'background'])('--cascade=%s takes dependents along', async (cascade) => {
    const place = await bench.namespace();
    await family(place);
    const { run } = place;
    expect(await run`delete configmap parent --cascade=${cascade}`).toEqual(
      printed(`configmap "parent" deleted from ${place.namespace} namespace`),
    );
    expect((await run`wait --for=delete configmap/child --timeout=20s`).code).toBe(0);
  });

  test('--cascade=orphan leaves dependents', async () => {
    const place = await bench.namespace();
    await family(place);
    const { run } = place;
    expect((await run`delete configmap parent --cascade=orphan`).code).toBe(0);
    expect((await run`get configmap child -o jsonpath=${'{.metadata.ownerReferences}'}`).stdout).toBe('');
    expect((await run`get configmap child -o name`).stdout).toBe('configmap/child\n');
  });

  test('--grace-period and --now give pods their time, --force none', async () => {
    const { run, write, namespace } = await bench.namespace();
    for (const name of ['a', 'b']) {
      write(`${name}.yaml`, pod(name));
      expect(await run`create -f ${`${name}.yaml`}`).toMatchObject({ code: 0, stderr: '' });
    }
    const grace = (name: string) => run`get pod ${name} -o jsonpath=${'{.metadata.deletionGracePeriodSeconds}'}`;
    expect(await run`delete pod a --grace-period=7 --wait=false`).toMatchObject({ code: 0, stderr: '' });
    expect((await grace('a')).stdout).toBe('7');
    expect(await run`delete pod b --now --wait=false`).toMatchObject({ code: 0, stderr: '' });
    expect((await grace('b')).stdout).toBe('1');
    const forced = await run`delete pod a b --grace-period=0 --force`;
    expect(forced.stdout).toBe(
      ['a', 'b'].map((name) => `pod "${name}" force deleted from ${namespace} namespace\n`).join(''),
    );
    expect((await run`get pods -o name`).stdout).toBe('');
  });

  test('waits for a namespace to go with all that is in it', async () => {
    const { run, namespace } = await bench.namespace();
    const other = `${namespace}-other`;
    await run`create namespace ${other}`;
    await run`create configmap inside -n ${other}`;
    expect(await run`delete namespace ${other} --wait --timeout=30s`).toEqual(printed(`namespace "${other}" deleted`));
    expect((await run`get namespace ${other}`).stderr).toContain('not found');
  });

  test('get events -w shows what the garbage collector has to say', async () => {
    const { run, start, namespace } = await bench.namespace();
    await using events = start`get events -w -o custom-columns=R:.reason,N:.involvedObject.name --no-headers`;
    const { stdout: uid } = await run`get serviceaccount default -n default -o jsonpath=${'{.metadata.uid}'}`;
    const owner = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', uid };
    const stray = { metadata: { name: 'stray', ownerReferences: [owner] } };
    await bench.server.fetch(`/api/v1/namespaces/${namespace}/configmaps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(stray),
    });
    await events.printed(/OwnerRefInvalidNamespace\s+stray/);
  });

  test('--all, -l and -f remove what they say and nothing else', async () => {
    const { run, write, namespace } = await bench.namespace();
    for (const name of ['a', 'b', 'c', 'd']) await run`create secret generic ${name}`;
    await run`label secret a b team=one`;
    const deleted = (...names: readonly string[]) =>
      printed(...names.map((name) => `secret "${name}" deleted from ${namespace} namespace`));
    expect(await run`delete secrets -l team=one`).toEqual(deleted('a', 'b'));
    write('c.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: c}\n');
    expect(await run`delete -f c.yaml`).toEqual(deleted('c'));
    expect((await run`delete -f c.yaml`).stderr).toContain('secrets "c" not found');
    expect((await run`delete -f c.yaml --ignore-not-found`).code).toBe(0);
    expect(await run`delete secrets --all --dry-run=server`).toMatchObject({ code: 0 });
    expect(await run`delete secrets --all`).toEqual(deleted('d'));
    expect((await run`get secrets -o name`).stdout).toBe('');
  });

  test('--wait waits for finalizers, --timeout gives up, --wait=false does not wait', async () => {
    const { run, start, write } = await bench.namespace();
    const held = (name: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, finalizers: [example.com/hold]}\n`;
    write('held.yaml', held('held'));
    await run`create -f held.yaml`;
    expect((await run`delete configmap held --wait=false`).code).toBe(0);
    expect((await run`delete configmap held --timeout=1s`).stderr).toContain('timed out waiting');
    await using waiting = start`delete configmap held --wait`;
    await waiting.printed(/deleted/);
    const free = '{"metadata":{"finalizers":null}}';
    expect((await run`patch configmap held --type=merge -p ${free}`).code).toBe(0);
    expect((await waiting.outcome()).code).toBe(0);
  });
});

// on its own server, of one thread: its clock moves
describeWith(kubectl, 'kubectl deletes without node agents', () => {
  const clock = new TestClock();
  const bench = workbench(kubectl, async () => ({ clock }));

  test('a namespace ends although it has a pod on a node that does not exist', async () => {
    const { run, start, write, namespace } = await bench.namespace();
    write('p.yaml', pod('p'));
    expect((await run`create -f p.yaml`).code).toBe(0);
    await using deletion = start`delete namespace ${namespace} --wait --timeout=60s`;
    await deletion.printed(/deleted/);
    const { server } = bench;
    const find = () => server.fetch(`/api/v1/namespaces/${namespace}/pods/p`);
    await server.eventually(async () => /"deletionTimestamp":/.test(await (await find()).text()));
    clock.advance(40_000);
    await server.eventually(async () => (await find()).status === 404);
    clock.advance(30_000);
    expect((await deletion.outcome()).code).toBe(0);
  });
});
