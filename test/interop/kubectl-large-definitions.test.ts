// kubectl and a definition as large as the large public ones: everything that is done with such kinds day by day.

import { expect, test } from 'vitest';
import { apiOf } from '../integration/api.ts';
import { largeDefinition } from '../integration/definition-shapes.ts';
import { cells, printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const group = 'large.example';
const object = (name: string, spec: object, metadata: object = {}) =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Machine', metadata: { name, ...metadata }, spec });

describeWith(kubectl, 'kubectl and a large definition', () => {
  const bench = workbench(kubectl);

  test('is installed, explained, used in every way and deleted with its objects', async () => {
    const { run, write, namespace } = await bench.namespace();
    write('definition.json', JSON.stringify(largeDefinition('machines', 'Machine', group)));
    write('one.json', object('one', { color: 'blue', source: { file: 'a' } }));
    write('two.json', object('two', { color: 'red' }, { finalizers: ['example.com/held'] }));
    expect((await run`apply --server-side -f definition.json`).code).toBe(0);
    const waited = await run`wait --for=condition=Established crd/machines.large.example --timeout=20s`;
    expect([waited.stdout, waited.stderr]).toEqual([expect.stringContaining('condition met'), '']);

    const explained = await run`explain machines --recursive`;
    expect(explained.code).toBe(0);
    expect(explained.stdout).toContain('field1499');
    expect(explained.stdout.match(/\bnext\b/g)).toHaveLength(15);
    expect((await run`explain machines.spec.color`).stdout).toContain('What it looks like.');

    expect(await run`apply -f one.json`).toEqual(printed('machine.large.example/one created'));
    expect(await run`apply -f two.json`).toEqual(printed('machine.large.example/two created'));
    expect(cells(await run`get machines`)).toEqual([
      ['NAME', 'COLOR'],
      ['one', 'blue'],
      ['two', 'red'],
    ]);
    expect(cells(await run`get machines.v1beta1.large.example one -o wide`)).toEqual([
      ['NAME', 'COLOR', 'WANTED'],
      ['one', 'blue', '1'],
    ]);
    const red = await run`get machines --field-selector spec.color=red -o name`;
    expect(red).toEqual(printed('machine.large.example/two'));

    // a rule, a union and a field that is not known
    write('hidden.json', object('hidden', { color: 'invisible' }));
    expect((await run`apply -f hidden.json`).stderr).toContain('must be seen');
    write('both.json', object('both', { source: { file: 'a', secret: 'b' } }));
    expect((await run`apply -f both.json`).stderr).toContain('must validate one and only one schema (oneOf)');
    write('odd.json', object('odd', { colour: 'blue' }));
    expect((await run`apply -f odd.json`).stderr).toContain('unknown field "spec.colour"');

    // the editor turns blue into green
    expect((await run`edit machine one`).stdout).toBe('machine.large.example/one edited\n');
    expect((await run`get machine one -o jsonpath={.spec.color}`).stdout).toBe('green');

    expect((await run`apply --server-side --field-manager=other -f one.json`).stderr).toContain('.spec.color');
    const forced = await run`apply --server-side --field-manager=other --force-conflicts -f one.json`;
    expect(forced).toEqual(printed('machine.large.example/one serverside-applied'));

    expect((await run`scale machine one --replicas=4`).stdout).toBe('machine.large.example/one scaled\n');
    const status = JSON.stringify({
      status: { replicas: 4, phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const patched = await run`patch machine one --subresource=status --type=merge -p ${status}`;
    expect(patched.stdout).toBe('machine.large.example/one patched\n');
    expect((await run`wait --for=condition=Ready machine/one --timeout=20s`).code).toBe(0);
    expect((await run`wait --for=jsonpath={.status.phase}=Running machine/one --timeout=20s`).code).toBe(0);
    expect((await run`get machine one -o jsonpath={.spec.replicas}`).stdout).toBe('4');

    // an object that is held keeps the definition, and lets it go
    expect((await run`delete crd machines.large.example --wait=false`).code).toBe(0);
    expect((await run`wait --for=delete machine/one --timeout=20s`).code).toBe(0);
    expect((await run`get machine two -o name`).code).toBe(0);
    const api = apiOf(bench.server);
    const held = `/apis/${group}/v1/namespaces/${namespace}/machines/two`;
    expect((await api.patch('merge', held, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await run`wait --for=delete crd/machines.large.example --timeout=20s`).code).toBe(0);
  });
});
