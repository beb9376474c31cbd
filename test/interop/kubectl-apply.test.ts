// kubectl and field ownership: server-side apply, the way there from client-side apply, and what the server validates.

import { expect, test } from 'vitest';
import { printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const settings = (color: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: ${color}\n${more}`;
const managers = '{range .metadata.managedFields[*]}{.manager} {.operation} {end}';

describeWith(kubectl, 'kubectl applies on the server', () => {
  const bench = workbench(kubectl);

  test('apply --server-side creates, leaves alone what is the same and removes what is gone', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings('blue', '  size: small\n'));
    expect(await run`apply --server-side -f settings.yaml`).toEqual(printed('configmap/settings serverside-applied'));
    const version = async () => (await run`get configmap settings -o jsonpath=${'{.metadata.resourceVersion}'}`).stdout;
    const before = await version();
    await run`apply --server-side -f settings.yaml`;
    expect(await version()).toBe(before);
    write('settings.yaml', settings('blue'));
    await run`apply --server-side -f settings.yaml`;
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"blue"}');
    expect((await run`get configmap settings -o jsonpath=${managers}`).stdout).toBe('kubectl Apply ');
  });

  test('a conflict names field and owner; --force-conflicts takes the field', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings('blue'));
    await run`apply --server-side --field-manager=one -f settings.yaml`;
    write('settings.yaml', settings('red'));
    const refused = await run`apply --server-side --field-manager=two -f settings.yaml`;
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "one": .data.color');
    expect(refused.stderr).toContain('--force-conflicts');
    expect(await run`apply --server-side --field-manager=two --force-conflicts -f settings.yaml`).toEqual(
      printed('configmap/settings serverside-applied'),
    );
    expect((await run`get configmap settings -o jsonpath=${managers}`).stdout).toBe('two Apply ');
  });

  test('an object of client-side apply is taken over, and client-side apply can go on', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings('blue', '  size: small\n'));
    await run`apply -f settings.yaml`;
    expect((await run`get configmap settings -o jsonpath=${managers}`).stdout).toBe(
      'kubectl-client-side-apply Update ',
    );
    write('settings.yaml', settings('red'));
    expect(await run`apply --server-side -f settings.yaml`).toEqual(printed('configmap/settings serverside-applied'));
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"red"}');
    write('settings.yaml', settings('green'));
    expect(await run`apply -f settings.yaml`).toEqual(printed('configmap/settings configured'));
    expect((await run`get configmap settings -o jsonpath=${'{.data}'}`).stdout).toBe('{"color":"green"}');
  });

  test('diff --server-side shows what an apply would do', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings('blue'));
    await run`apply --server-side -f settings.yaml`;
    expect((await run`diff --server-side -f settings.yaml`).code).toBe(0);
    write('settings.yaml', settings('red'));
    const { code, stdout } = await run`diff --server-side -f settings.yaml`;
    expect(code).toBe(1);
    expect(stdout).toContain('-  color: blue');
    expect(stdout).toContain('+  color: red');
  });

  test('a Deployment: ports by number and protocol, containers by name, scale', async () => {
    const { run, write } = await bench.namespace();
    const web = (image: string, replicas = '') => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: ${image}
        ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]
`;
    write('web.yaml', web('nginx:1', '  replicas: 2'));
    expect(await run`apply --server-side -f web.yaml`).toEqual(printed('deployment.apps/web serverside-applied'));
    expect(await run`scale deployment web --replicas=5`).toEqual(printed('deployment.apps/web scaled'));
    write('web.yaml', web('nginx:2', '  replicas: 2'));
    expect((await run`apply --server-side -f web.yaml`).stderr).toContain('with subresource "scale"');
    write('web.yaml', web('nginx:2'));
    expect(await run`apply --server-side -f web.yaml`).toEqual(printed('deployment.apps/web serverside-applied'));
    const shown =
      '{.spec.replicas} {.spec.template.spec.containers[*].image} {.spec.template.spec.containers[0].ports[*].protocol}';
    expect((await run`get deployment web -o jsonpath=${shown}`).stdout).toBe('5 nginx:2 TCP UDP');
  });

  test('edit-last-applied changes what client-side apply remembers', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings('blue'));
    await run`apply -f settings.yaml`;
    // the editor of the workbench turns blue into green
    expect((await run`apply edit-last-applied configmap settings`).stdout).toContain('configmap/settings edited');
    expect((await run`apply view-last-applied configmap settings`).stdout).toContain('color: green');
  });

  test('--validate tells the server what to do about fields it does not know', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', `${settings('blue')}extra: 1\n`);
    const strict = await run`create --validate=strict -f settings.yaml`;
    expect(strict.code).not.toBe(0);
    expect(strict.stderr).toContain('strict decoding error: unknown field "extra"');
    const warned = await run`create --validate=warn -f settings.yaml`;
    expect(warned.stdout).toBe('configmap/settings created\n');
    expect(warned.stderr).toContain('Warning: unknown field "extra"');
    await run`delete configmap settings`;
    expect(await run`create --validate=ignore -f settings.yaml`).toEqual(printed('configmap/settings created'));
  });

  test('dry runs on the server store nothing, whatever the command', async () => {
    const { run, write } = await bench.namespace();
    write('settings.yaml', settings('blue'));
    expect(await run`apply --server-side --dry-run=server -f settings.yaml`).toEqual(
      printed('configmap/settings serverside-applied (server dry run)'),
    );
    expect((await run`get configmap settings --ignore-not-found -o name`).stdout).toBe('');
    await run`apply -f settings.yaml`;
    for (const command of [
      'label configmap settings a=b',
      'patch configmap settings -p {"data":{"color":"red"}}',
      'delete configmap settings',
    ]) {
      const parts = Object.assign([`${command} --dry-run=server`], { raw: [] }) as unknown as TemplateStringsArray;
      expect((await run(parts)).code).toBe(0);
    }
    expect((await run`get configmap settings -o jsonpath=${'{.data.color}{.metadata.labels}'}`).stdout).toBe('blue');
  });

  test('--show-managed-fields shows what each manager set', async () => {
    const { run } = await bench.namespace();
    await run`create configmap made --from-literal=a=1`;
    await run`label configmap made team=x`;
    const { stdout } = await run`get configmap made --show-managed-fields -o yaml`;
    expect(stdout).toContain('manager: kubectl-create');
    expect(stdout).toContain('manager: kubectl-label');
    expect(stdout).toContain('f:team: {}');
  });
});
