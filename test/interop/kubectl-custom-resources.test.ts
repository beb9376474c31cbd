// kubectl and custom resources: defined, waited for, used as every other kind, and gone with their definition.

import { expect, test } from 'vitest';
import { cells, printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const spec = { type: 'object', properties: { size: { type: 'integer', maximum: 9 } } };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apples.fruit.example' },
  spec: {
    group: 'fruit.example',
    scope: 'Namespaced',
    names: { plural: 'apples', kind: 'Apple', shortNames: ['ap'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
  },
};
const apple = (size: number) =>
  JSON.stringify({ apiVersion: 'fruit.example/v1', kind: 'Apple', metadata: { name: 'a' }, spec: { size } });

describeWith(kubectl, 'kubectl and custom resources', () => {
  const bench = workbench(kubectl);

  test('a definition is waited for, its objects are applied, shown, patched, refused and deleted', async () => {
    const { run, write } = await bench.namespace();
    write('definition.json', JSON.stringify(definition));
    write('apple.json', apple(3));
    write('large.json', apple(10));
    const named = 'customresourcedefinition.apiextensions.k8s.io/apples.fruit.example';
    expect(await run`create -f definition.json`).toEqual(printed(`${named} created`));
    expect(await run`wait --for=condition=Established crd/apples.fruit.example --timeout=10s`).toEqual(
      printed(`${named} condition met`),
    );
    expect(await run`apply --server-side -f apple.json`).toEqual(printed('apple.fruit.example/a serverside-applied'));
    expect(cells(await run`get ap`)).toEqual([
      ['NAME', 'SIZE'],
      ['a', '3'],
    ]);
    const patch = '{"spec":{"size":4}}';
    expect(await run`patch apple a --type=merge -p ${patch}`).toEqual(printed('apple.fruit.example/a patched'));
    expect((await run`apply --server-side --force-conflicts -f large.json`).stderr).toContain(
      'should be less than or equal to 9',
    );
    expect((await run`explain apple.spec`).stdout).toContain('size');
    expect((await run`delete crd apples.fruit.example --timeout=20s`).code).toBe(0);
    // discovery is cached by kubectl, so that it asks for them
    expect((await run`get apples`).stderr).toContain('the server could not find the requested resource');
  });
});
