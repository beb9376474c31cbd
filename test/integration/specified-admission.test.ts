// The second document's sentences about admission, in the names of each dialect: the same requests to a server of either.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { cluster, kubernetes, nodeAgent } from '../../src/meta/dialect.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { AdmissionHooks, allow, type HookAnswer, label } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

const home = '/api/v1/namespaces/default';
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe.each([
  ['kubernetes', kubernetes],
  ['cluster', cluster()],
] as const)('in the %s dialect', (dialect, names) => {
  const { apiDomain, labelDomain } = names;
  let folder: TempFolder;
  let server: Server;
  let api: Api;
  let hooks: AdmissionHooks;
  let auditLog: string;

  beforeAll(async () => {
    folder = new TempFolder();
    hooks = await AdmissionHooks.open();
    auditLog = join(folder.path, 'audit.log');
    const policy = { apiVersion: `audit.${apiDomain}/v1`, kind: 'Policy', rules: [{ level: 'Request' }] };
    const config = `apiserver.config.${apiDomain}/v1`;
    const security = {
      apiVersion: `pod-security.admission.config.${apiDomain}/v1`,
      kind: 'PodSecurityConfiguration',
      defaults: { enforce: 'baseline' },
    };
    const users = [{ name: `127.0.0.1:${hooks.peer.port}`, user: { token: 'the-server' } }];
    const webhooks = {
      apiVersion: config,
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile: folder.write('users', JSON.stringify({ kind: 'Config', users })),
    };
    const plugins = [
      { name: 'PodSecurity', path: folder.write('security', JSON.stringify(security)) },
      { name: 'MutatingAdmissionWebhook', configuration: webhooks },
    ];
    const place = { source: 'awsElasticBlockStore', ids: ['vol-listed'], zones: ['us-east-1b'] };
    server = await startTestServer({
      ...{ listen: false, dialect, controllers: [] },
      enableAdmissionPlugins: [
        ...['PodNodeSelector', 'LimitPodHardAntiAffinityTopology', 'NodeRestriction', 'PersistentVolumeLabel'],
      ],
      cloudConfigFile: folder.write('cloud', JSON.stringify({ volumes: [place] })),
      admissionControlConfigFile: folder.write(
        'admission',
        JSON.stringify({ apiVersion: config, kind: 'AdmissionConfiguration', plugins }),
      ),
      audit: { policyFile: folder.write('policy', JSON.stringify(policy)), log: { path: auditLog } },
    });
    api = apiOf(server);
    await api.post(`${home}/serviceaccounts`, { metadata: { name: 'default' } });
  });
  afterAll(async () => {
    await server.close();
    await hooks[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('volumes of clouds get labels of their zone and region, and are used there only', async () => {
    const label = (name: string) => `topology.${labelDomain}/${name}`;
    const create = async (name: string, volumeID: string) => {
      const accessModes = ['ReadWriteOnce'];
      const spec = { capacity: { storage: '1Gi' }, accessModes, awsElasticBlockStore: { volumeID } };
      return api.post('/api/v1/persistentvolumes', { metadata: { name }, spec });
    };
    const placed = async (name: string, volumeID: string) => {
      const { status, body } = await create(name, volumeID);
      expect([status, body.message]).toEqual([201, undefined]);
      const [{ matchExpressions }] = body.spec.nodeAffinity.required.nodeSelectorTerms;
      expect(matchExpressions).toEqual([
        { key: label('zone'), operator: 'In', values: [body.metadata.labels[label('zone')]] },
        { key: label('region'), operator: 'In', values: [body.metadata.labels[label('region')]] },
      ]);
      return body.metadata.labels as unknown;
    };
    const at = (zone: string) => ({ [label('zone')]: zone, [label('region')]: 'us-east-1' });
    expect(await placed('by-id', 'aws://us-east-1a/vol-1')).toEqual(at('us-east-1a'));
    expect(await placed('by-file', 'vol-listed')).toEqual(at('us-east-1b'));
    const { status, body } = await create('nowhere', 'vol-other');
    expect([status, body.message]).toEqual([403, expect.stringContaining('error querying AWS EBS volume vol-other')]);
  });

  const asUser = (name: string, ...groups: string[]): Api =>
    apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user: { name, groups } }) });
  const asNode = () => asUser('system:node:me', 'system:nodes', 'system:authenticated');

  test('pods tolerate a node that is not ready or cannot be reached for five minutes', async () => {
    const { body } = await api.post(`${home}/pods`, pod('tolerant'));
    const toleration = (condition: string) => ({
      key: `node.${labelDomain}/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    });
    expect(body.spec.tolerations).toEqual([toleration('not-ready'), toleration('unreachable')]);
  });

  test('pods get the account default, and its token by a volume with three sources', async () => {
    const { body } = await api.post(`${home}/pods`, pod('mounted'));
    expect(body.spec.serviceAccountName).toBe('default');
    const [volume] = body.spec.volumes;
    expect(volume.name).toMatch(/^kube-api-access-.{5}$/);
    const items = [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }];
    expect(volume.projected).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: names.rootCaConfigMap, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items } },
      ],
    });
    const mountPath = `/var/run/secrets/${labelDomain}/serviceaccount`;
    expect(body.spec.containers[0].volumeMounts).toEqual([{ name: volume.name, readOnly: true, mountPath }]);
    const refused = await api.post(`${home}/pods`, pod('lost', { serviceAccountName: 'none' }));
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('"none" not found')]);
  });

  test('the seconds of both tolerations are options, and those that a pod has stay', async () => {
    await using own = await startTestServer({
      ...{ listen: false, dialect, controllers: [], disableAdmissionPlugins: ['ServiceAccount'] },
      ...{ defaultNotReadyTolerationSeconds: 60, defaultUnreachableTolerationSeconds: 90 },
    });
    const tolerations = async (name: string, spec: object) => {
      const { body } = await apiOf(own).post(`${home}/pods`, pod(name, spec));
      return body.spec.tolerations.map(({ key, tolerationSeconds }: { key: string; tolerationSeconds: number }) => [
        ...[key.replace(`node.${labelDomain}/`, ''), tolerationSeconds],
      ]);
    };
    expect(await tolerations('none', {})).toEqual([
      ['not-ready', 60],
      ['unreachable', 90],
    ]);
    const given = {
      key: `node.${labelDomain}/not-ready`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 1,
    };
    expect(await tolerations('one', { tolerations: [given] })).toEqual([
      ['not-ready', 1],
      ['unreachable', 90],
    ]);
  });

  test('three namespaces cannot be deleted, and one that is missing takes nothing', async () => {
    for (const name of ['default', names.systemNamespace, names.publicNamespace]) {
      const { status, body } = await api.delete(`/api/v1/namespaces/${name}`);
      expect([status, body.message]).toEqual([403, expect.stringContaining('this namespace may not be deleted')]);
    }
    expect((await api.post('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'a' } })).status).toBe(404);
    await api.post('/api/v1/namespaces', { metadata: { name: 'going' } });
    expect((await api.delete('/api/v1/namespaces/going')).body.status.phase).toBe('Terminating');
    expect((await api.post('/api/v1/namespaces/going/configmaps', { metadata: { name: 'a' } })).status).toBe(403);
  });

  test('claims, volumes and nodes begin with what protects them', async () => {
    const storage = { storage: '1Gi' };
    const claim = await api.post(`${home}/persistentvolumeclaims`, {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: storage } },
    });
    expect(claim.body.metadata.finalizers).toEqual([`${labelDomain}/pvc-protection`]);
    const volume = await api.post('/api/v1/persistentvolumes', {
      metadata: { name: 'v' },
      spec: { capacity: storage, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } },
    });
    expect(volume.body.metadata.finalizers).toEqual([`${labelDomain}/pv-protection`]);
    const node = await api.post('/api/v1/nodes', { metadata: { name: 'new' } });
    expect(node.body.spec.taints).toEqual([{ key: `node.${labelDomain}/not-ready`, effect: 'NoSchedule' }]);
  });

  test('an ingress gets the default class when it is created, and not later', async () => {
    const networking = `/apis/networking.${apiDomain}/v1`;
    const ingresses = `${networking}/namespaces/default/ingresses`;
    const ingress = (name: string) => ({
      metadata: { name },
      spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } },
    });
    expect((await api.post(ingresses, ingress('early'))).body.spec.ingressClassName).toBeUndefined();
    await api.post(`${networking}/ingressclasses`, {
      metadata: { name: 'web', annotations: { [`ingressclass.${labelDomain}/is-default-class`]: 'true' } },
      spec: { controller: 'example.com/x' },
    });
    await eventually(async () =>
      expect((await api.post(`${ingresses}?dryRun=All`, ingress('late'))).body.spec.ingressClassName).toBe('web'),
    );
    const labels = { a: 'b' };
    const changed = await api.patch('merge', `${ingresses}/early`, { metadata: { labels } });
    expect([changed.body.metadata.labels, changed.body.spec.ingressClassName]).toEqual([labels, undefined]);
  });

  test('plugins that are off by default go by the names of the dialect', async () => {
    const key = `scheduler.alpha.${labelDomain}/node-selector`;
    await api.post('/api/v1/namespaces', { metadata: { name: 'picky', annotations: { [key]: 'disk=ssd' } } });
    await api.post('/api/v1/namespaces/picky/serviceaccounts', { metadata: { name: 'default' } });
    const picky = await api.post('/api/v1/namespaces/picky/pods', pod('a'));
    expect(picky.body.spec.nodeSelector).toEqual({ disk: 'ssd' });
    const other = await api.post('/api/v1/namespaces/picky/pods', pod('b', { nodeSelector: { disk: 'hdd' } }));
    expect(other.status).toBe(403);
    const apart = (topologyKey: string) => {
      const term = { topologyKey, labelSelector: {} };
      return pod('apart', {
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      });
    };
    const statuses = [`${labelDomain}/hostname`, `topology.${labelDomain}/zone`].map(
      async (topologyKey) => (await api.post(`${home}/pods?dryRun=All`, apart(topologyKey))).status,
    );
    expect(await Promise.all(statuses)).toEqual([201, 403]);
  });

  test('the file of configurations may name another file', async () => {
    const { status, body } = await api.post(`${home}/pods`, pod('mighty', { hostNetwork: true }));
    expect([status, body.message]).toEqual([403, expect.stringContaining('violates PodSecurity "baseline:latest"')]);
  });

  describe('a node agent', () => {
    const allowed =
      `hostname arch os beta/arch beta/os beta/instance-type node/instance-type topology/region topology/zone
      failure-domain.beta/region failure-domain.beta/zone ${nodeAgent(names)}/x node/x a.node/x`.split(/\s+/);
    const refused = ['node-restriction/x', 'other', 'other/x'];
    // the specification lists four labels with their variants, of which Kubernetes never used these
    const listed = ['instance-type', 'beta/hostname'];
    const inDomain = (text: string) => {
      const [prefix, name] = text.includes('/') ? text.split('/') : ['', text];
      return `${prefix === '' ? '' : `${prefix}.`}${labelDomain}/${name}`;
    };

    test.each([
      ...allowed.map((name) => [inDomain(name), 201] as const),
      ...listed.map((name) => [inDomain(name), dialect === 'cluster' ? 201 : 403] as const),
      ...refused.map((name) => [inDomain(name), 403] as const),
      [`x.${apiDomain}/y`, 403] as const,
      ['example.com/x', 201] as const,
    ])('sets the label %s: %i', async (key, expected) => {
      const node = { metadata: { name: 'me', labels: { [key]: '' } } };
      expect((await asNode().post('/api/v1/nodes?dryRun=All', node)).status).toBe(expected);
    });

    test('writes its own Node, and neither its taints nor its end', async () => {
      const own = asNode();
      const nodes = '/api/v1/nodes';
      expect((await own.post(nodes, { metadata: { name: 'you' } })).status).toBe(403);
      expect((await own.post(nodes, { metadata: { name: 'me' } })).status).toBe(201);
      const taints = [{ key: 'x', effect: 'NoSchedule' }];
      expect((await own.patch('merge', `${nodes}/me`, { spec: { taints } })).status).toBe(403);
      expect((await own.patch('merge', `${nodes}/me`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
      expect((await own.delete(`${nodes}/me`)).status).toBe(403);
    });

    test('ends pods that are bound to it, and no others', async () => {
      for (const name of ['me', 'you']) await api.post(`${home}/pods`, pod(`on-${name}`, { nodeName: name }));
      const end = async (name: string) => (await asNode().delete(`${home}/pods/${name}?gracePeriodSeconds=0`)).status;
      expect([await end('on-you'), await end('on-me')]).toEqual([403, 200]);
    });
  });

  test('no webhook is asked about reads, and one is asked in the versions and names of the dialect', async () => {
    const seen: string[] = [];
    const answer: HookAnswer = ({ request }, _response, { headers }) => {
      seen.push(`${request.operation} ${headers.authorization}`);
      return request.operation === 'DELETE' ? allow : label('a', 'b');
    };
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    const namespaceSelector = { matchLabels: { [`${labelDomain}/metadata.name`]: 'hooked' } };
    await api.post('/api/v1/namespaces', { metadata: { name: 'hooked' } });
    const webhook = hooks.hook('/hooked/all', answer, { rules, namespaceSelector });
    const registration = `/apis/admissionregistration.${apiDomain}/v1`;
    const configuration = { metadata: { name: 'all' }, webhooks: [webhook] };
    const path = `${registration}/mutatingwebhookconfigurations`;
    const misnamed = await api.post(path, { ...configuration, metadata: { name: 'No_Subdomain' } });
    expect([misnamed.status, misnamed.body.details.causes[0].field]).toEqual([422, 'metadata.name']);
    expect((await api.post(path, configuration)).status).toBe(201);
    const maps = '/api/v1/namespaces/hooked/configmaps';
    const made = await api.post(`${maps}?fieldManager=me`, { metadata: { name: 'm', labels: { own: 'x' } } });
    expect(made.body.metadata.labels).toEqual({ own: 'x', a: 'b' });
    for (const path of [`${maps}/m`, maps, `${maps}?watch=true`]) {
      const read = await server.fetch(path);
      expect(read.status).toBe(200);
      await read.body?.cancel();
    }
    await api.delete(`${maps}/m`);
    expect(seen).toEqual(['CREATE Bearer the-server', 'DELETE Bearer the-server']);
    const [created, deleted] = hooks.reviews.map(({ review }) => review);
    expect(created).toMatchObject({
      kind: 'AdmissionReview',
      apiVersion: `admission.${apiDomain}/v1`,
      request: {
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        operation: 'CREATE',
        userInfo: { username: expect.any(String), groups: expect.any(Array) },
        object: { metadata: { name: 'm' } },
        oldObject: null,
        options: { kind: 'CreateOptions', apiVersion: `meta.${apiDomain}/v1`, fieldManager: 'me' },
        dryRun: false,
      },
    });
    expect(deleted.request).toMatchObject({ object: null, oldObject: { metadata: { name: 'm' } } });
    await eventually(async () => {
      const events = readFileSync(auditLog, 'utf8').trim().split('\n');
      const { annotations } = events
        .map((line) => JSON.parse(line))
        .find(
          ({ stage, verb, objectRef }) =>
            stage === 'ResponseComplete' && verb === 'create' && objectRef?.namespace === 'hooked',
        );
      const about = { configuration: 'all', webhook: 'hooked-all.hooks.example.com' };
      const at = (what: string) => JSON.parse(annotations[`${what}.webhook.admission.${apiDomain}/round_0_index_0`]);
      expect(at('mutation')).toEqual({ ...about, mutated: true });
      expect(at('patch')).toMatchObject({ ...about, patchType: 'JSONPatch', patch: [{ op: 'add' }] });
    });
  });
});
