// The essentials with kubectl 1.20, which reads OpenAPI 2, checks fields itself and knows no newer discovery.

import { expect, test } from 'vitest';
import { cells, printed, refused } from './outcomes.ts';
import { describeWith, oldKubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const settings = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  color: blue
`;

describeWith(oldKubectl, 'kubectl 1.20', () => {
  const bench = workbench(oldKubectl);

  test('gets tables and single values', async () => {
    const { run } = await bench.namespace();
    expect(cells(await run`get namespaces default kube-system`)).toEqual([
      ['NAME', 'STATUS', 'AGE'],
      ['default', 'Active', '<age>'],
      ['kube-system', 'Active', '<age>'],
    ]);
    expect((await run`get namespace default -o jsonpath=${'{.status.phase}'}`).stdout).toBe('Active');
    expect(cells(await run`api-resources --api-group=coordination.k8s.io`)).toEqual([
      ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'],
      ['leases', '', 'coordination.k8s.io/v1', 'true', 'Lease'],
    ]);
  });

  test('creates, patches, labels and deletes a config map', async () => {
    const { run } = await bench.namespace();
    expect(await run`create configmap settings --from-literal=color=blue`).toEqual(
      printed('configmap/settings created'),
    );
    expect(await run`patch configmap settings -p ${'{"data":{"size":"large"}}'}`).toEqual(
      printed('configmap/settings patched'),
    );
    expect(await run`label configmap settings tier=web`).toEqual(printed('configmap/settings labeled'));
    expect(cells(await run`get configmaps -l tier=web`)).toEqual([
      ['NAME', 'DATA', 'AGE'],
      ['settings', '2', '<age>'],
    ]);
    expect(await run`delete configmap settings`).toEqual(printed('configmap "settings" deleted'));
    expect(await run`delete configmap settings`).toEqual(
      refused('Error from server (NotFound): configmaps "settings" not found'),
    );
  });

  test('applies: created, unchanged, configured', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings created'));
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings unchanged'));
    write('settings.yaml', settings.replace('blue', 'green'));
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings configured'));
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"green"}');
  });

  test('finds an unknown field before it sends anything', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings.replace('\ndata:', '\ndate:'));
    expect(await run`create -f settings.yaml`).toEqual(
      refused(
        'error: error validating "settings.yaml": error validating data: ValidationError(ConfigMap): unknown field ' +
          '"date" in io.k8s.api.core.v1.ConfigMap; if you choose to ignore these errors, turn validation off with ' +
          '--validate=false',
      ),
    );
  });

  test('explains a field and a whole kind', async () => {
    const { run } = await bench.namespace();
    expect((await run`explain configmap.data`).stdout).toMatch(
      /^KIND: {5}ConfigMap\nVERSION: {2}v1\n\nFIELD: {4}data <map\[string\]string>\n\nDESCRIPTION:\n {5}\S/,
    );
    const { stdout } = await run`explain namespace --recursive`;
    expect(stdout).toContain('\n      managedFields\t<[]Object>\n         apiVersion\t<string>\n');
    expect(stdout).toContain('\n         fieldsV1\t<map[string]>\n');
    expect(stdout).toContain('\n   spec\t<Object>\n      finalizers\t<[]string>\n');
  });

  test('describes a config map', async () => {
    const { run, namespace } = await bench.namespace();
    await run`create configmap settings --from-literal=color=blue`;
    expect(await run`describe configmap settings`).toEqual(
      printed(
        'Name:         settings',
        `Namespace:    ${namespace}`,
        'Labels:       <none>',
        'Annotations:  <none>',
        '',
        'Data',
        '====',
        'color:',
        '----',
        'blue',
        'Events:  <none>',
      ),
    );
  });

  test('watches', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap settings`;
    await using watch = start`get configmap settings --watch --output-watch-events`;
    await watch.printed(/^ADDED +settings /m);
    await run`patch configmap settings -p ${'{"data":{"color":"blue"}}'}`;
    await watch.printed(/^MODIFIED +settings +1 /m);
    await run`delete configmap settings`;
    await watch.printed(/^DELETED +settings +1 /m);
  });
});
