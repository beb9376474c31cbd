// kubectl with workload controllers: deployments that roll out, back and again, jobs and stateful sets.

import { expect, test } from 'vitest';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

interface Pod {
  readonly metadata: { readonly name: string };
  readonly status: { readonly phase?: string };
}

describeWith(kubectl, 'kubectl with workload controllers', () => {
  const bench = workbench(kubectl, async () => ({ simulate: ['workloads'] }));

  /** Plays the agent of a node: every pod of the namespace becomes ready, or ends in a phase, while the work lasts. */
  async function withPods<T>(namespace: string, work: Promise<T>, phase = 'Running'): Promise<T> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    while (!isOver) {
      const { items } = (await (await bench.server.fetch(path)).json()) as { items: Pod[] };
      for (const pod of items.filter(({ status }) => status.phase === 'Pending')) {
        const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }];
        const body = JSON.stringify({ status: { phase, ...(phase === 'Running' ? { conditions } : {}) } });
        await bench.server.fetch(`${path}/${pod.metadata.name}/status`, { method: 'PATCH', headers, body });
      }
      await Promise.race([ended.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    return ended;
  }

  test('rolls a deployment out, to another image, back, and again', async () => {
    const { run, namespace } = await bench.namespace();
    const rollout = () => withPods(namespace, run`rollout status deployment/web --timeout=60s`);
    const image = async () => (await run`get deployment web -o jsonpath=${'{..image}'}`).stdout;
    expect(await run`create deployment web --image=first --replicas=2`).toMatchObject({ code: 0 });
    expect((await rollout()).stdout).toMatch(/deployment "web" successfully rolled out\n$/);
    expect((await run`get deployment web`).stdout).toMatch(/^web\s+2\/2\s+2\s+2\s/m);
    expect(await run`set image deployment/web first=second`).toMatchObject({ code: 0 });
    expect(await rollout()).toMatchObject({ code: 0 });
    expect(await image()).toBe('second');
    expect((await run`rollout history deployment/web`).stdout).toBe(
      'deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n',
    );
    expect(await run`rollout undo deployment/web`).toMatchObject({ code: 0 });
    expect(await rollout()).toMatchObject({ code: 0 });
    expect(await image()).toBe('first');
    expect((await run`rollout history deployment/web`).stdout).toContain('\n2         <none>\n3         <none>\n');
    expect(await run`rollout restart deployment/web`).toMatchObject({ code: 0 });
    expect(await rollout()).toMatchObject({ code: 0 });
    expect((await run`rollout history deployment/web`).stdout).toContain('\n4         <none>\n');
    expect(await run`scale deployment/web --replicas=3`).toMatchObject({ code: 0 });
    expect(await rollout()).toMatchObject({ code: 0 });
    expect((await run`get deployment web`).stdout).toMatch(/^web\s+3\/3\s/m);
    expect((await run`describe deployment web`).stdout).toMatch(/ScalingReplicaSet .*Scaled up replica set web-/);
  });

  test('pauses and resumes a deployment', async () => {
    const { run, namespace } = await bench.namespace();
    await run`create deployment web --image=first`;
    await withPods(namespace, run`rollout status deployment/web --timeout=60s`);
    expect((await run`rollout pause deployment/web`).stdout).toBe('deployment.apps/web paused\n');
    await run`set image deployment/web first=second`;
    expect((await run`get replicasets -o name`).stdout.trim().split('\n')).toHaveLength(1);
    expect((await run`rollout resume deployment/web`).stdout).toBe('deployment.apps/web resumed\n');
    expect(await withPods(namespace, run`rollout status deployment/web --timeout=60s`)).toMatchObject({ code: 0 });
    expect((await run`get replicasets -o name`).stdout.trim().split('\n')).toHaveLength(2);
  });

  test('rolls stateful and daemon sets out and back', async () => {
    const { run, write, namespace } = await bench.namespace();
    const set = (kind: string) => `apiVersion: apps/v1
kind: ${kind}
metadata: {name: one}
spec:
  ${kind === 'StatefulSet' ? 'serviceName: one' : 'minReadySeconds: 0'}
  selector: {matchLabels: {app: one}}
  template: {metadata: {labels: {app: one}}, spec: {containers: [{name: c, image: first}]}}
`;
    for (const kind of ['StatefulSet', 'DaemonSet']) {
      const name = `${kind.toLowerCase()}/one`;
      write('set.yaml', set(kind));
      expect(await run`create -f set.yaml`).toMatchObject({ code: 0 });
      const rollout = () => withPods(namespace, run`rollout status ${name} --timeout=60s`);
      expect(await rollout()).toMatchObject({ code: 0 });
      await run`set image ${name} c=second`;
      expect(await rollout()).toMatchObject({ code: 0 });
      expect((await run`rollout history ${name}`).stdout).toContain('\n2         <none>\n');
      expect(await run`rollout undo ${name}`).toMatchObject({ code: 0 });
      expect(await rollout()).toMatchObject({ code: 0 });
      expect((await run`get ${name} -o jsonpath=${'{..image}'}`).stdout).toBe('first');
      await run`delete ${name}`;
    }
  });

  test('waits for a job, and makes one of a cron job', async () => {
    const { run, namespace } = await bench.namespace();
    const finish = (name: string) =>
      withPods(namespace, run`wait --for=condition=complete ${name} --timeout=60s`, 'Succeeded');
    await run`create job once --image=i`;
    expect((await finish('job/once')).stdout).toBe('job.batch/once condition met\n');
    expect((await run`get job once`).stdout).toMatch(/^once\s+Complete\s+1\/1\s/m);
    await run`create cronjob tick --image=i --schedule=${'0 0 1 1 *'}`;
    expect((await run`create job now --from=cronjob/tick`).stdout).toBe('job.batch/now created\n');
    expect((await finish('job/now')).code).toBe(0);
  });
});
