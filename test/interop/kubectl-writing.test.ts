// kubectl changing many things at once, or one thing in every way it knows: prune, sets, images, replacing by force.

import { expect, test } from 'vitest';
import { printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { type Workplace, workbench } from './workbench.ts';

const configMap = (name: string, color = 'blue', labels = '{team: one}') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: ${labels}}\ndata: {color: ${color}}\n`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      initContainers: [{name: setup, image: setup:1}]
      containers: [{name: app, image: app:1}, {name: side, image: side:1}]
`;

const namesOf = async ({ run }: Workplace, what = 'configmaps -l team') => {
  const parts = Object.assign([`get ${what} -o name`], { raw: [] }) as unknown as TemplateStringsArray;
  return (await run(parts)).stdout.trim().split('\n');
};

describeWith(kubectl, 'kubectl writes', () => {
  const bench = workbench(kubectl);

  test('apply --prune removes what is no longer in the files, of the allowed kinds and with the label', async () => {
    const place = await bench.namespace();
    const { run, write } = place;
    write('all.yaml', [configMap('a'), configMap('b'), configMap('other', 'blue', '{team: two}')].join('---\n'));
    expect((await run`apply -f all.yaml`).code).toBe(0);
    await run`create configmap by-hand`;
    await run`label configmap by-hand team=one`;
    write('all.yaml', configMap('a'));
    const pruned = await run`apply -f all.yaml --prune -l team=one --prune-allowlist=core/v1/ConfigMap`;
    expect(pruned.stdout).toBe('configmap/a unchanged\nconfigmap/b pruned\n');
    // what apply did not make stays, and so does what has another label
    expect(await namesOf(place)).toEqual(['configmap/a', 'configmap/by-hand', 'configmap/other']);
  });

  test('apply --prune --applyset keeps account of a set in its own object', async () => {
    const place = await bench.namespace();
    const { run, write, namespace } = place;
    write('set.yaml', [configMap('a'), configMap('b')].join('---\n'));
    const first = await run`apply -n ${namespace} --server-side --prune --applyset=configmaps/everything -f set.yaml`;
    expect(first.stdout).toBe('configmap/a serverside-applied\nconfigmap/b serverside-applied\n');
    write('set.yaml', configMap('a'));
    const second = await run`apply -n ${namespace} --server-side --prune --applyset=configmaps/everything -f set.yaml`;
    expect(second.stdout).toBe('configmap/a serverside-applied\nconfigmap/b pruned\n');
    expect(await namesOf(place)).toEqual(['configmap/a']);
  });

  test('set image changes the containers it names', async () => {
    const { run, write } = await bench.namespace();
    write('web.yaml', deployment);
    await run`create -f web.yaml`;
    expect(await run`set image deployment/web app=app:2 setup=setup:2`).toEqual(
      printed('deployment.apps/web image updated'),
    );
    const images = '{.spec.template.spec.initContainers[*].image} {.spec.template.spec.containers[*].image}';
    expect((await run`get deployment web -o jsonpath=${images}`).stdout).toBe('setup:2 app:2 side:1');
    expect((await run`set image deployment/web app=app:3 --dry-run=server -o name`).stdout).toBe(
      'deployment.apps/web\n',
    );
    expect((await run`get deployment web -o jsonpath=${images}`).stdout).toBe('setup:2 app:2 side:1');
    expect((await run`set image deployment/web absent=app:3`).code).not.toBe(0);
  });

  test('replace --force makes the object again', async () => {
    const { run, write, namespace } = await bench.namespace();
    write('a.yaml', configMap('a'));
    await run`create -f a.yaml`;
    const uid = async () => (await run`get configmap a -o jsonpath=${'{.metadata.uid}'}`).stdout;
    const before = await uid();
    write('a.yaml', configMap('a', 'red'));
    expect(await run`replace -f a.yaml`).toEqual(printed('configmap/a replaced'));
    expect(await uid()).toBe(before);
    expect((await run`replace --force -f a.yaml`).stdout).toBe(
      `configmap "a" deleted from ${namespace} namespace\nconfigmap/a replaced\n`,
    );
    expect(await uid()).not.toBe(before);
  });

  test('set-last-applied makes client-side apply remember, view-last-applied shows it', async () => {
    const { run, write } = await bench.namespace();
    await run`create configmap a --from-literal=color=blue --from-literal=size=small`;
    write('a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {color: blue, size: small}\n');
    expect((await run`apply set-last-applied -f a.yaml`).code).not.toBe(0);
    expect(await run`apply set-last-applied --create-annotation -f a.yaml`).toEqual(printed('configmap/a configured'));
    expect((await run`apply view-last-applied configmap a -o yaml`).stdout).toContain('size: small');
    write('a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {color: blue}\n');
    expect((await run`apply -f a.yaml`).stdout).toBe('configmap/a configured\n');
    expect((await run`get configmap a -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"blue"}');
  });

  test('create --save-config leaves what client-side apply goes on with', async () => {
    const { run, write } = await bench.namespace();
    const manifest = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {${data}}\n`;
    write('a.yaml', manifest('k: one, l: two'));
    expect(await run`create --save-config -f a.yaml`).toEqual(printed('configmap/a created'));
    write('a.yaml', manifest('k: one'));
    expect(await run`apply -f a.yaml`).toEqual(printed('configmap/a configured'));
    expect((await run`get configmap a -o jsonpath=${'{.data}'}`).stdout).toBe('{"k":"one"}');
  });

  test('apply --validate does what it says about unknown fields, on create and on change', async () => {
    const { run, write } = await bench.namespace();
    for (const color of ['blue', 'red']) {
      write('a.yaml', `${configMap('a', color)}extra: 1\n`);
      const strict = await run`apply --validate=strict -f a.yaml`;
      expect(strict.code).not.toBe(0);
      expect(strict.stderr).toContain('unknown field "extra"');
      const warned = await run`apply --validate=warn -f a.yaml`;
      expect([warned.code, warned.stderr.includes('unknown field "extra"')]).toEqual([0, true]);
    }
    write('a.yaml', `${configMap('a', 'green')}extra: 1\n`);
    expect(await run`apply --validate=ignore -f a.yaml`).toEqual(printed('configmap/a configured'));
  });

  test('patch of a subresource changes that only', async () => {
    const { run, write } = await bench.namespace();
    write('web.yaml', deployment);
    await run`create -f web.yaml`;
    const change = '{"status":{"observedGeneration":7},"spec":{"paused":true}}';
    const patched = await run`patch deployment web --subresource=status --type=merge -p ${change}`;
    expect(patched).toEqual(printed('deployment.apps/web patched'));
    const shown = '{.status.observedGeneration} [{.spec.paused}]';
    expect((await run`get deployment web -o jsonpath=${shown}`).stdout).toBe('7 []');
    const scale = await run`patch deployment web --subresource=scale --type=merge -p ${'{"spec":{"replicas":4}}'}`;
    expect(scale.code).toBe(0);
    expect((await run`get deployment web -o jsonpath=${'{.spec.replicas}'}`).stdout).toBe('4');
  });

  test('edit of an object that is refused says why and keeps what was written', async () => {
    const { run } = await bench.namespace();
    await run`create configmap fixed --from-literal=color=blue`;
    await run`patch configmap fixed -p ${'{"immutable":true}'}`;
    const refused = await run`edit configmap fixed`;
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('error: configmaps "fixed" is invalid\nA copy of your changes has been stored to');
    expect((await run`get configmap fixed -o jsonpath=${'{.data.color}'}`).stdout).toBe('blue');
  });
});
