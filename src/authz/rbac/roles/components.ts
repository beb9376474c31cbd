// What the programs of a cluster may do: those on its nodes, the controller manager, the scheduler.

import type { PolicyRule } from '../../../meta/access.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import { read, readWrite, Words } from './words.ts';

/** Features that are off by default and need more rights. */
export interface RoleGates {
  readonly ClusterTrustBundle: boolean;
  readonly PodCertificateRequest: boolean;
}

export const usualGates: RoleGates = { ClusterTrustBundle: false, PodCertificateRequest: false };

/** What the program on a node may do; the node authorizer narrows most of it to what runs there. */
export function nodeRules(w: Words, gates: RoleGates): readonly PolicyRule[] {
  return [
    w.rule('create', 'authentication', 'tokenreviews'),
    w.rule('create', 'authorization', 'subjectaccessreviews localsubjectaccessreviews'),
    w.rule(read, 'core', 'services'),
    w.rule(`create ${read}`, 'core', 'nodes'),
    w.rule('update patch', 'core', 'nodes/status'),
    w.rule('update patch', 'core', 'nodes'),
    w.events,
    w.rule(read, 'core', 'pods'),
    w.rule('create delete', 'core', 'pods'),
    w.rule('update patch', 'core', 'pods/status'),
    w.rule('create', 'core', 'pods/eviction'),
    w.rule(read, 'core', 'secrets configmaps'),
    w.rule('get', 'core', 'persistentvolumeclaims persistentvolumes'),
    w.rule('get', 'core', 'endpoints'),
    w.rule(`create ${read}`, 'certificates', 'certificatesigningrequests'),
    w.rule('get create update patch delete', 'coordination', 'leases'),
    w.rule('get', 'storage', 'volumeattachments'),
    w.rule('create', 'core', 'serviceaccounts/token'),
    w.rule('get update patch', 'core', 'persistentvolumeclaims/status'),
    w.rule(read, 'storage', 'csidrivers'),
    w.rule('get create update patch delete', 'storage', 'csinodes'),
    w.rule(read, 'node', 'runtimeclasses'),
    w.rule('get', 'resource', 'resourceclaims'),
    w.rule('deletecollection', 'resource', 'resourceslices'),
    ...(gates.ClusterTrustBundle ? [w.rule(read, 'certificates', 'clustertrustbundles')] : []),
    w.rule('get', 'core', 'serviceaccounts'),
    ...(gates.PodCertificateRequest ? [w.rule(`create ${read}`, 'certificates', 'podcertificaterequests')] : []),
  ];
}

/** Rules of nodes, for callers that have a dialect only. */
export const rulesOfNodes = (dialect: Dialect, gates: RoleGates) => nodeRules(new Words(dialect), gates);

export function controllerManagerRules(w: Words): readonly PolicyRule[] {
  return [
    w.events,
    w.rule('create', 'coordination', 'leases'),
    w.rule('get update', 'coordination', 'leases', w.component('controller-manager')),
    w.rule('create', 'core', 'secrets serviceaccounts'),
    w.rule('delete', 'core', 'secrets'),
    w.rule('get', 'core', 'namespaces secrets serviceaccounts configmaps'),
    w.rule('update', 'core', 'secrets serviceaccounts'),
    w.rule('create', 'authentication', 'tokenreviews'),
    w.rule('create', 'authorization', 'subjectaccessreviews'),
    w.rule('list watch', '*', '*'),
    w.rule('create', 'core', 'serviceaccounts/token'),
  ];
}

export function schedulerRules(w: Words): readonly PolicyRule[] {
  return [
    w.events,
    w.rule('create', 'coordination', 'leases'),
    w.rule(`${read} update`, 'coordination', 'leases', w.component('scheduler')),
    w.rule(readWrite, 'coordination', 'leasecandidates'),
    w.rule(read, 'core', 'nodes'),
    w.rule(`${read} delete`, 'core', 'pods'),
    w.rule('create', 'core', 'pods/binding bindings'),
    w.rule('update patch', 'core', 'pods/status'),
    w.rule(read, 'core', 'services replicationcontrollers'),
    w.rule(read, 'apps extensions', 'replicasets'),
    w.rule(read, 'apps', 'statefulsets'),
    w.rule(read, 'policy', 'poddisruptionbudgets'),
    w.rule(read, 'core', 'persistentvolumeclaims persistentvolumes'),
    w.rule('create', 'authentication', 'tokenreviews'),
    w.rule('create', 'authorization', 'subjectaccessreviews'),
    w.rule(read, 'storage', 'csinodes'),
    w.rule(read, 'storage', 'volumeattachments'),
    w.rule(read, 'core', 'namespaces'),
    w.rule(read, 'storage', 'csidrivers'),
    w.rule(read, 'storage', 'csistoragecapacities'),
    w.rule(read, 'resource', 'deviceclasses'),
    w.rule(`${read} update patch`, 'resource', 'resourceclaims'),
    w.rule(`${read} update patch`, 'resource', 'resourceclaims/status'),
    w.rule('update', 'core', 'pods/finalizers'),
    w.rule(read, 'resource', 'resourceslices'),
    w.rule('create delete', 'resource', 'resourceclaims'),
    w.rule('update patch', 'resource', 'resourceclaims/binding'),
  ];
}
