// kubectl reading objects: tables, formats, selectors, describe, events.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { cells, printed, refused } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

describeWith(kubectl, 'kubectl reads', () => {
  const bench = workbench(kubectl);

  test('the namespaces of a new server', async () => {
    const { run, write } = await bench.namespace();
    await using fresh = await startTestServer();
    write('fresh.kubeconfig', fresh.kubeconfig);
    expect(cells(await run`get namespaces --kubeconfig fresh.kubeconfig`)).toEqual([
      ['NAME', 'STATUS', 'AGE'],
      ['default', 'Active', '<age>'],
      ['kube-node-lease', 'Active', '<age>'],
      ['kube-public', 'Active', '<age>'],
      ['kube-system', 'Active', '<age>'],
    ]);
  });

  test('several kinds in one call, each as its own table', async () => {
    const { run } = await bench.namespace();
    await run`create configmap settings --from-literal=a=1 --from-literal=b=2`;
    await run`create secret generic login --from-literal=password=hunter2`;
    await run`create serviceaccount robot`;
    const { stdout } = await run`get configmap/settings secret/login serviceaccount/robot`;
    expect(stdout.split('\n\n').map((table) => cells({ stdout: table }))).toEqual([
      [
        ['NAME', 'DATA', 'AGE'],
        ['configmap/settings', '2', '<age>'],
      ],
      [
        ['NAME', 'TYPE', 'DATA', 'AGE'],
        ['secret/login', 'Opaque', '1', '<age>'],
      ],
      [
        ['NAME', 'AGE'],
        ['serviceaccount/robot', '<age>'],
      ],
    ]);
  });

  test('one object in every format', async () => {
    const { run, namespace } = await bench.namespace();
    await run`create configmap settings --from-literal=color=blue`;
    const json = await run`get configmap settings -o json`;
    const object = JSON.parse(json.stdout) as {
      metadata: Record<'uid' | 'resourceVersion' | 'creationTimestamp', string>;
    };
    const { uid, resourceVersion, creationTimestamp } = object.metadata;
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace, uid, resourceVersion, creationTimestamp },
      data: { color: 'blue' },
    });
    expect(await run`get configmap settings -o yaml`).toEqual(
      printed(
        'apiVersion: v1',
        'data:',
        '  color: blue',
        'kind: ConfigMap',
        'metadata:',
        `  creationTimestamp: "${creationTimestamp}"`,
        '  name: settings',
        `  namespace: ${namespace}`,
        `  resourceVersion: "${resourceVersion}"`,
        `  uid: ${uid}`,
      ),
    );
    expect((await run`get configmap settings -o jsonpath=${'{.metadata.uid}'}`).stdout).toBe(uid);
    expect(await run`get configmap settings -o name`).toEqual(printed('configmap/settings'));
    expect(cells(await run`get configmap settings -o wide`)).toEqual([
      ['NAME', 'DATA', 'AGE'],
      ['settings', '1', '<age>'],
    ]);
    expect(await run`get configmap settings -o custom-columns=NAME:.metadata.name,COLOR:.data.color`).toEqual(
      printed('NAME       COLOR', 'settings   blue'),
    );
  });

  test('what labels and fields select, in one namespace and in all', async () => {
    const { run, namespace } = await bench.namespace();
    for (const [name, tier] of [
      ['front', 'web'],
      ['back', 'db'],
      ['spare', 'none'],
    ] as const) {
      await run`create configmap ${name}`;
      await run`label configmap ${name} tier=${tier} place=${namespace}`;
    }
    expect(await run`get configmaps -l ${'tier in (web,db)'} -o name`).toEqual(
      printed('configmap/back', 'configmap/front'),
    );
    expect(await run`get configmaps -l tier!=web,place=${namespace} -o name`).toEqual(
      printed('configmap/back', 'configmap/spare'),
    );
    expect(await run`get configmaps --field-selector metadata.name=front -o name`).toEqual(printed('configmap/front'));
    expect(cells(await run`get configmaps -A -l place=${namespace},tier=db --show-labels`)).toEqual([
      ['NAMESPACE', 'NAME', 'DATA', 'AGE', 'LABELS'],
      [namespace, 'back', '0', '<age>', `place=${namespace},tier=db`],
    ]);
    expect(await run`get configmaps -l tier=nothing`).toEqual({
      ...printed(),
      stderr: `No resources found in ${namespace} namespace.\n`,
    });
    // in pages of one, and the same in the end
    expect(await run`get configmaps -l place=${namespace} --chunk-size=1 -o name`).toEqual(
      printed('configmap/back', 'configmap/front', 'configmap/spare'),
    );
  });

  test('an event, in its tables and where its object is described', async () => {
    const { run, write, namespace } = await bench.namespace();
    await run`create configmap settings --from-literal=color=blue`;
    const { stdout: uid } = await run`get configmap settings -o jsonpath=${'{.metadata.uid}'}`;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'settings.1' },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace, uid },
      type: 'Warning',
      reason: 'Faded',
      message: 'the color has faded',
      count: 3,
      firstTimestamp: new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, ''),
      lastTimestamp: new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, ''),
      source: { component: 'painter', host: 'wall' },
    };
    write('event.yaml', JSON.stringify(event));
    expect(await run`create -f event.yaml`).toEqual(printed('event/settings.1 created'));
    expect(cells(await run`get events --field-selector involvedObject.name=settings,type=Warning`)).toEqual([
      ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
      ['<age>', 'Warning', 'Faded', 'configmap/settings', 'the color has faded'],
    ]);
    expect(cells(await run`get events -o wide`)).toEqual([
      ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'SUBOBJECT', 'SOURCE', 'MESSAGE', 'FIRST SEEN', 'COUNT', 'NAME'],
      [
        '<age>',
        'Warning',
        'Faded',
        'configmap/settings',
        '',
        'painter, wall',
        event.message,
        '<age>',
        '3',
        'settings.1',
      ],
    ]);
    const { stdout } = await run`describe configmap settings`;
    expect(stdout).toMatch(
      new RegExp(`^Name: +settings\nNamespace: +${namespace}\nLabels: +<none>\nAnnotations: +<none>\n\nData\n====\n`),
    );
    expect(stdout).toMatch(/\ncolor:\n----\nblue\n/);
    expect(stdout).toMatch(/\n {2}Warning +Faded +\d+[sm]\S* \(x3 over \S+\) +painter +the color has faded\n$/);
  });

  test('a lease, and who holds it', async () => {
    const { run, write } = await bench.namespace();
    const spec = { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };
    write(
      'lease.yaml',
      JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'lock' }, spec }),
    );
    await run`create -f lease.yaml`;
    expect(cells(await run`get lease lock`)).toEqual([
      ['NAME', 'HOLDER', 'AGE'],
      ['lock', 'me', '<age>'],
    ]);
    expect(JSON.parse((await run`get lease lock -o jsonpath=${'{.spec}'}`).stdout)).toEqual(spec);
  });

  test('that an object is missing', async () => {
    const { run } = await bench.namespace();
    expect(await run`get configmap nothing`).toEqual(
      refused('Error from server (NotFound): configmaps "nothing" not found'),
    );
  });
});
