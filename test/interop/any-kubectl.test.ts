// The essentials with whatever kubectl the machine has: held to what it does and to what scripts read, not to its words.

import { expect, test } from 'vitest';
import { anyKubectl, describeWith, minorOf, programOf } from './peers.ts';
import { workbench } from './workbench.ts';

const settings = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {tier: web}
data:
  color: blue
`;

const release = anyKubectl.path === undefined ? '' : ` 1.${minorOf(programOf(anyKubectl)) ?? '?'}`;

describeWith(anyKubectl, `kubectl${release}, as it is on this machine`, () => {
  const bench = workbench(anyKubectl);

  test('reads names, values and whole objects', async () => {
    const { run } = await bench.namespace();
    expect((await run`get namespaces default kube-system -o name`).stdout).toBe(
      'namespace/default\nnamespace/kube-system\n',
    );
    expect((await run`get namespace default -o jsonpath=${'{.status.phase}'}`).stdout).toBe('Active');
    const { stdout } = await run`get namespace default -o json`;
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } });
    expect((await run`api-resources -o name`).stdout.split('\n')).toContain('leases.coordination.k8s.io');
    expect((await run`api-versions`).stdout.split('\n')).toContain('apps/v1');
  });

  test('creates, applies, patches, labels and replaces', async () => {
    const { run, write } = await bench.namespace();
    const dataOf = async () => (await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout;
    write('settings.yaml', settings);
    expect((await run`apply -f settings.yaml`).code).toBe(0);
    expect(await dataOf()).toBe('{"color":"blue"}');
    write('settings.yaml', settings.replace('blue', 'green'));
    expect((await run`apply -f settings.yaml`).code).toBe(0);
    expect(await dataOf()).toBe('{"color":"green"}');
    expect((await run`patch configmap settings -p ${'{"data":{"size":"large"}}'}`).code).toBe(0);
    expect(await dataOf()).toBe('{"color":"green","size":"large"}');
    expect((await run`label configmap settings tier=back --overwrite`).code).toBe(0);
    expect((await run`get configmaps -l tier=back -o name`).stdout).toBe('configmap/settings\n');
    write('settings.yaml', settings);
    expect((await run`replace -f settings.yaml`).code).toBe(0);
    expect(await dataOf()).toBe('{"color":"blue"}');
    expect((await run`create -f settings.yaml`).code).toBe(1);
  });

  test('refuses an unknown field', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings.replace('\ndata:', '\ndate:'));
    const { code, stderr } = await run`create -f settings.yaml`;
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "date"');
    expect((await run`get configmap settings --ignore-not-found -o name`).stdout).toBe('');
  });

  test('explains and describes', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    await run`apply -f settings.yaml`;
    expect((await run`explain configmap.data`).stdout).toContain('map[string]string');
    expect((await run`describe configmap settings`).stdout).toMatch(/color:\n----\nblue\n/);
  });

  test('watches and deletes', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap settings`;
    await using watch = start`get configmap settings --watch -o name`;
    await watch.printed(/^configmap\/settings$/m);
    await run`patch configmap settings -p ${'{"data":{"color":"blue"}}'}`;
    await watch.printed(/(^configmap\/settings\n){2}/m);
    expect((await run`delete configmap settings`).code).toBe(0);
    expect((await run`get configmap settings`).code).toBe(1);
  });

  test('asks what it may do', async () => {
    const { run } = await bench.namespace();
    expect(await run`auth can-i delete pods -q`).toMatchObject({ code: 0 });
    expect(await run`auth can-i delete pods -q --as=a-user-without-rights`).toMatchObject({ code: 1 });
  });
});
