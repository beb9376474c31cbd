// kubectl changing things: create, apply, patch, label, edit, replace, delete.

import { expect, test } from 'vitest';
import { printed, refused } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const settings = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  color: blue
`;

describeWith(kubectl, 'kubectl changes objects', () => {
  const bench = workbench(kubectl);

  test('create makes a namespace, a config map, a secret and a service account', async () => {
    const { run, namespace } = await bench.namespace();
    const other = `${namespace}-other`;
    expect(await run`create namespace ${other}`).toEqual(printed(`namespace/${other} created`));
    expect(await run`create configmap settings --from-literal=color=blue`).toEqual(
      printed('configmap/settings created'),
    );
    expect(await run`create secret generic login --from-literal=password=hunter2`).toEqual(
      printed('secret/login created'),
    );
    expect(await run`create serviceaccount robot`).toEqual(printed('serviceaccount/robot created'));
    expect((await run`get namespace ${other} -o jsonpath=${'{.status.phase}'}`).stdout).toBe('Active');
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"blue"}');
    expect((await run`get secret login -o jsonpath=${'{.type} {.data.password}'}`).stdout).toBe('Opaque aHVudGVyMg==');
    expect((await run`get serviceaccount robot -o name`).stdout).toBe('serviceaccount/robot\n');
  });

  test('create -f makes every document of a file, and a lease among them', async () => {
    const { run, write } = await bench.namespace();
    const lease =
      'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: lock}\nspec: {holderIdentity: me}\n';
    write('all.yaml', `${settings}---\n${lease}`);
    expect(await run`create -f all.yaml`).toEqual(
      printed('configmap/settings created', 'lease.coordination.k8s.io/lock created'),
    );
    expect((await run`get lease lock -o jsonpath=${'{.spec}'}`).stdout).toBe('{"holderIdentity":"me"}');
  });

  test('create a second time says that the object is there', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    await run`create -f settings.yaml`;
    expect(await run`create -f settings.yaml`).toEqual(
      refused(
        'Error from server (AlreadyExists): error when creating "settings.yaml": configmaps "settings" already exists',
      ),
    );
  });

  test('apply creates, leaves alone what is the same, changes what differs and removes what is gone', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings created'));
    const version = await run`get configmap settings -o jsonpath=${'{.metadata.resourceVersion}'}`;
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings unchanged'));
    expect(await run`get configmap settings -o jsonpath=${'{.metadata.resourceVersion}'}`).toEqual(version);
    await run`patch configmap settings --type merge -p ${'{"data":{"size":"large"}}'}`;
    write('settings.yaml', settings.replace('color: blue', 'shape: round'));
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings configured'));
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe(
      '{"shape":"round","size":"large"}',
    );
  });

  test('diff shows what apply would change and ends with 1, or shows nothing', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    await run`apply -f settings.yaml`;
    expect(await run`diff -f settings.yaml`).toEqual({ code: 0, stdout: '', stderr: '' });
    write('settings.yaml', settings.replace('blue', 'green'));
    const { code, stdout } = await run`diff -f settings.yaml`;
    expect(code).toBe(1);
    expect(stdout).toContain('\n-  color: blue\n+  color: green\n');
    // generation stays out of it: a ConfigMap has none
    expect(stdout.match(/^[-+] .*$/gm)).toEqual(['-  color: blue', '+  color: green']);
  });

  test('a dry run on the server stores nothing', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    expect(await run`apply --dry-run=server -f settings.yaml`).toEqual(
      printed('configmap/settings created (server dry run)'),
    );
    expect(await run`get configmap settings`).toEqual(
      refused('Error from server (NotFound): configmaps "settings" not found'),
    );
  });

  test('patch works in its three ways and tells when nothing changed', async () => {
    const { run } = await bench.namespace();
    await run`create configmap settings --from-literal=color=blue --from-literal=size=large`;
    const patched = printed('configmap/settings patched');
    expect(await run`patch configmap settings -p ${'{"data":{"shape":"round"}}'}`).toEqual(patched);
    expect(await run`patch configmap settings --type merge -p ${'{"data":{"size":null}}'}`).toEqual(patched);
    const steps =
      '[{"op":"test","path":"/data/color","value":"blue"},{"op":"replace","path":"/data/color","value":"red"}]';
    expect(await run`patch configmap settings --type json -p ${steps}`).toEqual(patched);
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"red","shape":"round"}');
    expect(await run`patch configmap settings -p ${'{"data":{"color":"red"}}'}`).toEqual(
      printed('configmap/settings patched (no change)'),
    );
    expect(await run`patch configmap settings --type json -p ${steps}`).toEqual(
      refused('The request is invalid: the server rejected our request due to an error in our request'),
    );
  });

  test('a strategic patch merges a list by its key and deletes from it by directive', async () => {
    const { run } = await bench.namespace();
    await run`create serviceaccount robot`;
    await run`patch serviceaccount robot -p ${'{"secrets":[{"name":"first"}]}'}`;
    await run`patch serviceaccount robot -p ${'{"secrets":[{"name":"second"}]}'}`;
    const names = '{.secrets[*].name}';
    expect((await run`get serviceaccount robot -o jsonpath=${names}`).stdout.split(' ').sort()).toEqual([
      'first',
      'second',
    ]);
    await run`patch serviceaccount robot -p ${'{"secrets":[{"name":"first","$patch":"delete"}]}'}`;
    expect((await run`get serviceaccount robot -o jsonpath=${names}`).stdout).toBe('second');
  });

  test('label and annotate add, refuse to overwrite unasked, overwrite and remove', async () => {
    const { run } = await bench.namespace();
    await run`create configmap settings`;
    expect(await run`label configmap settings tier=web`).toEqual(printed('configmap/settings labeled'));
    expect(await run`label configmap settings tier=web`).toEqual(printed('configmap/settings not labeled'));
    expect(await run`label configmap settings tier=db`).toEqual(
      refused("error: 'tier' already has a value (web), and --overwrite is false"),
    );
    expect(await run`label configmap settings tier=db --overwrite`).toEqual(printed('configmap/settings labeled'));
    expect(await run`annotate configmap settings ${'note=two words'}`).toEqual(printed('configmap/settings annotated'));
    const marks = '{.metadata.labels} {.metadata.annotations}';
    expect((await run`get configmap settings -o jsonpath=${marks}`).stdout).toBe('{"tier":"db"} {"note":"two words"}');
    expect(await run`label configmap settings tier-`).toEqual(printed('configmap/settings unlabeled'));
    expect(await run`annotate configmap settings note-`).toEqual(printed('configmap/settings annotated'));
    expect((await run`get configmap settings -o jsonpath=${marks}`).stdout).toBe(' ');
  });

  test('edit sends what the editor changed', async () => {
    const { run } = await bench.namespace();
    await run`create configmap settings --from-literal=color=blue`;
    expect(await run`edit configmap settings`).toEqual(printed('configmap/settings edited'));
    expect((await run`get configmap settings -o jsonpath=${'{.data.color}'}`).stdout).toBe('green');
    expect((await run`edit configmap settings`).stderr).toBe('Edit cancelled, no changes made.\n');
  });

  test('replace needs the version it was made from', async () => {
    const { run, write } = await bench.namespace();
    await run`create configmap settings --from-literal=color=blue`;
    const { stdout } = await run`get configmap settings -o yaml`;
    write('settings.yaml', stdout.replace('blue', 'green'));
    expect(await run`replace -f settings.yaml`).toEqual(printed('configmap/settings replaced'));
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"green"}');
    write('settings.yaml', stdout.replace('blue', 'red'));
    expect(await run`replace -f settings.yaml`).toEqual(
      refused(
        'Error from server (Conflict): error when replacing "settings.yaml": Operation cannot be fulfilled on ' +
          'configmaps "settings": the object has been modified; please apply your changes to the latest version and try again',
      ),
    );
  });

  test('delete removes by name, by file and by label, and complains about what is not there', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings);
    await run`create configmap first`;
    await run`create -f settings.yaml`;
    await run`create configmap labelled`;
    await run`label configmap labelled tier=web`;
    // newer kubectls add from which namespace
    const deleted = (name: string) => new RegExp(`^configmap "${name}" deleted( from \\S+ namespace)?\\n$`);
    expect((await run`delete configmap first --dry-run=server`).stdout).toMatch(/ \(server dry run\)\n$/);
    expect((await run`delete configmap first`).stdout).toMatch(deleted('first'));
    expect((await run`delete -f settings.yaml`).stdout).toMatch(deleted('settings'));
    expect((await run`delete configmap -l tier=web`).stdout).toMatch(deleted('labelled'));
    const missing = 'Error from server (NotFound): configmaps "first" not found';
    expect(await run`delete configmap first`).toEqual(refused(missing));
    expect(await run`delete configmap first --ignore-not-found`).toEqual(printed());
    expect(await run`delete namespace default`).toEqual(
      refused('Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted'),
    );
  });
});
