// The rights of people in a namespace: administer it, change its objects, read them.

import type { PolicyRule } from '../../../meta/access.ts';
import { read, readWrite, type Words, write } from './words.ts';

export function adminRules(w: Words): readonly PolicyRule[] {
  return [
    w.rule('create', 'authorization', 'localsubjectaccessreviews'),
    w.rule(readWrite, 'rbac.authorization', 'roles rolebindings'),
  ];
}

export function editRules(w: Words): readonly PolicyRule[] {
  const reach = 'pods/attach pods/proxy pods/exec pods/portforward';
  return [
    w.rule(read, 'core', `${reach} secrets services/proxy`),
    w.rule('impersonate', 'core', 'serviceaccounts'),
    w.rule(write, 'core', `pods ${reach}`),
    w.rule('create', 'core', 'pods/eviction'),
    w.rule(
      write,
      'core',
      'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets',
    ),
    w.rule('create', 'core', 'serviceaccounts/token'),
    w.rule(write, 'core events', 'events'),
    w.rule(
      write,
      'apps',
      'statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback replicasets replicasets/scale',
    ),
    w.rule(write, 'autoscaling', 'horizontalpodautoscalers'),
    w.rule(write, 'batch', 'jobs cronjobs'),
    w.rule(
      write,
      'extensions',
      'daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale replicationcontrollers/scale networkpolicies',
    ),
    w.rule(write, 'policy', 'poddisruptionbudgets'),
    w.rule(write, 'networking', 'networkpolicies ingresses'),
    w.rule(readWrite, 'coordination', 'leases'),
    w.rule(write, 'resource', 'resourceclaims resourceclaimtemplates'),
  ];
}

export function viewRules(w: Words): readonly PolicyRule[] {
  return [
    w.rule(
      read,
      'core',
      'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps',
    ),
    w.rule(
      read,
      'core',
      'limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log',
    ),
    w.rule(read, 'core', 'namespaces'),
    w.rule(read, 'core events', 'events'),
    w.rule(read, 'discovery', 'endpointslices'),
    w.rule(
      read,
      'apps',
      'controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status deployments deployments/status deployments/scale replicasets replicasets/status replicasets/scale',
    ),
    w.rule(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
    w.rule(read, 'batch', 'jobs cronjobs cronjobs/status jobs/status'),
    w.rule(
      read,
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies',
    ),
    w.rule(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
    w.rule(read, 'networking', 'networkpolicies ingresses ingresses/status'),
    w.rule(read, 'resource', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  ];
}
