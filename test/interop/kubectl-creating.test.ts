// kubectl's own makers and changers of objects: create, expose, set, scale, rollout, autoscale, and what nodes know.

import { expect, test } from 'vitest';
import { cells, printed } from './outcomes.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

describeWith(kubectl, 'kubectl makes', () => {
  const bench = workbench(kubectl);

  /** Runs commands one after the other; each has to say what stands next to it. */
  type Step = readonly [command: readonly string[], said: string];

  async function follow(run: Awaited<ReturnType<typeof bench.namespace>>['start'], steps: readonly Step[]) {
    for (const [words, said] of steps) {
      const [a = '', b = '', c = '', d = '', e = '', f = '', g = '', h = ''] = words;
      expect(await run`${a} ${b} ${c} ${d} ${e} ${f} ${g} ${h}`.outcome(), words.join(' ')).toEqual(printed(said));
    }
  }

  test('workloads', async () => {
    const { run, start } = await bench.namespace();
    await follow(start, [
      [['create', 'deployment', 'web', '--image=nginx:1', '--replicas=2', '--port=80'], 'deployment.apps/web created'],
      [['create', 'job', 'once', '--image=busybox', '--', 'echo', 'hi'], 'job.batch/once created'],
      [
        ['create', 'cronjob', 'daily', '--image=busybox', '--schedule=0 0 * * *', '--', 'echo', 'hi'],
        'cronjob.batch/daily created',
      ],
      [['create', 'job', 'now', '--from=cronjob/daily'], 'job.batch/now created'],
      [['create', 'pdb', 'web', '--selector=app=web', '--min-available=1'], 'poddisruptionbudget.policy/web created'],
      [['create', 'quota', 'few', '--hard=pods=3'], 'resourcequota/few created'],
    ]);
    expect(cells(await run`get deployments,jobs.batch,cronjobs,pdb -o name`).flat()).toEqual([
      'deployment.apps/web',
      'job.batch/now',
      'job.batch/once',
      'cronjob.batch/daily',
      'poddisruptionbudget.policy/web',
    ]);
    const owner = '{.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}';
    expect((await run`get job now -o jsonpath=${owner}`).stdout).toBe('CronJob/daily');
    expect(cells(await run`get cronjobs`)[1]).toEqual([
      'daily',
      '0 0 * * *',
      '<none>',
      'False',
      '0',
      '<none>',
      '<age>',
    ]);
  });

  test('services and ingresses', async () => {
    const { run, start } = await bench.namespace();
    await follow(start, [
      [['create', 'service', 'clusterip', 'plain', '--tcp=80:8080'], 'service/plain created'],
      [['create', 'service', 'nodeport', 'open', '--tcp=80'], 'service/open created'],
      [['create', 'service', 'externalname', 'far', '--external-name=a.example'], 'service/far created'],
      [['create', 'service', 'loadbalancer', 'wide', '--tcp=80'], 'service/wide created'],
      [
        ['create', 'ingress', 'web', '--rule=a.example/*=plain:80,tls=cert', '--class=nginx'],
        'ingress.networking.k8s.io/web created',
      ],
    ]);
    expect(cells(await run`get services`).map(([name, type, , external]) => [name, type, external])).toEqual([
      ['NAME', 'TYPE', 'EXTERNAL-IP'],
      ['far', 'ExternalName', 'a.example'],
      ['open', 'NodePort', '<none>'],
      ['plain', 'ClusterIP', '<none>'],
      ['wide', 'LoadBalancer', '<pending>'],
    ]);
    expect(cells(await run`get ingress`)[1]).toEqual(['web', 'nginx', 'a.example', '', '80, 443', '<age>']);
  });

  test('rights, classes and secrets', async () => {
    const { namespace, run, start } = await bench.namespace();
    const rbac = 'rbac.authorization.k8s.io';
    await follow(start, [
      [['create', 'role', 'r', '--verb=get', '--resource=pods'], `role.${rbac}/r created`],
      [
        ['create', 'clusterrole', namespace, '--verb=get', '--resource=nodes'],
        `clusterrole.${rbac}/${namespace} created`,
      ],
      [['create', 'rolebinding', 'r', '--role=r', '--user=u'], `rolebinding.${rbac}/r created`],
      [['set', 'subject', 'rolebinding', 'r', '--group=g'], `rolebinding.${rbac}/r subjects updated`],
      [
        ['create', 'clusterrolebinding', namespace, `--clusterrole=${namespace}`, '--user=u'],
        `clusterrolebinding.${rbac}/${namespace} created`,
      ],
      [['create', 'priorityclass', namespace, '--value=5'], `priorityclass.scheduling.k8s.io/${namespace} created`],
      [
        ['create', 'secret', 'docker-registry', 'd', '--docker-username=u', '--docker-password=p', '--docker-server=s'],
        'secret/d created',
      ],
    ]);
    expect((await run`get rolebinding r -o jsonpath=${'{.subjects[*].name}'}`).stdout).toBe('u g');
    expect((await run`get secret d -o jsonpath=${'{.type}'}`).stdout).toBe('kubernetes.io/dockerconfigjson');
  });

  test('changes of a deployment', async () => {
    const { run, start } = await bench.namespace();
    const deployment = 'deployment.apps/web';
    await follow(start, [
      [['create', 'deployment', 'web', '--image=nginx:1', '--port=80'], `${deployment} created`],
      [['expose', 'deployment', 'web', '--port=80', '--target-port=8080'], 'service/web exposed'],
      [['set', 'image', 'deployment/web', 'nginx=nginx:2'], `${deployment} image updated`],
      [['set', 'resources', 'deployment', 'web', '--limits=cpu=1'], `${deployment} resource requirements updated`],
      [['set', 'env', 'deployment/web', 'A=b'], `${deployment} env updated`],
      [['set', 'serviceaccount', 'deployment', 'web', 'robot'], `${deployment} serviceaccount updated`],
      [['set', 'selector', 'service', 'web', 'app=other'], 'service/web selector updated'],
      [['scale', 'deployment', 'web', '--replicas=3'], `${deployment} scaled`],
      [['label', 'deployment', 'web', 'a=b'], `${deployment} labeled`],
      [['annotate', 'deployment', 'web', 'a=b'], `${deployment} annotated`],
      [
        ['autoscale', 'deployment', 'web', '--min=1', '--max=3', '--cpu=50%'],
        'horizontalpodautoscaler.autoscaling/web autoscaled',
      ],
      [['rollout', 'restart', 'deployment/web'], `${deployment} restarted`],
      [['rollout', 'pause', 'deployment/web'], `${deployment} paused`],
      [['rollout', 'resume', 'deployment/web'], `${deployment} resumed`],
    ]);
    const { spec } = JSON.parse((await run`get deployment web -o json`).stdout) as {
      spec: { replicas: number; template: { metadata: { annotations: object }; spec: object } };
    };
    expect(spec).toMatchObject({
      replicas: 3,
      template: {
        metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) as string } },
        spec: {
          serviceAccountName: 'robot',
          containers: [{ image: 'nginx:2', env: [{ name: 'A', value: 'b' }], resources: { limits: { cpu: '1' } } }],
        },
      },
    });
    expect(cells(await run`get hpa`)[1]).toEqual([
      'web',
      'Deployment/web',
      'cpu: <unknown>/50%',
      '1',
      '3',
      '0',
      '<age>',
    ]);
  });

  test('a rollout is read from replica sets, and undone by their template', async () => {
    const { run, write } = await bench.namespace();
    const labels = { app: 'web' };
    await run`create deployment web --image=nginx:2`;
    const { metadata } = JSON.parse((await run`get deployment web -o json`).stdout) as { metadata: { uid: string } };
    const sets = ['1', '2'].map((revision) => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `web-${revision}`,
        labels: { ...labels, 'pod-template-hash': revision },
        annotations: { 'deployment.kubernetes.io/revision': revision },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: metadata.uid, controller: true },
        ],
      },
      spec: {
        replicas: revision === '2' ? 1 : 0,
        selector: { matchLabels: { ...labels, 'pod-template-hash': revision } },
        template: {
          metadata: { labels: { ...labels, 'pod-template-hash': revision } },
          spec: { containers: [{ name: 'nginx', image: `nginx:${revision}` }] },
        },
      },
    }));
    write('sets.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: sets }));
    await run`create -f sets.json`;
    await run`annotate deployment web ${'deployment.kubernetes.io/revision=2'}`;
    const status = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
    await run`patch deployment web --subresource=status --type=merge -p ${JSON.stringify({ status })}`;
    expect((await run`rollout history deployment/web`).stdout).toMatch(/\n1 +<none>\n2 +<none>\n/);
    expect(await run`rollout status deployment/web --revision=2 --timeout=5s`).toMatchObject({
      code: 0,
      stdout: 'deployment "web" successfully rolled out\n',
    });
    expect(await run`rollout undo deployment/web`).toEqual(printed('deployment.apps/web rolled back'));
    expect((await run`get deployment web -o jsonpath=${'{..image}'}`).stdout).toBe('nginx:1');
  });

  test('nodes are tainted, cordoned and drained', async () => {
    const { namespace: node, run, start, write } = await bench.namespace();
    write('node.json', JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: node } }));
    await run`create -f node.json`;
    await follow(start, [
      [['taint', 'nodes', node, 'k=v:NoSchedule'], `node/${node} tainted`],
      [['cordon', node], `node/${node} cordoned`],
    ]);
    const said = '{.spec.unschedulable} {.spec.taints[?(@.key=="k")].effect}';
    expect((await run`get node ${node} -o jsonpath=${said}`).stdout).toBe('true NoSchedule');
    await follow(start, [
      [['uncordon', node], `node/${node} uncordoned`],
      [['taint', 'nodes', node, 'k-'], `node/${node} untainted`],
    ]);
    expect(await run`drain ${node} --ignore-daemonsets`).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('drained') as string,
    });
  });

  test('rights are reconciled: what is missing is added', async () => {
    const { namespace: name, run, write } = await bench.namespace();
    const role = (verb: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: [verb] }],
    });
    for (const verb of ['get', 'list']) {
      write('role.json', JSON.stringify(role(verb)));
      expect((await run`auth reconcile -f role.json`).stderr).toContain(`missing rules added:\n\t\t{Verbs:[${verb}]`);
    }
    expect((await run`get clusterrole ${name} -o jsonpath=${'{.rules[*].verbs[*]}'}`).stdout).toBe('get list');
  });
});
