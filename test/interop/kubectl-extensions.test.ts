// kubectl and the kinds that extend the API: applied, shown, refused; and explain for every kind there is.

import { expect, test } from 'vitest';
import { cells } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const rules = [{ operations: ['CREATE'], apiGroups: ['x.example'], apiVersions: ['v1'], resources: ['xs'] }];

describeWith(kubectl, 'kubectl and what extends the API', () => {
  const bench = workbench(kubectl);

  const definition = (scope: string) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apples.a.example' },
    spec: {
      group: 'a.example',
      scope,
      names: { plural: 'apples', kind: 'Apple' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  const webhooks = (sideEffects: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'a.b.example',
        clientConfig: { url: 'https://a.example' },
        admissionReviewVersions: ['v1'],
        rules,
        sideEffects,
      },
    ],
  });

  test('are shown in tables of their own', async () => {
    const { run, write } = await bench.namespace();
    const service = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.b.example' },
      spec: {
        group: 'b.example',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: 'n', name: 's' },
      },
    };
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'policy' },
      spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] },
    };
    const binding = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'binding' },
      spec: { policyName: 'policy', validationActions: ['Deny'] },
    };
    const items = [definition('Namespaced'), webhooks('None'), service, policy, binding];
    write('all.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    expect((await run`apply -f all.json`).stdout.trim().split('\n')).toHaveLength(5);
    expect(cells(await run`get crd`)).toEqual([
      ['NAME', 'CREATED AT'],
      ['apples.a.example', expect.stringMatching(/^20.*Z$/) as string],
    ]);
    await run`wait --for=condition=Available=False apiservice/v1.b.example --timeout=30s`;
    const unavailable = ['v1.b.example', 'n/s', 'False (ServiceNotFound)', '<age>'];
    expect(cells(await run`get apiservice v1.b.example`)[1]).toEqual(unavailable);
    expect(cells(await run`get validatingwebhookconfigurations`)[1]).toEqual(['hooks', '1', '<age>']);
    expect(cells(await run`get validatingadmissionpolicy`)[1]).toEqual(['policy', '1', '<unset>', '<age>']);
    expect(cells(await run`get validatingadmissionpolicybinding`)[1]).toEqual([
      'binding',
      'policy',
      '<unset>',
      '<age>',
    ]);
    expect(await run`diff -f all.json`).toMatchObject({ code: 0, stdout: '' });
  });

  test('are refused with every reason', async () => {
    const { run, write } = await bench.namespace();
    const items = [definition('Odd'), webhooks('Some')];
    write('all.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const { stderr } = await run`create -f all.json --dry-run=server`;
    expect(stderr).toContain(
      'CustomResourceDefinition.apiextensions.k8s.io "apples.a.example" is invalid: spec.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespaced"\n',
    );
    expect(stderr).toContain(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io "hooks" is invalid: webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"\n',
    );
  });

  // one process a kind, and there are many: a few at a time
  test('explain tells about every kind', { timeout: 120_000 }, async () => {
    const { run } = await bench.namespace();
    const kinds = cells(await run`api-resources -o wide`)
      .slice(1)
      .map(([plural = '', , apiVersion = '', , kind = '']) => ({ plural, apiVersion, kind }));
    expect(kinds.length).toBeGreaterThan(60);
    const silent: string[] = [];
    const work = kinds.values();
    const explain = async () => {
      for (const { plural, apiVersion, kind } of work) {
        const { code, stdout } = await run`explain ${plural} --recursive --api-version ${apiVersion}`;
        const speaks = code === 0 && stdout.includes(`KIND:       ${kind}\n`) && /DESCRIPTION:\n {4}\S/.test(stdout);
        if (!speaks || !stdout.includes('FIELDS:\n')) silent.push(`${apiVersion} ${kind}`);
      }
    };
    await Promise.all([explain(), explain(), explain()]);
    expect(silent).toEqual([]);
  });
});
