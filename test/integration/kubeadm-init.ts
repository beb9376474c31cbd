// What `kubeadm init` leaves behind for those who join, written as it writes it: subjects without their API group.

import { expect } from 'vitest';
import type { Api } from './api.ts';

export const [tokenId, tokenSecret] = ['abcdef', '0123456789abcdef'];
const joiners = 'system:bootstrappers:kubeadm:default-node-token';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const inSystem = '/api/v1/namespaces/kube-system';
const group = (name: string) => ({ kind: 'Group', name });

async function make(api: Api, path: string, object: object): Promise<void> {
  const { status, body } = await api.post(path, object);
  expect([status, body.message]).toEqual([201, undefined]);
}

const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

async function letRead(api: Api, at: string, role: string, name: string, subjects: readonly object[]): Promise<void> {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get'] }];
  const inNamespace = `${rbac}/namespaces/${at}`;
  await make(api, `${inNamespace}/roles`, { metadata: { name: role }, rules });
  await make(api, `${inNamespace}/rolebindings`, {
    metadata: { name: role },
    roleRef: roleRef('Role', role),
    subjects,
  });
}

const bind = (api: Api, name: string, role: string, subject: object) =>
  make(api, `${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: roleRef('ClusterRole', role),
    subjects: [subject],
  });

/** The last one is not read with the right of a joining node before the proxy is there. */
const configurations = [
  ['kubeadm-config', 'ClusterConfiguration', 'kubeadm:nodes-kubeadm-config'],
  ['kubelet-config', 'kubelet', 'kubeadm:kubelet-config'],
  ['kube-proxy', 'config.conf', 'kube-proxy'],
] as const;

export async function kubeadmInit(api: Api): Promise<void> {
  const known = [group('system:nodes'), group(joiners)];
  const anonymous = { kind: 'User', name: 'system:anonymous' };
  await letRead(api, 'kube-public', 'kubeadm:bootstrap-signer-clusterinfo', 'cluster-info', [anonymous]);
  for (const [name, key, role] of configurations) {
    await make(api, `${inSystem}/configmaps`, { metadata: { name }, data: { [key]: 'kind: Configuration' } });
    await letRead(api, 'kube-system', role, name, role === 'kube-proxy' ? [group(joiners)] : known);
  }
  const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }];
  await make(api, `${rbac}/clusterroles`, { metadata: { name: 'kubeadm:get-nodes' }, rules });
  await bind(api, 'kubeadm:get-nodes', 'kubeadm:get-nodes', group(joiners));
  await bind(api, 'kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', group(joiners));
  const approval = 'system:certificates.k8s.io:certificatesigningrequests';
  await bind(api, 'kubeadm:node-autoapprove-bootstrap', `${approval}:nodeclient`, group(joiners));
  await bind(api, 'kubeadm:node-autoapprove-certificate-rotation', `${approval}:selfnodeclient`, group('system:nodes'));
  await make(api, `${inSystem}/secrets`, {
    metadata: { name: `bootstrap-token-${tokenId}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': tokenId,
      'token-secret': tokenSecret,
      'usage-bootstrap-signing': 'true',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': joiners,
    },
  });
}
