// Pods under policies: what each field of a policy fills in, and what it refuses.

import { describe, expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { UserInfo } from '../../../meta/user.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { lookupOf, requestFor } from '../../testing.ts';
import { podSecurityPolicy } from './pod-security-policy.ts';

const pods = { group: '', plural: 'pods', version: 'v1', namespaced: true } as ResourceDefinition;
const any = { rule: 'RunAsAny' };
const open = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any, volumes: ['*'] };

const policy = (name: string, spec: object = {}, annotations: object = {}): ApiObject => ({
  ...{ kind: 'PodSecurityPolicy', apiVersion: 'policy/v1beta1' },
  metadata: { name, annotations: { ...annotations } },
  spec: { ...open, allowPrivilegeEscalation: true, ...spec },
});
const pod = (spec: object = {}, container: object = {}, annotations?: object): ApiObject => ({
  ...{ kind: 'Pod', apiVersion: 'v1' },
  metadata: { name: 'p', namespace: 'n', ...(annotations ? { annotations } : {}) } as ApiObject['metadata'],
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
});

type Rights = (user: UserInfo, policy: string, group: string) => boolean;

function plugin(policies: readonly ApiObject[], may: Rights = () => true, dialect: Dialect = kubernetes) {
  const decide = ({ user, name, group, verb, resource, namespace }: Record<string, unknown>) => {
    expect([verb, resource, namespace]).toEqual(['use', 'podsecuritypolicies', 'n']);
    return { kind: may(user as UserInfo, name as string, group as string) ? 'allow' : 'noOpinion' };
  };
  return podSecurityPolicy({
    dialect,
    objects: lookupOf({ podsecuritypolicies: policies }),
    access: { decide } as never,
    resourceOf: () => pods,
    webhooks: { notice: () => {} } as never,
  });
}

const asked = (object: ApiObject, parts: Partial<AdmissionRequest> = {}) =>
  requestFor({ definition: pods, object, namespace: 'n', ...parts });

/** The pod after one policy, or why it is refused. */
async function under(given: ApiObject, object: ApiObject): Promise<ApiObject | string> {
  const made = plugin([given]);
  try {
    return (await made.mutate?.(asked(object))) as ApiObject;
  } catch (error) {
    return (error as Error).message.replace('pods "p" is forbidden: PodSecurityPolicy: unable to admit pod: ', '');
  }
}

describe('a policy refuses', () => {
  const at = 'spec.containers[0].securityContext';
  const key = 'pod.metadata.annotations';
  const range = { rule: 'MustRunAs', ranges: [{ min: 5, max: 9 }] };
  const secure = (securityContext: object) => pod({}, { securityContext });
  const seccomp = { 'seccomp.security.alpha.kubernetes.io/allowedProfileNames': 'docker/default,localhost/a' };
  const appArmor = { 'apparmor.security.beta.kubernetes.io/allowedProfileNames': 'runtime/default' };
  const label = { rule: 'MustRunAs', seLinuxOptions: { level: 's0:c1,c2', type: 't' } };

  test.each<[string, object, ApiObject, string, object?]>([
    [
      'privileged',
      {},
      secure({ privileged: true }),
      `${at}.privileged: Invalid value: true: Privileged containers are not allowed`,
    ],
    [
      'hostNetwork',
      {},
      pod({ hostNetwork: true }),
      'spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used',
    ],
    [
      'hostPID',
      {},
      pod({ hostPID: true }),
      'spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used',
    ],
    [
      'hostIPC',
      {},
      pod({ hostIPC: true }),
      'spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used',
    ],
    [
      'ports',
      {
        hostPorts: [
          { min: 1, max: 1 },
          { min: 5, max: 9 },
        ],
      },
      pod({}, { ports: [{ hostPort: 80 }] }),
      'spec.containers[0].hostPort: Invalid value: 80: Host port 80 is not allowed to be used. Allowed ports: [1,5-9]',
    ],
    [
      'volumes',
      { volumes: ['secret'] },
      pod({ volumes: [{ name: 'v', cephfs: {} }] }),
      'spec.volumes[0]: Invalid value: "cephFS": cephFS volumes are not allowed to be used',
    ],
    [
      'host paths',
      { allowedHostPaths: [{ pathPrefix: '/foo' }] },
      pod({ volumes: [{ name: 'v', hostPath: { path: '/food' } }] }),
      'spec.volumes[0].hostPath.pathPrefix: Invalid value: "/food": is not allowed to be used',
    ],
    [
      'host paths that are written',
      { allowedHostPaths: [{ pathPrefix: '/foo/', readOnly: true }] },
      pod({ volumes: [{ name: 'v', hostPath: { path: '/foo/bar' } }] }, { volumeMounts: [{ name: 'v' }] }),
      'spec.containers[0].volumeMounts[0].readOnly: Invalid value: false: must be read-only',
    ],
    [
      'flex volumes',
      { allowedFlexVolumes: [{ driver: 'a' }] },
      pod({ volumes: [{ name: 'v', flexVolume: { driver: 'b' } }] }),
      'spec.volumes[0].driver: Invalid value: "b": Flexvolume driver is not allowed to be used',
    ],
    [
      'CSI drivers',
      { allowedCSIDrivers: [{ name: 'a' }] },
      pod({ volumes: [{ name: 'v', csi: { driver: 'b' } }] }),
      'spec.volumes[0].csi.driver: Invalid value: "b": Inline CSI driver is not allowed to be used',
    ],
    [
      'groups of volumes',
      { fsGroup: range },
      pod({ securityContext: { fsGroup: 1 } }),
      'spec.securityContext.fsGroup: Invalid value: [1]: group 1 must be in the ranges: [{5 9}]',
    ],
    [
      'further groups',
      { supplementalGroups: { ...range, rule: 'MayRunAs' } },
      pod({ securityContext: { supplementalGroups: [6, 10] } }),
      'spec.securityContext.supplementalGroups: Invalid value: [6,10]: group 10 must be in the ranges: [{5 9}]',
    ],
    [
      'no further group',
      { supplementalGroups: range },
      pod({ securityContext: { supplementalGroups: [] } }),
      'spec.securityContext.supplementalGroups: Invalid value: []: unable to validate empty groups against required ranges',
    ],
    [
      'users',
      { runAsUser: range },
      secure({ runAsUser: 1 }),
      `${at}.runAsUser: Invalid value: 1: must be in the ranges: [{5 9}]`,
    ],
    [
      'root',
      { runAsUser: { rule: 'MustRunAsNonRoot' } },
      secure({ runAsUser: 0 }),
      `${at}.runAsUser: Invalid value: 0: running with the root UID is forbidden`,
    ],
    [
      'maybe root',
      { runAsUser: { rule: 'MustRunAsNonRoot' } },
      secure({ runAsNonRoot: false }),
      `${at}.runAsNonRoot: Invalid value: false: must be true`,
    ],
    [
      'groups',
      { runAsGroup: range },
      secure({ runAsGroup: 1 }),
      `${at}: Invalid value: [1]: group 1 must be in the ranges: [{5 9}]`,
    ],
    [
      'SELinux labels',
      { seLinux: label },
      pod({ securityContext: { seLinuxOptions: { level: 's0:c2,c1', type: 'x' } } }),
      'spec.securityContext.seLinuxOptions.type: Invalid value: "x": must be t',
    ],
    [
      'root file systems',
      { readOnlyRootFilesystem: true },
      secure({ readOnlyRootFilesystem: false }),
      `${at}.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true`,
    ],
    [
      'escalation',
      { allowPrivilegeEscalation: false },
      secure({ allowPrivilegeEscalation: true }),
      `${at}.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed`,
    ],
    [
      'capabilities',
      { allowedCapabilities: ['A'] },
      secure({ capabilities: { add: ['A', 'B'] } }),
      `${at}.capabilities.add: Invalid value: "B": capability may not be added`,
    ],
    [
      'mounts of /proc',
      {},
      secure({ procMount: 'Unmasked' }),
      `${at}.procMount: Invalid value: "Unmasked": ProcMountType is not allowed`,
    ],
    [
      'sysctls',
      { forbiddenSysctls: ['net.*'] },
      pod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies' }] } }),
      'pod.spec.securityContext.sysctls[0]: Forbidden: sysctl "net.ipv4.tcp_syncookies" is not allowed',
    ],
    [
      'unsafe sysctls',
      { allowedUnsafeSysctls: ['kernel.*'] },
      pod({ securityContext: { sysctls: [{ name: 'kernel.msg' }, { name: 'vm.x' }] } }),
      'pod.spec.securityContext.sysctls[1]: Forbidden: unsafe sysctl "vm.x" is not allowed',
    ],
    [
      'runtime classes',
      { runtimeClass: { allowedRuntimeClassNames: ['a'] } },
      pod({ runtimeClassName: 'b' }),
      'spec.runtimeClassName: Invalid value: "b"',
    ],
    [
      'seccomp profiles',
      {},
      pod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
      `${key}[seccomp.security.alpha.kubernetes.io/pod]: Forbidden: unconfined is not an allowed seccomp profile. Valid values are docker/default,localhost/a`,
      seccomp,
    ],
    [
      'any seccomp profile',
      {},
      secure({ seccompProfile: { type: 'RuntimeDefault' } }),
      `${key}[container.seccomp.security.alpha.kubernetes.io/c]: Forbidden: seccomp may not be set`,
    ],
    [
      'AppArmor profiles',
      {},
      secure({ appArmorProfile: { type: 'Unconfined' } }),
      `${key}[container.apparmor.security.beta.kubernetes.io/c]: Forbidden: unconfined is not an allowed profile. Allowed values: "runtime/default"`,
      appArmor,
    ],
    [
      'no AppArmor profile',
      {},
      pod(),
      `${key}[container.apparmor.security.beta.kubernetes.io/c]: Forbidden: AppArmor profile must be set`,
      appArmor,
    ],
  ])('%s', async (_, spec, object, why, annotations = {}) => {
    expect(await under(policy('a', spec, annotations), object)).toContain(why);
  });

  test('only what it names: all of this is allowed', async () => {
    const spec = {
      ...{ privileged: true, hostNetwork: true, hostPID: true, hostIPC: true, hostPorts: [{ min: 80, max: 80 }] },
      allowedCapabilities: ['*'],
      allowedProcMountTypes: ['Unmasked'],
      runtimeClass: { allowedRuntimeClassNames: ['*'] },
      allowedUnsafeSysctls: ['*'],
    };
    const container = {
      securityContext: { privileged: true, capabilities: { add: ['X'] }, procMount: 'Unmasked' },
      ports: [{ hostPort: 80 }],
    };
    const host = { hostNetwork: true, hostPID: true, hostIPC: true, runtimeClassName: 'x' };
    const context = { seccompProfile: { type: 'Localhost', localhostProfile: 'a' }, sysctls: [{ name: 'vm.x' }] };
    const profiles = { 'seccomp.security.alpha.kubernetes.io/allowedProfileNames': '*' };
    const object = pod({ ...host, securityContext: context }, container);
    expect(await under(policy('a', spec, profiles), object)).toMatchObject({ spec: object['spec'] as object });
  });

  test('no token of the account where secrets are allowed', async () => {
    const sources = [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
      { configMap: { name: 'kube-root-ca.crt' } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ];
    const object = (more: object[] = []) =>
      pod({ volumes: [{ name: 'v', projected: { sources: [...sources, ...more] } }] });
    expect(await under(policy('a', { volumes: ['secret'] }), object())).toHaveProperty('spec');
    expect(await under(policy('a', { volumes: ['secret'] }), object([{ secret: { name: 's' } }]))).toContain(
      'projected volumes are not allowed to be used',
    );
  });
});

describe('a policy fills in', () => {
  const range = { rule: 'MustRunAs', ranges: [{ min: 5, max: 9 }] };
  test.each<[string, object, ApiObject, object, object?]>([
    ['users', { runAsUser: range }, pod(), { containers: [{ securityContext: { runAsUser: 5 } }] }],
    ['groups', { runAsGroup: range }, pod(), { containers: [{ securityContext: { runAsGroup: 5 } }] }],
    [
      'groups of the pod',
      { fsGroup: range, supplementalGroups: range },
      pod(),
      { securityContext: { fsGroup: 5, supplementalGroups: [5] } },
    ],
    [
      'no root',
      { runAsUser: { rule: 'MustRunAsNonRoot' } },
      pod(),
      { containers: [{ securityContext: { runAsNonRoot: true } }] },
    ],
    [
      'labels, once for the pod',
      { seLinux: { rule: 'MustRunAs', seLinuxOptions: { type: 't' } } },
      pod(),
      { securityContext: { seLinuxOptions: { type: 't' } }, containers: [{ name: 'c', image: 'i' }] },
    ],
    [
      'capabilities',
      { defaultAddCapabilities: ['B', 'A'], requiredDropCapabilities: ['Z'] },
      pod({}, { securityContext: { capabilities: { drop: ['B', 'Y'] } } }),
      { containers: [{ securityContext: { capabilities: { add: ['A'], drop: ['B', 'Y', 'Z'] } } }] },
    ],
    [
      'root file systems',
      { readOnlyRootFilesystem: true },
      pod(),
      { containers: [{ securityContext: { readOnlyRootFilesystem: true } }] },
    ],
    [
      'no escalation',
      { allowPrivilegeEscalation: false },
      pod(),
      { containers: [{ securityContext: { allowPrivilegeEscalation: false } }] },
    ],
    [
      'escalation',
      { defaultAllowPrivilegeEscalation: true },
      pod(),
      { containers: [{ securityContext: { allowPrivilegeEscalation: true } }] },
    ],
    [
      'runtime classes',
      { runtimeClass: { allowedRuntimeClassNames: ['a'], defaultRuntimeClassName: 'a' } },
      pod(),
      { runtimeClassName: 'a' },
    ],
    [
      'seccomp profiles',
      {},
      pod(),
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      {
        'seccomp.security.alpha.kubernetes.io/defaultProfileName': 'runtime/default',
        'seccomp.security.alpha.kubernetes.io/allowedProfileNames': '*',
      },
    ],
    [
      'init containers',
      { runAsUser: range },
      pod({ initContainers: [{ name: 'i' }] }),
      { initContainers: [{ securityContext: { runAsUser: 5 } }] },
    ],
  ])('%s', async (_, spec, object, filled, annotations = {}) => {
    expect(await under(policy('a', spec, annotations), object)).toMatchObject({ spec: filled });
  });

  test('AppArmor profiles, by annotation, unless a field names one', async () => {
    const annotations = { 'apparmor.security.beta.kubernetes.io/defaultProfileName': 'runtime/default' };
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    expect(await under(policy('a', {}, annotations), pod())).toHaveProperty(['metadata', 'annotations', key]);
    const named = pod({}, { securityContext: { appArmorProfile: { type: 'Unconfined' } } });
    expect(await under(policy('a', {}, annotations), named)).not.toHaveProperty(['metadata', 'annotations', key]);
  });

  test('the field for a profile that only an annotation names, as nodes look at the field', async () => {
    const allowed = { 'seccomp.security.alpha.kubernetes.io/allowedProfileNames': 'runtime/default' };
    const annotated = pod({}, {}, { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' });
    expect(await under(policy('a', {}, allowed), annotated)).toMatchObject({
      spec: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
    });
  });

  test('nothing where the pod says it, for itself or for the container', async () => {
    const object = pod({ securityContext: { runAsUser: 7 } });
    expect(await under(policy('a', { runAsUser: range }), object)).toMatchObject({ spec: object['spec'] as object });
  });
});

describe('of several policies', () => {
  const changing = policy('a', { readOnlyRootFilesystem: true });
  const also = policy('b', { allowPrivilegeEscalation: false });
  const plain = policy('c');
  const used = async (policies: readonly ApiObject[], may?: Rights) => {
    const asking = asked(pod({ serviceAccountName: 'robot' }));
    const object = (await plugin(policies, may).mutate?.(asking)) as ApiObject;
    return [object.metadata.annotations?.['kubernetes.io/psp'], asking.annotations];
  };

  test('one that changes nothing is used first, then the first by name', async () => {
    const noted = (name: string) => [name, { 'podsecuritypolicy.policy.k8s.io/admit-policy': name }];
    expect(await used([plain, also, changing])).toEqual(noted('c'));
    expect(await used([also, changing])).toEqual(noted('a'));
  });

  test('only those that the author or the account may use, in either group', async () => {
    expect((await used([plain, also], (_, name, group) => name === 'b' && group === 'extensions'))[0]).toBe('b');
    const account: Rights = ({ name, groups }) =>
      name === 'system:serviceaccount:n:robot' && groups.includes('system:serviceaccounts:n');
    expect((await used([plain], account))[0]).toBe('c');
    expect((await used([plain], ({ name }) => name === 'author'))[0]).toBe('c');
    await expect(used([plain], () => false)).rejects.toThrow('PodSecurityPolicy: unable to admit pod: []');
  });

  test('errors of others are not told', async () => {
    const policies = [policy('secret', { hostIPC: false }), policy('mine', { hostIPC: false, volumes: [] })];
    const made = plugin(policies, (_, name) => name === 'mine');
    const object = pod({ hostIPC: true, volumes: [{ name: 'v', emptyDir: {} }] });
    await expect(made.mutate?.(asked(object))).rejects.toThrow(
      'unable to admit pod: [spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used spec.volumes[0]: Invalid value: "emptyDir": emptyDir volumes are not allowed to be used]',
    );
  });

  test('without any, no pod is let in', async () => {
    await expect(plugin([]).mutate?.(asked(pod()))).rejects.toThrow(
      'PodSecurityPolicy: no providers available to validate pod request',
    );
  });
});

describe('a pod that is looked at', () => {
  const strict = policy('a', { readOnlyRootFilesystem: true });

  test('must fit a policy as it is', async () => {
    const made = plugin([strict]);
    await expect(made.validate?.(asked(pod()))).rejects.toThrow('unable to validate pod: []');
    const asking = asked(pod({}, { securityContext: { readOnlyRootFilesystem: true } }));
    await made.validate?.(asking);
    expect(asking.annotations).toEqual({ 'podsecuritypolicy.policy.k8s.io/validate-policy': 'a' });
  });

  test('is held first to the policy that let it in', async () => {
    const made = plugin([policy('a'), policy('b')]);
    const asking = asked(pod({}, {}, { 'kubernetes.io/psp': 'b' }));
    await made.validate?.(asking);
    expect(Object.values(asking.annotations)).toEqual(['b']);
  });

  test('is not changed on update, and may lose owners and finalizers', async () => {
    const made = plugin([strict]);
    const old = { ...pod(), metadata: { name: 'p', namespace: 'n', finalizers: ['x/y'], resourceVersion: '1' } };
    const update = (object: ApiObject) => asked(object, { operation: 'UPDATE', oldObject: old });
    expect(await made.mutate?.(update(old))).toBe(old);
    await made.validate?.(update({ ...old, metadata: { name: 'p', namespace: 'n', resourceVersion: '1' } }));
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } };
    await expect(made.validate?.(update(labelled))).rejects.toThrow('unable to validate pod');
  });
});

test('names are those of the dialect', async () => {
  const made = plugin([policy('a')], () => true, cluster({ apiDomain: 'api.x', labelDomain: 'x' }));
  const asking = asked(pod());
  expect(await made.mutate?.(asking)).toHaveProperty(['metadata', 'annotations', 'x/psp'], 'a');
  expect(asking.annotations).toEqual({ 'podsecuritypolicy.policy.api.x/admit-policy': 'a' });
});
