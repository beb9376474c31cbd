// kubectl waiting for things to happen: get --watch, wait, and delete until it is done.

import { expect, test } from 'vitest';
import { cells } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

/** How kubectl -v=6 logs that a watch has begun; only then is it worth changing something. */
const watching = /watch=true[^\n]* 200 OK|watch=true[^\n]*status="200 OK"/;

describeWith(kubectl, 'kubectl waits', () => {
  const bench = workbench(kubectl);

  test('get --watch prints what is there, then every change', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap first`;
    await run`label configmap first watched=yes`;
    await using watch = start`get configmaps -l watched=yes --watch`;
    await watch.printed(/^first .*\n/m);
    await run`create configmap second --from-literal=color=blue`;
    await run`label configmap second watched=yes`;
    await watch.printed(/^second +1 .*\n/m);
    await run`patch configmap second -p ${'{"data":{"size":"large"}}'}`;
    await watch.printed(/^second +2 .*\n/m);
    await run`label configmap second watched-`;
    await watch.printed(/^second +2 .*\nsecond +2 .*\n/m);
    expect(cells(watch)).toEqual([
      ['NAME', 'DATA', 'AGE'],
      ['first', '0', '<age>'],
      ['second', '1', '<age>'],
      ['second', '2', '<age>'],
      ['second', '2', '<age>'],
    ]);
  });

  test('get --watch names the kind of each change when asked to', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap settings`;
    await using watch = start`get configmap settings --watch --output-watch-events`;
    await watch.printed(/^ADDED +settings /m);
    await run`patch configmap settings -p ${'{"data":{"color":"blue"}}'}`;
    await watch.printed(/^MODIFIED +settings /m);
    await run`delete configmap settings`;
    await watch.printed(/^DELETED +settings .*\n/m);
    expect(cells(watch)).toEqual([
      ['EVENT', 'NAME', 'DATA', 'AGE'],
      ['ADDED', 'settings', '0', '<age>'],
      ['MODIFIED', 'settings', '1', '<age>'],
      ['DELETED', 'settings', '1', '<age>'],
    ]);
  });

  test('wait --for=jsonpath ends when the value is there', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap settings`;
    await using wait = start`wait --for=jsonpath=${'{.data.state}'}=ready configmap/settings --timeout=20s -v=6`;
    await wait.printed(watching, 'stderr');
    await run`patch configmap settings -p ${'{"data":{"state":"busy"}}'}`;
    await run`patch configmap settings -p ${'{"data":{"state":"ready"}}'}`;
    expect(await wait.outcome()).toMatchObject({ code: 0, stdout: 'configmap/settings condition met\n' });
  });

  test('wait gives up in time', async () => {
    const { run } = await bench.namespace();
    await run`create configmap settings`;
    expect(await run`wait --for=jsonpath=${'{.data.state}'}=ready configmap/settings --timeout=1s`).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: timed out waiting for the condition on configmaps/settings\n',
    });
  });

  test('wait --for=delete ends when the object is gone', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap settings`;
    await using wait = start`wait --for=delete configmap/settings --timeout=20s -v=6`;
    await wait.printed(watching, 'stderr');
    await run`delete configmap settings`;
    expect(await wait.outcome()).toMatchObject({ code: 0, stdout: 'configmap/settings condition met\n' });
  });

  test('delete waits until the last finalizer is removed', async () => {
    const { run, start } = await bench.namespace();
    await run`create configmap settings`;
    await run`patch configmap settings -p ${'{"metadata":{"finalizers":["example.com/keep"]}}'}`;
    await using removal = start`delete configmap settings --wait --timeout=20s -v=6`;
    await removal.printed(watching, 'stderr');
    expect((await run`get configmap settings -o jsonpath=${'{.metadata.deletionTimestamp}'}`).stdout).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    );
    await run`patch configmap settings --type merge -p ${'{"metadata":{"finalizers":null}}'}`;
    expect(await removal.outcome()).toMatchObject({ code: 0 });
    expect((await run`get configmap settings --ignore-not-found -o name`).stdout).toBe('');
  });

  test('delete --wait=false leaves an object with a finalizer behind', async () => {
    const { run } = await bench.namespace();
    await run`create configmap settings`;
    await run`patch configmap settings -p ${'{"metadata":{"finalizers":["example.com/keep"]}}'}`;
    expect((await run`delete configmap settings --wait=false`).code).toBe(0);
    expect((await run`get configmap settings -o name`).stdout).toBe('configmap/settings\n');
  });

  test('delete of a namespace ends when everything in it is gone', async () => {
    const { run, namespace } = await bench.namespace();
    await run`create configmap settings`;
    expect(await run`delete namespace ${namespace} --timeout=20s`).toEqual({
      code: 0,
      stdout: `namespace "${namespace}" deleted\n`,
      stderr: '',
    });
  });
});
