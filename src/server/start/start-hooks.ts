// What runs once after the server has started, under the names of kube-apiserver's checks of health, in its order; each
// is done with one step of the start.

import { type DialectNames, inOwnWords } from '../../meta/dialect.ts';

export type StartStep =
  | 'admission'
  | 'identity'
  | 'store'
  | 'namespaces'
  | 'objects'
  | 'roles'
  | 'flowControl'
  | 'services'
  | 'customResources'
  | 'aggregation'
  | 'background';

export type StartHook = readonly [check: string, step: StartStep];

const hooks: readonly StartHook[] = [
  ['poststarthook/start-apiserver-admission-initializer', 'admission'],
  ['poststarthook/generic-apiserver-start-informers', 'identity'],
  // clients look for these by name; what their steps prepare takes the place of their subjects
  ['poststarthook/priority-and-fairness-config-consumer', 'flowControl'],
  ['poststarthook/priority-and-fairness-filter', 'identity'],
  ['poststarthook/storage-object-count-tracker-hook', 'store'],
  ['poststarthook/start-apiextensions-informers', 'customResources'],
  ['poststarthook/start-apiextensions-controllers', 'background'],
  ['poststarthook/crd-informer-synced', 'customResources'],
  ['poststarthook/start-system-namespaces-controller', 'namespaces'],
  ['poststarthook/peer-endpoint-reconciler-controller', 'background'],
  ['poststarthook/start-cluster-authentication-info-controller', 'background'],
  ['poststarthook/start-kube-apiserver-identity-lease-controller', 'background'],
  ['poststarthook/start-kube-apiserver-identity-lease-garbage-collector', 'background'],
  ['poststarthook/storage-readiness', 'store'],
  ['poststarthook/start-legacy-token-tracking-controller', 'background'],
  ['poststarthook/start-service-ip-repair-controllers', 'services'],
  ['poststarthook/rbac/bootstrap-roles', 'roles'],
  ['poststarthook/scheduling/bootstrap-system-priority-classes', 'objects'],
  ['poststarthook/priority-and-fairness-config-producer', 'objects'],
  ['poststarthook/bootstrap-controller', 'services'],
  ['poststarthook/start-kubernetes-service-cidr-controller', 'services'],
  ['poststarthook/aggregator-reload-proxy-client-cert', 'aggregation'],
  ['poststarthook/start-kube-aggregator-informers', 'aggregation'],
  ['poststarthook/apiservice-status-local-available-controller', 'background'],
  ['poststarthook/apiservice-status-remote-available-controller', 'background'],
  ['poststarthook/apiservice-registration-controller', 'aggregation'],
  ['poststarthook/apiservice-discovery-controller', 'aggregation'],
  ['poststarthook/kube-apiserver-autoregistration', 'background'],
  ['autoregister-completion', 'background'],
  ['poststarthook/apiservice-openapi-controller', 'aggregation'],
  ['poststarthook/apiservice-openapiv3-controller', 'aggregation'],
];

/** Checks by the step that they wait for, in the words of the dialect. */
export const startHooks = (dialect: DialectNames): readonly StartHook[] =>
  hooks.map(([check, step]) => [inOwnWords(dialect, check), step]);

/** Stands before the others where the encryption configuration is followed, which it is from the moment it was read. */
export const followingHook = 'poststarthook/start-encryption-provider-config-automatic-reload';

/** Done when an extension server has the CAs of its cluster. */
export const trustHook = 'poststarthook/cluster-authentication';
