// Sentences of the specification about health, versions, deprecation and removed versions, in both dialects.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInGroups } from '../../src/groups/catalog.ts';
import type { Server } from '../../src/index.ts';
import { type SignerRole, signerNames } from '../../src/meta/dialect.ts';
import type { ResourceDefinition } from '../../src/schema/resource.ts';
import { encodedRequest, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { dialects, workload } from './dialects.ts';
import { manifestOf } from './manifests.ts';

/** What the table of removed versions says: kind, group-version, release of its removal, replacement; GROUP stands for the domain. */
const table = [
  ['csistoragecapacities', 'storage.GROUP/v1beta1', 27, 'storage.GROUP/v1 CSIStorageCapacity'],
  ['flowschemas', 'flowcontrol.apiserver.GROUP/v1beta1', 26, 'flowcontrol.apiserver.GROUP/v1beta2 FlowSchema'],
  [
    'prioritylevelconfigurations',
    'flowcontrol.apiserver.GROUP/v1beta1',
    26,
    'flowcontrol.apiserver.GROUP/v1beta2 PriorityLevelConfiguration',
  ],
  ['horizontalpodautoscalers', 'autoscaling/v2beta2', 26, 'autoscaling/v2 HorizontalPodAutoscaler'],
  ['cronjobs', 'batch/v1beta1', 25, 'batch/v1 CronJob'],
  ['endpointslices', 'discovery.GROUP/v1beta1', 25, 'discovery.GROUP/v1 EndpointSlice'],
  ['events', 'events.GROUP/v1beta1', 25, 'events.GROUP/v1 Event'],
  ['horizontalpodautoscalers', 'autoscaling/v2beta1', 25, 'autoscaling/v2 HorizontalPodAutoscaler'],
  ['poddisruptionbudgets', 'policy/v1beta1', 25, 'policy/v1 PodDisruptionBudget'],
  ['podsecuritypolicies', 'policy/v1beta1', 25, 'pod-security admission or a third-party admission webhook'],
  ['runtimeclasses', 'node.GROUP/v1beta1', 25, 'node.GROUP/v1 RuntimeClass'],
  ...['Mutating', 'Validating'].map(
    (which) =>
      [
        `${which.toLowerCase()}webhookconfigurations`,
        'admissionregistration.GROUP/v1beta1',
        22,
        `admissionregistration.GROUP/v1 ${which}WebhookConfiguration`,
      ] as const,
  ),
  ['customresourcedefinitions', 'apiextensions.GROUP/v1beta1', 22, 'apiextensions.GROUP/v1 CustomResourceDefinition'],
  ['apiservices', 'apiregistration/v1beta1', 22, 'apiregistration.GROUP/v1 APIService'],
  ['certificatesigningrequests', 'certificates.GROUP/v1beta1', 22, 'certificates.GROUP/v1 CertificateSigningRequest'],
  ['leases', 'coordination.GROUP/v1beta1', 22, 'coordination.GROUP/v1 Lease'],
  ['ingresses', 'extensions/v1beta1', 22, 'networking.GROUP/v1 Ingress'],
  ['ingresses', 'networking.GROUP/v1beta1', 22, 'networking.GROUP/v1 Ingress'],
  ['ingressclasses', 'networking.GROUP/v1beta1', 22, 'networking.GROUP/v1 IngressClass'],
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(
    (kind) =>
      [
        `${kind.toLowerCase()}s`,
        'rbac.authorization.GROUP/v1beta1',
        22,
        `rbac.authorization.GROUP/v1 ${kind}`,
      ] as const,
  ),
  ['priorityclasses', 'scheduling.GROUP/v1beta1', 22, 'scheduling.GROUP/v1 PriorityClass'],
  ['csidrivers', 'storage.GROUP/v1beta1', 22, 'storage.GROUP/v1 CSIDriver'],
  ['csinodes', 'storage.GROUP/v1beta1', 22, 'storage.GROUP/v1 CSINode'],
  ['storageclasses', 'storage.GROUP/v1beta1', 22, 'storage.GROUP/v1 StorageClass'],
  ['volumeattachments', 'storage.GROUP/v1beta1', 22, 'storage.GROUP/v1 VolumeAttachment'],
  ['networkpolicies', 'extensions/v1beta1', 16, 'networking.GROUP/v1 NetworkPolicy'],
  ['daemonsets', 'extensions/v1beta1', 16, 'apps/v1 DaemonSet'],
  ['daemonsets', 'apps/v1beta2', 16, 'apps/v1 DaemonSet'],
  ['deployments', 'extensions/v1beta1', 16, 'apps/v1 Deployment'],
  ['deployments', 'apps/v1beta1', 16, 'apps/v1 Deployment'],
  ['deployments', 'apps/v1beta2', 16, 'apps/v1 Deployment'],
  ['statefulsets', 'apps/v1beta1', 16, 'apps/v1 StatefulSet'],
  ['statefulsets', 'apps/v1beta2', 16, 'apps/v1 StatefulSet'],
  ['replicasets', 'extensions/v1beta1', 16, 'apps/v1 ReplicaSet'],
  ['replicasets', 'apps/v1beta1', 16, 'apps/v1 ReplicaSet'],
  ['replicasets', 'apps/v1beta2', 16, 'apps/v1 ReplicaSet'],
  ['podsecuritypolicies', 'extensions/v1beta1', 16, 'policy/v1beta1 PodSecurityPolicy'],
] as const;

/** Reviews are answers to a POST. */
const reviews = [
  ['tokenreviews', 'authentication.GROUP', { token: 't' }, 'TokenReview'],
  [
    'selfsubjectaccessreviews',
    'authorization.GROUP',
    { nonResourceAttributes: { path: '/', verb: 'get' } },
    'SelfSubjectAccessReview',
  ],
  [
    'subjectaccessreviews',
    'authorization.GROUP',
    { user: 'u', nonResourceAttributes: { path: '/', verb: 'get' } },
    'SubjectAccessReview',
  ],
  ['selfsubjectrulesreviews', 'authorization.GROUP', { namespace: 'default' }, 'SelfSubjectRulesReview'],
  [
    'namespaces/default/localsubjectaccessreviews',
    'authorization.GROUP',
    { user: 'u', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
    'LocalSubjectAccessReview',
  ],
] as const;

/** What Kubernetes never had, or advised otherwise. */
const onlyListed = new Set(['apiservices apiregistration/v1beta1', 'replicasets apps/v1beta1']);
const advisedBefore: Readonly<Record<string, string | undefined>> = {
  'flowschemas flowcontrol.apiserver.GROUP/v1beta1': 'flowcontrol.apiserver.GROUP/v1beta3 FlowSchema',
  'prioritylevelconfigurations flowcontrol.apiserver.GROUP/v1beta1':
    'flowcontrol.apiserver.GROUP/v1beta3 PriorityLevelConfiguration',
  'events events.GROUP/v1beta1': undefined,
  'runtimeclasses node.GROUP/v1beta1': undefined,
  'podsecuritypolicies policy/v1beta1': undefined,
};

describe.each(dialects)('in the %s dialect', (dialect, names) => {
  const { apiDomain } = names;
  const definitions = builtInGroups(names).flatMap(({ resources }) => resources);
  const definitionOf = (plural: string, groupVersion: string) =>
    definitions.find(
      (one) => one.plural === plural && `${one.group}/${one.version}` === groupVersion,
    ) as ResourceDefinition;
  const storedOf = ({ storagePrefix }: ResourceDefinition) =>
    definitions.find((one) => one.storagePrefix === storagePrefix && !one.conversion) as ResourceDefinition;
  const named = (text: string) => text.replaceAll('GROUP', apiDomain);
  const pathOf = (group: string, version: string, rest: string) => `/apis/${named(group)}/${version}/${rest}`;
  let folder: TempFolder;
  let log: string;
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    folder = new TempFolder();
    log = join(folder.path, 'audit.log');
    const policyFile = join(folder.path, 'policy.yaml');
    writeFileSync(policyFile, `apiVersion: audit.${apiDomain}/v1\nkind: Policy\nrules:\n  - level: Metadata\n`);
    const rows = [...table.map(([plural, version]) => [plural, version] as const)].filter(
      ([plural, version]) => dialect === 'cluster' || !onlyListed.has(`${plural} ${version}`),
    );
    const removed = [
      ...rows.map(([plural, version]) => `${version}/${plural}`),
      ...reviews.map(([path, group]) => `${group}/v1beta1/${path.split('/').at(-1)}`),
    ];
    server = await startTestServer({
      ...{ listen: false, dialect, audit: { policyFile, log: { path: log } } },
      runtimeConfig: {
        ...Object.fromEntries(removed.map((name) => [named(name), true])),
        'batch/v1': false,
        'apps/v1/controllerrevisions': false,
        [named('storagemigration.GROUP/v1beta1')]: false,
      },
    });
    api = apiOf(server);
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  });
  afterAll(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });
  const warningOf = ({ headers }: Answer) => headers.get('warning') ?? '';

  describe('health', () => {
    test.each(['healthz', 'livez', 'readyz'])(
      '/%s tells each check, one of them alone, and leaves some out',
      async (name) => {
        const plain = await api.get(`/${name}`);
        expect([plain.status, plain.body]).toEqual([200, 'ok']);
        const lines = ((await api.get(`/${name}?verbose`)).body as string).trimEnd().split('\n');
        const checks = lines.slice(0, -1).map((line) => /^\[\+\](\S+) ok$/.exec(line)?.[1]);
        expect(checks).not.toContain(undefined);
        expect(checks).toEqual(expect.arrayContaining(['ping', 'log', 'etcd', 'autoregister-completion']));
        expect(checks.some((check) => check?.startsWith('poststarthook/'))).toBe(true);
        expect(checks.includes('shutdown')).toBe(name === 'readyz');
        expect(lines.at(-1)).toBe(`${dialect === 'cluster' ? 'healthz' : name} check passed`);
        for (const check of checks) expect((await api.get(`/${name}/${check}`)).status).toBe(200);
        const without = (await api.get(`/${name}?verbose&exclude=etcd&exclude=log`)).body as string;
        expect(without).toContain('[+]etcd excluded: ok\n');
        expect(without).toContain('[+]log excluded: ok\n');
        expect(without).toContain('[+]ping ok\n');
      },
    );
  });

  describe('versions', () => {
    test('are at /api/v1 and /apis/<group>/<version>, and say so in apiVersion', async () => {
      expect((await api.get('/api/v1/namespaces/default')).body.apiVersion).toBe('v1');
      const leases = pathOf('coordination.GROUP', 'v1', 'leases');
      expect((await api.get(leases)).body.apiVersion).toBe(named('coordination.GROUP/v1'));
      expect((await api.get('/apis/apps/v1/deployments')).body.apiVersion).toBe('apps/v1');
    });

    test('are turned on and off by name, and so is one resource', async () => {
      for (const [path, status] of [
        ['/apis/batch/v1/jobs', 404],
        ['/apis/apps/v1/controllerrevisions', 404],
        ['/apis/apps/v1/deployments', 200],
        ['/apis/batch/v1beta1/cronjobs', 200],
        [pathOf('storagemigration.GROUP', 'v1beta1', 'storageversionmigrations'), 404],
        [pathOf('resource.GROUP', 'v1beta1', 'deviceclasses'), dialect === 'cluster' ? 200 : 404],
        [pathOf('resource.GROUP', 'v1alpha3', 'devicetaintrules'), 404],
      ] as const)
        expect([path, (await api.get(path)).status]).toEqual([path, status]);
    });
  });

  test('the use of a deprecated version is told by a header, the audit log and a gauge', async () => {
    const path = '/apis/policy/v1beta1/poddisruptionbudgets';
    const headers = { 'audit-id': 'deprecated-use' };
    expect(warningOf(await api.get(path, headers))).toMatch(
      /^299 - "policy\/v1beta1 PodDisruptionBudget is deprecated/,
    );
    expect(warningOf(await api.get('/apis/policy/v1/poddisruptionbudgets'))).toBe('');
    const events = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { annotations } = events.findLast(({ auditID }: { auditID: string }) => auditID === 'deprecated-use');
    expect(annotations).toMatchObject({ [`${apiDomain}/deprecated`]: 'true' });
    expect((await api.get('/metrics')).body).toContain(
      'apiserver_requested_deprecated_apis{group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"} 1',
    );
  });

  describe('removed versions', () => {
    test.each(table)(
      '%s of %s, removed in 1.%i, are served where they are turned on, and %s is advised',
      async (...row) => {
        const [plural, groupVersion, release, listed] = row;
        const answer = await api.get(`/apis/${named(groupVersion)}/${plural}`);
        const key = `${plural} ${groupVersion}`;
        if (dialect === 'kubernetes' && onlyListed.has(key)) {
          expect(answer.status).toBe(404);
          return;
        }
        const advised = dialect === 'kubernetes' && key in advisedBefore ? advisedBefore[key] : listed;
        expect(answer.status).toBe(200);
        expect(warningOf(answer)).toContain(`unavailable in v1.${release}+`);
        expect(/; use (.*)"$/.exec(warningOf(answer))?.[1]).toBe(advised && named(advised));
      },
    );

    describe('without controllers', () => {
      let quiet: Server;
      let its: Api;
      beforeAll(async () => {
        const rows = table.filter(
          ([plural, version]) => dialect === 'cluster' || !onlyListed.has(`${plural} ${version}`),
        );
        const runtimeConfig = Object.fromEntries(
          rows.map(([plural, version]) => [named(`${version}/${plural}`), true]),
        );
        quiet = await startTestServer({ listen: false, dialect, controllers: [], runtimeConfig });
        its = apiOf(quiet);
      });
      afterAll(() => quiet.close());

      const pathTo = ({ group, version, namespaced, plural }: ResourceDefinition) =>
        `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespaced ? '/namespaces/default' : ''}/${plural}`;
      const any = { rule: 'RunAsAny' };
      const policy = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any };
      const manifestFor = (definition: ResourceDefinition) => {
        if (definition.kind === 'PodSecurityPolicy') return { metadata: { name: 'minimal', labels: {} }, spec: policy };
        const manifest = manifestOf(definition, names);
        // old versions of workloads without labels take those of the template
        return { ...manifest, metadata: { ...manifest.metadata, labels: { own: 'label' } } };
      };
      /** An object without the fields that each write changes. */
      async function content(path: string): Promise<object> {
        const { metadata, status, ...others } = (await its.get(path)).body;
        const { managedFields, resourceVersion, ...kept } = metadata;
        return { metadata: kept, status, ...others };
      }

      test.each(table)('%s of %s show an object of the version of today, and lose nothing of it', async (...row) => {
        const [plural, groupVersion] = row;
        if (dialect === 'kubernetes' && onlyListed.has(`${plural} ${groupVersion}`)) return;
        const old = definitionOf(plural, named(groupVersion));
        const current = storedOf(old);
        const manifest = manifestFor(current);
        const name = manifest.metadata.name;
        const made = await its.post(pathTo(current), manifest);
        expect([made.status, made.body.message]).toEqual([201, undefined]);
        const before = await content(`${pathTo(current)}/${name}`);
        const shown = (await its.get(`${pathTo(old)}/${name}`)).body;
        expect([shown.apiVersion, shown.kind]).toEqual([named(groupVersion), current.kind]);
        expect(shown.metadata.uid).toBe(made.body.metadata.uid);
        const written = await its.put(`${pathTo(old)}/${name}`, shown);
        expect([written.status, written.body.message]).toEqual([200, undefined]);
        expect(await content(`${pathTo(current)}/${name}`)).toEqual(before);
        expect((await its.delete(`${pathTo(old)}/${name}`)).status).toBe(200);
        // definitions wait for a controller
        const { status, body } = await its.get(`${pathTo(current)}/${name}`);
        expect(status === 404 || body.metadata.deletionTimestamp !== undefined).toBe(true);
      });
    });

    test.each(reviews)('%s of %s answer in v1beta1, and v1 is advised', async (path, group, spec, kind) => {
      const answer = await api.post(pathOf(group, 'v1beta1', path), { spec });
      expect([answer.status, answer.body.kind, answer.body.apiVersion]).toEqual([201, kind, `${named(group)}/v1beta1`]);
      expect(answer.body.status).toEqual(expect.any(Object));
      expect(warningOf(answer)).toMatch(new RegExp(`unavailable in v1\\.22\\+; use ${named(group)}/v1 ${kind}"$`));
    });
  });

  test.each<[string, RequestParts, object, string]>([
    ['any request', {}, {}, 'legacyUnknown'],
    [
      'a request of a node agent as a client',
      { commonName: 'system:node:n', organizations: ['system:nodes'] },
      { usages: ['digital signature', 'key encipherment', 'client auth'] },
      'agentClient',
    ],
    [
      'a request of a node agent as a server',
      { commonName: 'system:node:n', organizations: ['system:nodes'], hosts: ['n.example'] },
      { usages: ['digital signature', 'key encipherment', 'server auth'] },
      'agentServing',
    ],
  ])('certificate requests of v1beta1: usages and signer of %s may be left out', async (_, parts, spec, role) => {
    const path = pathOf('certificates.GROUP', 'v1beta1', 'certificatesigningrequests?dryRun=All');
    const object = { metadata: { name: 'old' }, spec: { request: encodedRequest(parts), ...spec } };
    const { status, body } = await api.post(path, object);
    const usages = ['digital signature', 'key encipherment'];
    expect([status, body.spec]).toEqual([
      201,
      expect.objectContaining({ usages, ...spec, signerName: signerNames(names)[role as SignerRole] }),
    ]);
  });

  test('the groups of an access review are in group in v1beta1, and in groups in v1', async () => {
    const allowed = async (version: string, spec: object) => {
      const path = pathOf('authorization.GROUP', version, 'subjectaccessreviews');
      const about = { user: 'u', nonResourceAttributes: { path: '/', verb: 'get' } };
      return (await api.post(path, { spec: { ...about, ...spec } })).body.status.allowed;
    };
    const masters = ['system:masters'];
    expect([await allowed('v1beta1', { group: masters }), await allowed('v1', { groups: masters })]).toEqual([
      true,
      true,
    ]);
    expect([await allowed('v1beta1', { groups: masters }), await allowed('v1', { group: masters })]).toEqual([
      ...[false, false],
    ]);
  });

  test('an event of the old version may leave out what the new one asks for', async () => {
    const regarding = { kind: 'Pod', name: 'p', namespace: 'default' };
    const event = { metadata: { name: 'brief' }, regarding, note: 'n', deprecatedSource: { component: 'c' } };
    const events = (version: string) => pathOf('events.GROUP', version, 'namespaces/default/events');
    expect((await api.post(events('v1'), event)).status).toBe(dialect === 'cluster' ? 400 : 422);
    expect(await api.post(events('v1beta1'), event)).toMatchObject({ status: 201, body: { note: 'n' } });
    expect((await api.get('/api/v1/namespaces/default/events/brief')).body).toMatchObject({ message: 'n' });
  });

  describe('what the later version asks for', () => {
    const missing = dialect === 'cluster' ? 400 : 422;
    const workloads = ['deployments', 'daemonsets', 'replicasets', 'statefulsets'];
    const at = (plural: string, version = 'v1') => `/apis/apps/${version}/namespaces/default/${plural}`;

    test.each(workloads)('%s have a selector, which does not change', async (plural) => {
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const without = await api.post(at(plural), { metadata: { name: 'w' }, spec: { template } });
      expect(without.status).toBe(missing);
      // compat: kube-apiserver warns of daemon sets that their selector matches nothing
      const isUnmatched = plural === 'daemonsets' && dialect === 'kubernetes';
      const [reason, field] = isUnmatched
        ? ['FieldValueInvalid', 'spec.template.metadata.labels']
        : ['FieldValueRequired', 'spec.selector'];
      expect(without.body.details.causes).toContainEqual(expect.objectContaining({ reason, field }));
      expect((await api.post(at(plural), workload('w'))).status).toBe(201);
      const labels = { x: 'y' };
      const change = { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } };
      const changed = await api.patch('merge', `${at(plural)}/w`, change);
      const fixed = plural === 'statefulsets' ? 'spec' : 'spec.selector';
      expect([changed.status, changed.body.details.causes.map((cause: { field: string }) => cause.field)]).toEqual([
        ...[422, [fixed]],
      ]);
      expect(changed.body.message).toMatch(/immutable|are forbidden$/);
      // without the selector the same change is one of the template
      const { spec } = (await api.get(`${at(plural)}/w`)).body;
      expect(spec.selector).toEqual({ matchLabels: { a: 'b' } });
      const more = { spec: { template: { metadata: { labels: { more: 'x' } } } } };
      expect((await api.patch('merge', `${at(plural)}/w`, more)).status).toBe(200);
    });

    test.each(workloads)(
      '%s of an old version get their selector from the labels of their template',
      async (plural) => {
        const template = { metadata: { labels: { tier: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
        const group = plural === 'statefulsets' ? 'apps' : 'extensions';
        const manifest = { metadata: { name: 'from-labels' }, spec: { template } };
        const old = `/apis/${group}/v1beta1/namespaces/default/${plural}`;
        const created = await api.post(old, manifest);
        expect([created.status, created.body.message]).toEqual([201, undefined]);
        const { body } = await api.get(`${at(plural)}/from-labels`);
        expect(body.spec.selector).toEqual({ matchLabels: template.metadata.labels });
        const replaced = await api.put(`${old}/from-labels`, manifest);
        expect([replaced.status, replaced.body.spec?.selector]).toEqual([200, body.spec.selector]);
        expect((await api.delete(`${at(plural)}/from-labels`)).status).toBe(200);
        const selector = { matchLabels: template.metadata.labels };
        const made = await api.post(at(plural), { ...manifest, spec: { selector, template } });
        expect([made.status, made.body.spec.selector]).toEqual([201, selector]);
      },
    );

    test.each([
      ['deployments', 'v1', 'progressDeadlineSeconds', 600],
      ['deployments', 'v1', 'revisionHistoryLimit', 10],
      [
        'deployments',
        'v1',
        'strategy',
        { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      ],
      ['deployments', 'v1beta1', 'revisionHistoryLimit', 2],
      ['daemonsets', 'v1', 'updateStrategy', expect.objectContaining({ type: 'RollingUpdate' })],
      ['statefulsets', 'v1', 'updateStrategy', expect.objectContaining({ type: 'RollingUpdate' })],
      ['statefulsets', 'v1beta1', 'updateStrategy', { type: 'OnDelete' }],
      ['statefulsets', 'v1beta2', 'updateStrategy', expect.objectContaining({ type: 'RollingUpdate' })],
      ['daemonsets', 'v1beta2', 'updateStrategy', expect.objectContaining({ type: 'RollingUpdate' })],
      ['deployments', 'v1beta2', 'progressDeadlineSeconds', 600],
      ['deployments', 'v1beta2', 'revisionHistoryLimit', 10],
    ])('%s of apps/%s: %s is %j by default', async (plural, version, field, value) => {
      const { body } = await api.post(`${at(plural, version)}?dryRun=All`, workload('defaults'));
      expect(body.spec[field]).toEqual(value);
    });

    test.each([
      ['daemonsets', 'updateStrategy', { type: 'OnDelete' }],
      // no deadline, and all of them
      ['deployments', 'progressDeadlineSeconds', 2 ** 31 - 1],
      ['deployments', 'revisionHistoryLimit', 2 ** 31 - 1],
      ['deployments', 'strategy', { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }],
    ])('%s of extensions/v1beta1: %s is %j by default', async (plural, field, value) => {
      const path = `/apis/extensions/v1beta1/namespaces/default/${plural}?dryRun=All`;
      expect((await api.post(path, workload('defaults'))).body.spec[field]).toEqual(value);
    });

    test.each([
      ['deployments', 'rollbackTo', { revision: 3 }, 'rollback.to', '3'],
      ['daemonsets', 'templateGeneration', 7, 'template.generation', '7'],
    ])(
      'the fields that %s of apps/v1 no longer have come back in extensions/v1beta1',
      async (plural, field, value, annotation, text) => {
        const old = `/apis/extensions/v1beta1/namespaces/default/${plural}`;
        const made = await api.post(old, workload('lossless', { [field]: value }));
        expect([made.status, made.body.spec[field]]).toEqual([201, value]);
        const { metadata, spec } = (await api.get(`${at(plural)}/lossless`)).body;
        const name = `deprecated.${plural.slice(0, -1)}.${annotation}`;
        expect([metadata.annotations, field in spec]).toEqual([{ [name]: text }, false]);
        const labels = { metadata: { labels: { other: 'label' } } };
        const patched = await api.patch('merge', `${old}/lossless`, labels);
        expect([patched.body.spec[field], patched.body.metadata.annotations]).toEqual([value, undefined]);
        expect((await api.delete(`${at(plural)}/lossless`)).status).toBe(200);
      },
    );

    const webhooks = (version: string) =>
      pathOf('admissionregistration.GROUP', version, 'validatingwebhookconfigurations');
    const webhook = { name: 'a.example.com', clientConfig: { url: 'https://example.com' } };
    const reviewed = { sideEffects: 'None', admissionReviewVersions: ['v1'] };
    const configuration = (...all: object[]) => ({ metadata: { name: 'w' }, webhooks: all });

    test.each([
      ['v1beta1', { failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30 }, {}],
      ['v1', { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 }, reviewed],
    ])('webhooks of %s are %j by default', async (version, defaults, more) => {
      for (const type of ['validating', 'mutating']) {
        const path = pathOf('admissionregistration.GROUP', version, `${type}webhookconfigurations`);
        const { body } = await api.post(`${path}?dryRun=All`, configuration({ ...webhook, ...more }));
        expect([type, body.webhooks[0]]).toEqual([type, expect.objectContaining(defaults)]);
      }
    });

    test.each([
      ['no sideEffects', [{ ...webhook, admissionReviewVersions: ['v1'] }], missing],
      ['other sideEffects', [{ ...webhook, ...reviewed, sideEffects: 'Some' }], 422],
      ['no admissionReviewVersions', [{ ...webhook, sideEffects: 'None' }], missing],
      ['unknown admissionReviewVersions', [{ ...webhook, ...reviewed, admissionReviewVersions: ['v9'] }], 422],
      ['the older admissionReviewVersions', [{ ...webhook, ...reviewed, admissionReviewVersions: ['v1beta1'] }], 201],
      [
        'a name twice',
        [
          { ...webhook, ...reviewed },
          { ...webhook, ...reviewed },
        ],
        422,
      ],
    ])('webhooks with %s', async (_, all, status) => {
      expect((await api.post(`${webhooks('v1')}?dryRun=All`, configuration(...all))).status).toBe(status);
    });

    const schema = { openAPIV3Schema: { type: 'object' } };
    const version = { name: 'v1', served: true, storage: true, schema };
    const definition = { group: 'e.x', scope: 'Cluster', names: { plural: 'ones', kind: 'One' }, versions: [version] };
    test.each([
      ['everything', definition, 201],
      ['no scope', { ...definition, scope: undefined }, missing],
      ['no schema', { ...definition, versions: [{ ...version, schema: undefined }] }, missing],
      [
        'a schema that is not structural',
        {
          ...definition,
          versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } }],
        },
        missing,
      ],
      ['preserveUnknownFields', { ...definition, preserveUnknownFields: true }, 422],
    ])('definitions with %s', async (_, spec, status) => {
      const path = `${pathOf('apiextensions.GROUP', 'v1', 'customresourcedefinitions')}?dryRun=All`;
      expect((await api.post(path, { metadata: { name: 'ones.e.x' }, spec })).status).toBe(status);
    });

    test('ingresses say what type a path is of', async () => {
      const backend = { service: { name: 's', port: { number: 80 } } };
      const ingress = (path: object) => ({
        metadata: { name: 'i' },
        spec: { rules: [{ http: { paths: [{ path: '/', backend, ...path }] } }] },
      });
      const path = `${pathOf('networking.GROUP', 'v1', 'namespaces/default/ingresses')}?dryRun=All`;
      expect((await api.post(path, ingress({}))).status).toBe(missing);
      for (const pathType of ['Prefix', 'Exact', 'ImplementationSpecific'])
        expect((await api.post(path, ingress({ pathType }))).status).toBe(201);
      expect((await api.post(path, ingress({ pathType: 'Other' }))).status).toBe(422);
    });

    const regarding = { kind: 'Pod', namespace: 'default', name: 'p' };
    const reported = { action: 'a', reason: 'r', reportingController: 'x.y/c', reportingInstance: 'i', type: 'Normal' };
    const event = { ...reported, eventTime: '2026-01-01T00:00:00.000000Z', regarding };
    test.each([
      ['everything', {}, 201],
      ['the type Warning', { type: 'Warning' }, 201],
      ['a series', { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } }, 201],
      ['a series without its last time', { series: { count: 2 } }, missing],
      ['a series without its count', { series: { lastObservedTime: '2026-01-01T00:00:01.000000Z' } }, missing],
      ['another type', { type: 'Odd' }, 422],
      ['no action', { action: undefined }, missing],
      ['no reason', { reason: undefined }, missing],
      ['no reportingController', { reportingController: undefined }, missing],
      ['no reportingInstance', { reportingInstance: undefined }, missing],
      ['no eventTime', { eventTime: undefined }, missing],
      ['deprecatedCount', { deprecatedCount: 3 }, 422],
      ['deprecatedSource', { deprecatedSource: { component: 'c' } }, 422],
      ['deprecatedFirstTimestamp', { deprecatedFirstTimestamp: '2026-01-01T00:00:00Z' }, 422],
      ['deprecatedLastTimestamp', { deprecatedLastTimestamp: '2026-01-01T00:00:00Z' }, 422],
    ])('events with %s', async (_, change, status) => {
      const path = `${pathOf('events.GROUP', 'v1', 'namespaces/default/events')}?dryRun=All`;
      const { status: found, body } = await api.post(path, { metadata: { name: 'e' }, ...event, ...change });
      expect([found, body.message]).toEqual([status, status === 201 ? undefined : expect.any(String)]);
    });

    test('fields of old events have a deprecated prefix in v1, and new ones no prefix in the core group', async () => {
      const core = '/api/v1/namespaces/default/events';
      const v1 = pathOf('events.GROUP', 'v1', 'namespaces/default/events');
      const [first, last] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];
      const old = {
        ...{ involvedObject: regarding, message: 'm', reason: 'r', type: 'Normal', count: 3 },
        ...{ source: { component: 'c', host: 'h' }, firstTimestamp: first, lastTimestamp: last },
      };
      expect((await api.post(core, { metadata: { name: 'old' }, ...old })).status).toBe(201);
      const shown = (await api.get(`${v1}/old`)).body;
      expect(shown).toMatchObject({
        ...{ regarding, note: 'm', deprecatedCount: 3, deprecatedSource: { component: 'c', host: 'h' } },
        ...{ deprecatedFirstTimestamp: first, deprecatedLastTimestamp: last },
      });
      for (const name of ['involvedObject', 'message', 'count', 'source', 'firstTimestamp', 'lastTimestamp'])
        expect(shown).not.toHaveProperty(name);
      const series = { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' };
      expect((await api.post(v1, { metadata: { name: 'new' }, ...event, series })).status).toBe(201);
      expect((await api.get(`${core}/new`)).body).toMatchObject({
        ...{ involvedObject: regarding, eventTime: event.eventTime, series },
        ...{ reportingComponent: 'x.y/c', reportingInstance: 'i', firstTimestamp: null, lastTimestamp: null },
      });
    });

    test('an empty selector of a budget selects all pods in v1, none in v1beta1', async () => {
      const path = (version: string) => `/apis/policy/${version}/namespaces/default/poddisruptionbudgets`;
      const budget = (name: string) => ({ metadata: { name }, spec: { minAvailable: 1, selector: {} } });
      await api.post(path('v1'), budget('all'));
      await api.post(path('v1beta1'), budget('none'));
      const selector = async (version: string, name: string) =>
        (await api.get(`${path(version)}/${name}`)).body.spec.selector;
      expect([await selector('v1', 'all'), await selector('v1beta1', 'none')]).toEqual([{}, {}]);
      // one that selects none in v1 names a label that no pod has
      expect((await selector('v1', 'none')).matchExpressions).toHaveLength(1);
      expect(await selector('v1beta1', 'all')).toEqual({
        matchExpressions: [expect.objectContaining({ operator: 'DoesNotExist' })],
      });
    });
  });
});
