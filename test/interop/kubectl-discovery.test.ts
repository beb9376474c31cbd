// kubectl finding out what the server can do: api-resources, explain, health and version.

import { expect, test } from 'vitest';
import { cells } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

describeWith(kubectl, 'kubectl finds out', () => {
  const bench = workbench(kubectl);

  test('which kinds there are, with short names and verbs', async () => {
    const { run } = await bench.namespace();
    const rows = cells(await run`api-resources -o wide`);
    const all = 'create,delete,deletecollection,get,list,patch,update,watch';
    expect(rows[0]).toEqual(['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND', 'VERBS', 'CATEGORIES']);
    expect(rows).toContainEqual(['configmaps', 'cm', 'v1', 'true', 'ConfigMap', all, '']);
    expect(rows).toContainEqual(['events', 'ev', 'v1', 'true', 'Event', all, '']);
    expect(rows).toContainEqual(['secrets', '', 'v1', 'true', 'Secret', all, '']);
    expect(rows).toContainEqual(['serviceaccounts', 'sa', 'v1', 'true', 'ServiceAccount', all, '']);
    expect(rows).toContainEqual(['leases', '', 'coordination.k8s.io/v1', 'true', 'Lease', all, '']);
    // a namespace goes one by one
    expect(rows).toContainEqual([
      'namespaces',
      'ns',
      'v1',
      'false',
      'Namespace',
      all.replace('deletecollection,', ''),
      '',
    ]);
    const versions = (await run`api-versions`).stdout.trim().split('\n');
    expect(versions).toEqual(expect.arrayContaining(['coordination.k8s.io/v1', 'v1']));
  });

  test('health and version', async () => {
    const { run } = await bench.namespace();
    expect((await run`get --raw /healthz`).stdout).toBe('ok');
    expect((await run`get --raw ${'/readyz?verbose'}`).stdout).toMatch(
      /^\[\+\]ping ok\n[\s\S]*\nreadyz check passed\n$/,
    );
    const version = JSON.parse((await run`get --raw /version`).stdout) as { major: string; gitVersion: string };
    expect(version.major).toBe('1');
    expect((await run`version`).stdout).toContain(`\nServer Version: ${version.gitVersion}\n`);
  });

  test('what explain says of a field', async () => {
    const { run } = await bench.namespace();
    expect((await run`explain configmap.data`).stdout).toMatch(
      /^KIND: {7}ConfigMap\nVERSION: {4}v1\n\nFIELD: data <map\[string\]string>\n\n\n?DESCRIPTION:\n {4}\S/,
    );
    expect((await run`explain lease.spec`).stdout).toMatch(
      /^GROUP: {6}coordination.k8s.io\nKIND: {7}Lease\nVERSION: {4}v1\n\nFIELD: spec <LeaseSpec>\n[\s\S]*\n {2}holderIdentity\t<string>\n/,
    );
    expect((await run`explain configmap.nothing`).stderr).toBe('error: field "nothing" does not exist\n');
    expect(await run`explain unicorn`).toMatchObject({ code: 1, stdout: '' });
  });

  test('what explain says of all fields', async () => {
    const { run } = await bench.namespace();
    const { stdout } = await run`explain --recursive namespace`;
    expect(stdout).toMatch(/^KIND: {7}Namespace\nVERSION: {4}v1\n\nDESCRIPTION:\n/);
    expect(stdout).toContain('\n    ownerReferences\t<[]OwnerReference>\n      apiVersion\t<string> -required-\n');
    expect(stdout).toContain('\n  spec\t<NamespaceSpec>\n    finalizers\t<[]string>\n');
    expect(stdout).toContain('\n      type\t<string> -required-\n    phase\t<string>\n    enum: Active, Terminating\n');
  });

  test('what explain says of managed fields', async () => {
    const { run } = await bench.namespace();
    expect((await run`explain --recursive namespace`).stdout).toContain('\n      fieldsV1\t<FieldsV1>\n');
  });
});
