// Every plugin of the specification's table can be named, and what those do that need more than a unit test shows.

import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf } from './api.ts';

/** The table of the specification, and the plugins of policies. */
const rows =
  `AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction
  DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyServiceExternalIPs ExtendedResourceToleration
  LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists
  NamespaceLifecycle NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize
  PersistentVolumeLabel PodNodeSelector PodSecurity PodSecurityPolicy PodTolerationRestriction Priority ResourceQuota RuntimeClass
  SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionWebhook
  MutatingAdmissionPolicy ValidatingAdmissionPolicy`.split(/\s+/);

/** Those of the table that do not start without a configuration. */
const configured = ['EventRateLimit', 'ImagePolicyWebhook'];

function configurationIn(folder: TempFolder, domain: string): string {
  const context = { name: 'x', context: { cluster: 'c', user: '' } };
  const clusters = [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }];
  const kubeConfigFile = folder.write(
    'kubeconfig',
    JSON.stringify({ clusters, contexts: [context], 'current-context': 'x' }),
  );
  const limits = { kind: 'Configuration', limits: [{ type: 'Server', qps: 10, burst: 10 }] };
  const plugins = [
    { name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile } } },
    { name: 'EventRateLimit', configuration: { ...limits, apiVersion: `eventratelimit.admission.${domain}/v1alpha1` } },
  ];
  const whole = { kind: 'AdmissionConfiguration', apiVersion: `apiserver.config.${domain}/v1`, plugins };
  return folder.write('admission.json', JSON.stringify(whole));
}

const domainOf = (dialect: 'kubernetes' | 'cluster') => (dialect === 'kubernetes' ? 'k8s.io' : 'api.cluster.local');

describe.each(['kubernetes', 'cluster'] as const)('in the %s dialect', (dialect) => {
  test('all plugins of the table can be turned on', async () => {
    using folder = new TempFolder();
    const domain = domainOf(dialect);
    const enableAdmissionPlugins = [...rows, ...configured].filter((name) => name !== 'AlwaysDeny');
    await using server = await startTestServer({
      ...{ listen: false, dialect, enableAdmissionPlugins },
      admissionControlConfigFile: configurationIn(folder, domain),
      runtimeConfig: { [`imagepolicy.${domain}/v1alpha1`]: true },
    });
    const api = apiOf(server);
    const made = await api.post('/api/v1/namespaces/made-up/configmaps', { metadata: { name: 'c' } });
    expect([made.status, (await api.get('/api/v1/namespaces/made-up')).status]).toEqual([201, 200]);
  });

  test('all plugins of the table can be turned off', async () => {
    await using server = await startTestServer({
      listen: false,
      dialect,
      disableAdmissionPlugins: [...rows, ...configured],
    });
    const { status } = await apiOf(server).post('/api/v1/namespaces/missing/configmaps', { metadata: { name: 'c' } });
    expect(status).toBe(201);
  });

  test.each(['AlwaysPullImages', 'PodSecurityPolicy', 'ServiceAccount'])(
    'a pod without containers is refused by its rules, also where %s looks at it',
    async (plugin) => {
      await using server = await startTestServer({
        ...{ listen: false, dialect, controllers: [], enableAdmissionPlugins: [plugin] },
        runtimeConfig: { 'policy/v1beta1': true },
      });
      const api = apiOf(server);
      const any = { rule: 'RunAsAny' };
      await api.post('/apis/policy/v1beta1/podsecuritypolicies', {
        metadata: { name: 'open' },
        spec: { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any, volumes: ['*'] },
      });
      const limited = `${dialect === 'kubernetes' ? 'kubernetes.io' : 'cluster.local'}/enforce-mountable-secrets`;
      const account = { metadata: { name: 'default', annotations: { [limited]: 'true' } } };
      expect((await api.post('/api/v1/namespaces/default/serviceaccounts', account)).status).toBe(201);
      for (const spec of [{}, { containers: null }, { containers: [] }]) {
        const { status, body } = await api.post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
        expect([422, 400]).toContain(status);
        expect(body.message).toContain('spec.containers: Required value');
      }
    },
  );

  test('one that admits everything admits every sort of write, where no other plugin looks at it', async () => {
    const disableAdmissionPlugins = [...rows, ...configured].filter((name) => name !== 'AlwaysAdmit');
    await using server = await startTestServer({
      ...{ listen: false, dialect, controllers: [], disableAdmissionPlugins, enableAdmissionPlugins: ['AlwaysAdmit'] },
    });
    const user = { name: 'operator', groups: ['system:masters'] };
    const api = apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user }) });
    const container = { name: 'c', image: 'i', securityContext: { runAsUser: 0 } };
    const spec = { serviceAccountName: 'missing', hostNetwork: true, containers: [container] };
    const pods = '/api/v1/namespaces/missing/pods';
    const writes = [
      await api.post(pods, { metadata: { name: 'p' }, spec }),
      await api.patch('merge', `${pods}/p`, { metadata: { labels: { a: 'b' } } }),
      await api.post(`${pods}/p/exec?command=ls`, {}),
      await api.delete(`${pods}/p`),
      await api.delete('/api/v1/namespaces/default'),
    ];
    expect(writes.map(({ status, body }) => [status, body.reason])).toEqual([
      [201, undefined],
      [200, undefined],
      // admitted, and then there is no node to ask
      [400, 'BadRequest'],
      [200, undefined],
      [200, undefined],
    ]);
  });

  test('one that refuses everything can be turned on', async () => {
    await using server = await startTestServer({ listen: false, dialect, enableAdmissionPlugins: ['AlwaysDeny'] });
    const user = { name: 'operator', groups: ['system:masters'] };
    const api = apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user }) });
    const { status } = await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } });
    expect(status).toBe(403);
  });

  test('one that refuses everything stops every sort of write, leaves nothing behind, and lets reads pass', async () => {
    await using server = await startTestServer({ listen: false, dialect, enableAdmissionPlugins: ['AlwaysDeny'] });
    const user = { name: 'operator', groups: ['system:masters'] };
    const api = apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user }) });
    const maps = '/api/v1/namespaces/default/configmaps';
    const role = `/apis/rbac.authorization.${domainOf(dialect)}/v1/clusterroles/view`;
    const writes = [
      await api.post(maps, { metadata: { name: 'c' } }),
      await api.patch('merge', '/api/v1/namespaces/default', { metadata: { labels: { a: 'b' } } }),
      await api.delete(role),
      await api.call('POST', '/api/v1/namespaces/default/pods/p/exec?command=ls'),
    ];
    const refused = [403, expect.stringContaining('admission control is denying all modifications')];
    expect(writes.map(({ status, body }) => [status, body.message])).toEqual([refused, refused, refused, refused]);
    expect((await api.get(role)).status).toBe(200);
    expect((await api.get(`${maps}/c`)).status).toBe(404);
    expect((await api.get('/api/v1/namespaces/default')).body.metadata.labels).not.toHaveProperty('a');
    expect((await api.get(maps)).status).toBe(200);
  });
});

describe('a pod on a node', () => {
  const container = (cpu: string) => ({ name: 'c', image: 'i', resources: { requests: { cpu } } });
  const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [container('1')] } };

  test('is resized to what its node has, by default', async () => {
    await using server = await startTestServer({ listen: false });
    const api = apiOf(server);
    const node = { metadata: { name: 'n' }, status: { allocatable: { cpu: '2', memory: '1Gi' } } };
    expect((await api.post('/api/v1/nodes', node)).status).toBe(201);
    const home = '/api/v1/namespaces/default/pods';
    expect((await api.post(home, pod)).status).toBe(201);
    const resize = (cpu: string) =>
      api.patch('strategic', `${home}/p/resize`, {
        spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] },
      });
    expect((await resize('2')).status).toBe(200);
    const refused = await resize('3');
    expect([refused.status, refused.body.message, refused.body.details.causes]).toEqual([
      403,
      'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3000, allocatable: 2000',
      [{ reason: 'NodeCapacity' }],
    ]);
  });
});

test('groups of pods are held to their workloads where the gate is on', async () => {
  const runtimeConfig = { 'scheduling.k8s.io/v1alpha2': true };
  await using server = await startTestServer({ listen: false, runtimeConfig, featureGates: { GenericWorkload: true } });
  const home = '/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups';
  const group = (name: string, more: object) => ({
    metadata: { name },
    spec: { schedulingPolicy: { basic: {} }, ...more },
  });
  const workload = { workloadName: 'w', podGroupTemplateName: 't' };
  const refused = await apiOf(server).post(home, group('a', { podGroupTemplateRef: { workload } }));
  expect(refused.body.message).toBe(
    'podgroups.scheduling.k8s.io "a" is forbidden: PodGroup rejected: Workload "w" not found',
  );
  const made = await apiOf(server).post(home, group('b', {}));
  expect(made.body.metadata.finalizers).toEqual(['scheduling.k8s.io/podgroup-protection']);
});

test('groups of pods get the priority of their class with the gate for it, and lose what they say without', async () => {
  const runtimeConfig = { 'scheduling.k8s.io/v1alpha2': true };
  const create = async (featureGates: Readonly<Record<string, boolean>>) => {
    await using server = await startTestServer({ listen: false, runtimeConfig, featureGates });
    const home = '/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups';
    const spec = { schedulingPolicy: { basic: {} }, priorityClassName: 'high' };
    await apiOf(server).post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1000 });
    const { body } = await apiOf(server).post(home, { metadata: { name: 'g' }, spec });
    return body.spec;
  };
  const given = { podGroupTemplateRef: null, schedulingPolicy: { basic: {} } };
  expect(await create({ GenericWorkload: true })).toEqual(given);
  expect(await create({ GenericWorkload: true, GangScheduling: true, WorkloadAwarePreemption: true })).toEqual({
    ...given,
    ...{ disruptionMode: 'Pod', priorityClassName: 'high', priority: 1000 },
  });
});

describe.each(['kubernetes', 'cluster'] as const)('NamespaceAutoProvision in the %s dialect', (dialect) => {
  test('a dry run in a missing namespace is answered as the real request is', async () => {
    const enableAdmissionPlugins = ['NamespaceAutoProvision', 'PodNodeSelector', 'NamespaceExists'];
    await using server = await startTestServer({ listen: false, dialect, enableAdmissionPlugins });
    const api = apiOf(server);
    const pods = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const trial = await api.post(`${pods('later')}?dryRun=All`, pod);
    expect([trial.status, trial.body.metadata?.namespace]).toEqual([201, 'later']);
    expect((await api.get('/api/v1/namespaces/later')).status).toBe(404);
    expect((await api.post(pods('later'), pod)).status).toBe(201);
    expect((await api.get('/api/v1/namespaces/later')).status).toBe(200);
    const impossible = 'x'.repeat(64);
    const answers = [await api.post(`${pods(impossible)}?dryRun=All`, pod), await api.post(pods(impossible), pod)];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });
});
