// The commands that read manifests: validate, diff and policy test, by their exit codes and their output.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { startTestServer } from '../../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function run(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  let [output, errors] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    output += String(part);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((part) => {
    errors += String(part);
    return true;
  });
  const code = await main(args);
  vi.restoreAllMocks();
  return { code, output, errors };
}

const map = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {${data}}\n`;

describe('keelson validate', () => {
  test('exits with 0 for valid manifests, with 1 for findings, with 2 for a wrong command line', async () => {
    const valid = write('valid/a.yaml', map('a', 'a: b'));
    const invalid = write('invalid/a.yaml', map('A', 'a: b'));
    expect(await run('validate', '-f', valid)).toMatchObject({ code: 0, output: '1 object: 0 errors\n' });
    const { code, output } = await run('validate', '-f', join(folder, 'invalid'), '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({ findings: [{ file: invalid, line: 3, field: 'metadata.name' }] });
    expect(await run('validate')).toMatchObject({ code: 2 });
    expect(await run('validate', '-f', join(folder, 'absent'))).toMatchObject({
      code: 2,
      errors: expect.stringContaining('there is no such file or folder'),
    });
  });

  test('warnings fail where that is requested, and folders within folders are read where that is', async () => {
    write('deep/a.yaml', map('a', ''));
    write('deep/deeper/b.yaml', 'apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n');
    const deep = join(folder, 'deep');
    expect(await run('validate', '-f', deep, '--fail-on=warning')).toMatchObject({ code: 0 });
    expect(await run('validate', '-f', deep, '-R')).toMatchObject({ code: 0 });
    expect(await run('validate', '-f', deep, '-R', '--fail-on=warning')).toMatchObject({ code: 1 });
  });

  test('takes flags of the server that it stands for', async () => {
    const beta = write('beta.yaml', 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n');
    expect(await run('validate', '-f', beta)).toMatchObject({
      code: 1,
      output: expect.stringContaining('removed-version'),
    });
    const classes = write(
      'class.yaml',
      'apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\n',
    );
    expect(await run('validate', '-f', classes)).toMatchObject({
      code: 1,
      output: expect.stringContaining('is served only with --runtime-config=resource.k8s.io/v1beta1=true'),
    });
    const flag = '--runtime-config=resource.k8s.io/v1beta1=true';
    expect(await run('validate', '-f', classes, '--', flag)).toMatchObject({ code: 0 });
  });
});

describe('keelson diff', () => {
  test('from one folder to another: what is created, changed and deleted', async () => {
    write('old/a.yaml', `${map('a', 'x: "1", z: "2"')}---\n${map('gone', '')}`);
    write('new/a.yaml', `${map('a', 'x: "3"')}---\n${map('more', '')}`);
    const { code, output } = await run(
      'diff',
      '-f',
      join(folder, 'new'),
      '--against',
      join(folder, 'old'),
      '-o',
      'json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(output)).toEqual([
      { object: 'ConfigMap a', change: 'changed', diff: expect.stringContaining('-  x: "1"\n-  z: "2"\n+  x: "3"') },
      { object: 'ConfigMap more', change: 'created', diff: expect.stringContaining('+  name: more\n') },
      { object: 'ConfigMap gone', change: 'deleted', diff: expect.stringContaining('-  name: gone\n') },
    ]);
    expect(await run('diff', '-f', join(folder, 'new'), '--against', join(folder, 'new'))).toEqual({
      ...{ code: 0, output: '', errors: '' },
    });
  });

  test('defaults are part of it, secrets are not', async () => {
    const secret = (value: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: ${value}, b: other}\n`;
    const service =
      'apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {clusterIP: None, ports: [{port: 80}]}\n';
    const before = write('secret-before.yaml', secret('hidden1'));
    const after = write('secret-after.yaml', `${secret('hidden2')}---\n${service}`);
    const { output } = await run('diff', '-f', after, '--against', before);
    expect(output).toContain("-  a: '*** (before)'\n+  a: '*** (after)'\n   b: '***'");
    expect(output).toContain('+    targetPort: 80\n');
    expect(output).not.toMatch(/hidden|aGlkZGVu/);
  });

  test('of a running server nothing is changed', async () => {
    await using server = await startTestServer({ manifests: [write('seed.yaml', map('a', 'x: "1"'))] });
    const file = write(
      'running.yaml',
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n---\n${map('a', 'x: "2"')}---\n${map('b', '').replace('name: b', 'name: b, namespace: new')}`,
    );
    const { code, output } = await run('diff', '-f', file, '--kubeconfig', server.kubeconfigFile);
    expect(code).toBe(1);
    expect(output).toContain('Namespace new: created');
    expect(output).toContain('-  x: "1"\n+  x: "2"');
    expect(output).toContain('ConfigMap new/b: created');
    expect(await server.client.configmaps('default').get('a')).toMatchObject({ data: { x: '1' } });
  });

  test('an object that would be refused is named, with another exit code than that of differences', async () => {
    const file = write('refused.yaml', map('A', ''));
    const { code, errors } = await run('diff', '-f', file, '--against', write('nothing.yaml', map('b', '')));
    expect(code).toBe(2);
    expect(errors).toContain(`${file}:1: ConfigMap A: `);
  });
});

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: max}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [secrets]}]
  validations:
    - expression: object == null || size(object.data) <= int(params.data.max) || 'admins' in request.userInfo.groups
      message: too many keys
    - expression: oldObject == null || object != null
      message: never deleted
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: max}
spec:
  policyName: max
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {limited: 'yes'}}}
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
`;

const table = (cases: string) => `policies: [policy.yaml]
cases:
${cases}`;

const secret = "object: {apiVersion: v1, kind: Secret, metadata: {name: a, namespace: shop}, data: {a: '', b: ''}}";
const limited = `namespace: {labels: {limited: 'yes'}}
    params: [{apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: default}, data: {max: '1'}}]`;

describe('keelson policy test', () => {
  write('policies/policy.yaml', policy);

  test('cases with parameters, users, labels of namespaces and old objects pass', async () => {
    const file = write(
      'policies/passing.yaml',
      table(`  - name: too many
    ${secret}
    ${limited}
    expect: deny
    message: too many
  - name: an admin
    ${secret}
    ${limited}
    user: {name: root, groups: [admins]}
    expect: allow
  - name: another namespace
    ${secret}
    expect: allow
  - name: no parameters
    ${secret}
    namespace: {labels: {limited: 'yes'}}
    expect: deny
  - name: deleted
    ${secret.replace('object:', 'oldObject:')}
    ${limited}
    expect: deny
    message: never deleted
`),
    );
    const { code, output } = await run('policy', 'test', file);
    expect(output).toMatch(/^(ok .*\n){5}5 cases, 0 failed\n$/);
    expect(code).toBe(0);
  });

  test('a case that fails is named with its line; a refusal for another reason is not the one of a policy', async () => {
    const file = write(
      'policies/failing.yaml',
      table(`  - name: wrong
    ${secret}
    expect: deny
  - name: invalid
    ${secret.replace('name: a', 'name: A')}
    expect: deny
`),
    );
    const { code, output } = await run('policy', 'test', file);
    expect(code).toBe(1);
    expect(output).toContain(`FAILED  wrong (${file}:3)\n        expected deny, got allow\n`);
    expect(output).toContain('refused for another reason: ');
  });

  test('mutating policies are tested by a part of the resulting object', async () => {
    write(
      'policies/mutating.yaml',
      `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: label}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]}
  reinvocationPolicy: Never
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"team": "shop"}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: label}
spec: {policyName: label}
`,
    );
    const cases = (team: string) => `policies: [mutating.yaml]
cases:
  - name: labelled
    ${secret}
    expect: allow
    result: {metadata: {labels: {team: ${team}}}}
`;
    expect(await run('policy', 'test', write('policies/m1.yaml', cases('shop')))).toMatchObject({ code: 0 });
    expect(await run('policy', 'test', write('policies/m2.yaml', cases('other')))).toMatchObject({
      code: 1,
      output: expect.stringContaining('metadata.labels.team is "shop", expected "other"'),
    });
  });

  test('a misspelt key is an error with its line', async () => {
    const file = write('policies/misspelt.yaml', table(`  - name: a\n    expct: deny\n`));
    expect(await run('policy', 'test', file)).toMatchObject({
      code: 2,
      errors: `keelson: ${file}:4: there is no "expct" here; did you mean expect?\n`,
    });
    expect(await run('policy', 'tset', file)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('did you mean test?'),
    });
  });
});
