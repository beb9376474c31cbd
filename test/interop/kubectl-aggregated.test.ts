// kubectl with groups that other servers serve: an extension server made with this library, and a metrics server.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { apiOf } from '../integration/api.ts';
import { type Backend, condition, register } from '../integration/backend.ts';
import { eventually } from '../integration/eventually.ts';
import { Library } from '../integration/library.ts';
import { openMetricsServer } from './metrics-server.ts';
import { cells } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const walden = `apiVersion: library.example.com/v1
kind: Book
metadata:
  name: walden
spec:
  title: Walden
  copies: 2
`;

/** A table without empty cells; amounts such as 250m look like ages. */
const words = ({ stdout }: { readonly stdout: string }) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

describeWith(kubectl, 'kubectl with an extension server', () => {
  const bench = workbench(kubectl);
  let library: Library | undefined;
  beforeAll(async () => {
    library = await Library.open(bench.server, await freePort());
    await condition(apiOf(bench.server), 'v1.library.example.com', { reason: 'Passed' });
  });
  afterAll(() => library?.[Symbol.asyncDispose]());

  test('creates, shows, changes and deletes its objects', async () => {
    const { run, write } = await bench.namespace();
    write('book.yaml', walden);
    expect((await run`apply -f book.yaml`).stdout).toBe('book.library.example.com/walden created\n');
    expect(cells(await run`get bk`)).toEqual([
      ['NAME', 'TITLE', 'COPIES'],
      ['walden', 'Walden', '2'],
    ]);
    expect((await run`patch book walden --type=merge -p ${'{"spec":{"copies":5}}'}`).code).toBe(0);
    expect((await run`get book walden -o jsonpath={.spec.copies}`).stdout).toBe('5');
    expect((await run`get library -o name`).stdout).toBe('book.library.example.com/walden\n');
    expect((await run`delete book walden`).stdout).toMatch(/deleted/);
  });

  test('follows changes with get --watch', async () => {
    const { run, start, write } = await bench.namespace();
    write('book.yaml', walden);
    await run`apply -f book.yaml`;
    await using watch = start`get books --watch`;
    await watch.printed(/^walden +Walden +2\n/m);
    await run`patch book walden --type=merge -p ${'{"spec":{"copies":3}}'}`;
    await watch.printed(/^walden +Walden +3\n/m);
  });

  test('lists it with api-resources', async () => {
    const { run } = await bench.namespace();
    const { stdout } = await run`api-resources --api-group=library.example.com --no-headers`;
    expect(stdout.trim().split(/\s+/)).toEqual(['books', 'bk', 'library.example.com/v1', 'true', 'Book']);
  });

  test('explains its kinds', async () => {
    const { run } = await bench.namespace();
    await eventually(async () => {
      const { stdout } = await run`explain books.spec`;
      expect(stdout).toContain('GROUP:      library.example.com\nKIND:       Book\nVERSION:    v1\n');
      expect(stdout).toMatch(/title\t<string> -required-\n +The title on the cover\./);
    });
  });
});

describeWith(kubectl, 'kubectl with a metrics server', () => {
  const bench = workbench(kubectl);
  let backend: Backend | undefined;
  beforeAll(async () => {
    backend = await openMetricsServer();
    await register(bench.server, backend, { group: 'metrics.k8s.io', version: 'v1beta1' });
    await apiOf(bench.server).post('/api/v1/nodes', { metadata: { name: 'node-a' } });
    const path = '/api/v1/nodes/node-a/status';
    const allocatable = { cpu: '1', memory: '1Gi' };
    await apiOf(bench.server).patch('merge', path, { status: { allocatable, capacity: allocatable } });
  });
  afterAll(() => backend?.[Symbol.asyncDispose]());

  test('shows what nodes use', async () => {
    const { run } = await bench.namespace();
    expect(words(await run`top nodes`)).toEqual([
      ['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'],
      ['node-a', '250m', '25%', '512Mi', '50%'],
    ]);
  });

  test('shows what pods use, together and by container', async () => {
    const { run } = await bench.namespace();
    expect(words(await run`top pods`)).toEqual([
      ['NAME', 'CPU(cores)', 'MEMORY(bytes)'],
      ['web', '120m', '80Mi'],
    ]);
    expect(words(await run`top pods --containers`)).toEqual([
      ['POD', 'NAME', 'CPU(cores)', 'MEMORY(bytes)'],
      ['web', 'main', '100m', '64Mi'],
      ['web', 'side', '20m', '16Mi'],
    ]);
  });
});
