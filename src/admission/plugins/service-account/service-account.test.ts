// Pods and the account they run as.

import { expect, test } from 'vitest';
import { cluster, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import { lookupOf, requestFor } from '../../testing.ts';
import { serviceAccount } from './service-account.ts';

const definition = { group: '', plural: 'pods' } as ResourceDefinition;
const account = (name: string, more: object = {}, annotations?: Record<string, string>): ApiObject => ({
  ...{
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name, namespace: 'n', ...(annotations && { annotations }) },
  },
  ...more,
});
const strict = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
const plugin = serviceAccount({
  dialect: kubernetes,
  objects: lookupOf({
    serviceaccounts: [
      account('default'),
      account('quiet', { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'registry' }] }),
      account('strict', { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'registry' }] }, strict),
    ],
  }),
});

interface Shown {
  readonly spec: {
    readonly serviceAccountName?: string;
    readonly volumes?: readonly { name: string; projected?: object }[];
    readonly initContainers?: readonly { volumeMounts?: readonly object[] }[];
    readonly containers: readonly { volumeMounts?: readonly object[] }[];
    readonly imagePullSecrets?: readonly object[];
  };
}

const pod = (spec: object = {}, annotations?: Record<string, string>): ApiObject => ({
  ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', namespace: 'n', ...(annotations && { annotations }) } },
  spec: { containers: [{ name: 'c' }], ...spec },
});
const admitted = async (object: ApiObject) =>
  (await plugin.mutate?.(requestFor({ definition, object }))) as unknown as Shown;

test('every container gets the token, in one volume', async () => {
  const { spec } = await admitted(pod({ initContainers: [{ name: 'i' }], containers: [{ name: 'a' }, { name: 'b' }] }));
  const [volume] = spec.volumes ?? [];
  expect(volume?.name).toMatch(/^kube-api-access-.{5}$/);
  const mount = {
    name: volume?.name,
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  expect(spec.initContainers?.[0]?.volumeMounts).toEqual([mount]);
  expect(spec.containers.map(({ volumeMounts }) => volumeMounts)).toEqual([[mount], [mount]]);
  expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
});

test('a volume for the token that is there already is used', async () => {
  const { spec } = await admitted(pod({ volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }] }));
  expect(spec.volumes).toHaveLength(1);
  expect(spec.containers[0]?.volumeMounts).toMatchObject([{ name: 'kube-api-access-mine' }]);
});

test('what the pod says about mounting counts more than what the account says', async () => {
  expect((await admitted(pod({ serviceAccountName: 'quiet' }))).spec.volumes).toBeUndefined();
  const insisting = pod({ serviceAccountName: 'quiet', automountServiceAccountToken: true });
  expect((await admitted(insisting)).spec.volumes).toHaveLength(1);
  const declining = (await admitted(pod({ automountServiceAccountToken: false }))).spec;
  expect([declining.volumes, declining.containers[0]?.volumeMounts]).toEqual([undefined, undefined]);
});

test('secrets to pull images with come from the account, where the pod has none', async () => {
  expect((await admitted(pod({ serviceAccountName: 'quiet' }))).spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
  const own = pod({ serviceAccountName: 'quiet', imagePullSecrets: [{ name: 'own' }] });
  expect((await admitted(own)).spec.imagePullSecrets).toEqual([{ name: 'own' }]);
});

test('an account that is not there is an error in the known words', async () => {
  await expect(admitted(pod({ serviceAccountName: 'none' }))).rejects.toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: error looking up service account n/none: serviceaccount "none" not found',
  });
});

const fromSecret = (name: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }];
const allFrom = (name: string) => [{ secretRef: { name } }];

test.each([
  [{ volumes: [{ name: 'v', secret: { secretName: 'theirs' } }] }, 'volume with secret.secretName="theirs" is not'],
  [{ initContainers: [{ name: 'i', env: fromSecret('theirs') }] }, 'init container i with envVar E referencing'],
  [{ containers: [{ name: 'c', envFrom: allFrom('theirs') }] }, 'container c with envFrom referencing'],
  [{ imagePullSecrets: [{ name: 'theirs' }] }, 'imagePullSecrets[0].name="theirs" is not allowed'],
])('an account that limits its pods to its secrets does so: %j', async (spec, why) => {
  await expect(admitted(pod({ serviceAccountName: 'strict', ...spec }))).rejects.toThrow(why);
});

const projecting = (...names: string[]) => ({
  serviceAccountName: 'strict',
  volumes: [{ name: 'v', projected: { sources: names.map((name) => ({ secret: { name } })) } }],
});

test('secrets in projected volumes are not limited in the dialect of Kubernetes', async () => {
  await expect(admitted(pod(projecting('mine', 'theirs')))).resolves.toBeDefined();
});

test('secrets in projected volumes are limited in the dialect of the specification', async () => {
  const marked = { 'cluster.local/enforce-mountable-secrets': 'true' };
  const objects = lookupOf({ serviceaccounts: [account('strict', { secrets: [{ name: 'mine' }] }, marked)] });
  const { mutate } = serviceAccount({ dialect: cluster(), objects });
  const asked = async (...names: string[]) => mutate?.(requestFor({ definition, object: pod(projecting(...names)) }));
  await expect(asked('mine')).resolves.toBeDefined();
  await expect(asked('mine', 'theirs')).rejects.toMatchObject({
    code: 403,
    message:
      'pods "p" is forbidden: volume with projected secret.name="theirs" is not allowed because service account strict does not reference that secret',
  });
});

test('what such an account lists may be used, by ephemeral containers too', async () => {
  const spec = { serviceAccountName: 'strict', containers: [{ name: 'c', env: fromSecret('mine') }] };
  await expect(admitted(pod(spec))).resolves.toBeDefined();
  const debugging = (secret: string) =>
    requestFor({
      ...{ definition, operation: 'UPDATE', subresource: 'ephemeralcontainers' },
      object: pod({ ...spec, ephemeralContainers: [{ name: 'e', envFrom: allFrom(secret) }] }),
    });
  expect(() => plugin.validate?.(debugging('mine'))).not.toThrow();
  expect(() => plugin.validate?.(debugging('theirs'))).toThrow('ephemeral container e with envFrom referencing');
});

test.each([
  [{ serviceAccountName: 'default' }, 'a mirror pod may not reference service accounts'],
  [{ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, 'a mirror pod may not reference secrets'],
  [
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
])('a mirror pod has no account’s rights: %j', (spec, why) => {
  const object = pod(spec, { 'kubernetes.io/config.mirror': 'x' });
  expect(() => plugin.mutate?.(requestFor({ definition, object }))).toThrow(why);
});

test('a mirror pod is left as it is', () => {
  const object = pod({}, { 'kubernetes.io/config.mirror': 'x' });
  expect(plugin.mutate?.(requestFor({ definition, object }))).toBe(object);
});
