// What the controllers of workloads may do: of everything that makes pods, counts them or cleans up after them.

import { type ControllerRules, read, type Words } from './words.ts';

export function workloadControllers(w: Words): ControllerRules {
  const status = (groups: string, plural: string) => [
    w.rule('update', groups, `${plural}/status`),
    w.rule('update', groups, `${plural}/finalizers`),
  ];
  return {
    'cronjob-controller': [
      w.rule(`${read} update`, 'batch', 'cronjobs'),
      w.rule(`${read} create update delete patch`, 'batch', 'jobs'),
      ...status('batch', 'cronjobs'),
      w.rule('list watch delete', 'core', 'pods'),
      w.events,
    ],
    'daemon-set-controller': [
      w.rule(read, 'extensions apps', 'daemonsets'),
      ...status('extensions apps', 'daemonsets'),
      w.rule('list watch', 'core', 'nodes'),
      w.rule('list watch create delete patch', 'core', 'pods'),
      w.rule('create', 'core', 'pods/binding'),
      w.rule(`${read} create delete update patch`, 'apps', 'controllerrevisions'),
      w.events,
    ],
    'deployment-controller': [
      w.rule(`${read} update`, 'extensions apps', 'deployments'),
      ...status('extensions apps', 'deployments'),
      w.rule(`${read} create update patch delete`, 'apps extensions', 'replicasets'),
      w.rule(`${read} update`, 'core', 'pods'),
      w.events,
    ],
    'disruption-controller': [
      w.rule(read, 'extensions apps', 'deployments'),
      w.rule(read, 'apps extensions', 'replicasets'),
      w.rule(read, 'core', 'replicationcontrollers'),
      w.rule(read, 'policy', 'poddisruptionbudgets'),
      w.rule(read, 'apps', 'statefulsets'),
      w.rule('update', 'policy', 'poddisruptionbudgets/status'),
      w.rule('patch update', 'core', 'pods/status'),
      w.rule('get', '*', '*/scale'),
      w.events,
    ],
    'horizontal-pod-autoscaler': [
      w.rule(read, 'autoscaling', 'horizontalpodautoscalers'),
      w.rule('update', 'autoscaling', 'horizontalpodautoscalers/status'),
      w.rule('get update', '*', '*/scale'),
      w.rule('list watch', 'core', 'pods'),
      w.rule('list watch', 'metrics', 'pods'),
      w.rule(read, 'custom.metrics', '*'),
      w.rule(read, 'external.metrics', '*'),
      w.events,
    ],
    'job-controller': [
      w.rule(`${read} update patch`, 'batch', 'jobs'),
      ...status('batch', 'jobs'),
      w.rule('list watch create delete patch', 'core', 'pods'),
      w.events,
    ],
    'replicaset-controller': [
      w.rule(`${read} update`, 'apps extensions', 'replicasets'),
      ...status('apps extensions', 'replicasets'),
      w.rule('list watch patch create delete', 'core', 'pods'),
      w.events,
    ],
    'replication-controller': [
      w.rule(`${read} update`, 'core', 'replicationcontrollers'),
      ...status('core', 'replicationcontrollers'),
      w.rule('list watch patch create delete', 'core', 'pods'),
      w.events,
    ],
    'statefulset-controller': [
      w.rule('list watch', 'core', 'pods'),
      w.rule(read, 'apps', 'statefulsets'),
      ...status('apps', 'statefulsets'),
      w.rule('get create delete update patch', 'core', 'pods'),
      w.rule(`${read} create delete update patch`, 'apps', 'controllerrevisions'),
      w.rule(`${read} create`, 'core', 'persistentvolumeclaims'),
      w.rule('update delete', 'core', 'persistentvolumeclaims'),
      w.rule('update', 'core', 'pods/finalizers'),
      w.events,
    ],
    'ttl-after-finished-controller': [w.rule(`${read} delete`, 'batch', 'jobs'), w.events],
    'pod-garbage-collector': [
      w.rule('list watch delete', 'core', 'pods'),
      w.rule(read, 'core', 'nodes'),
      w.rule('patch', 'core', 'pods/status'),
    ],
    'resource-claim-controller': [
      w.rule(read, 'core', 'pods'),
      w.rule('update', 'core', 'pods/finalizers'),
      w.rule(`${read} create delete`, 'resource', 'resourceclaims'),
      w.rule('update patch', 'resource', 'resourceclaims resourceclaims/status'),
      w.rule('update patch', 'core', 'pods/status'),
      w.events,
      w.rule('update patch', 'resource', 'resourceclaims/binding'),
    ],
    'device-taint-eviction-controller': [
      w.rule(`${read} delete`, 'core', 'pods'),
      w.rule('update patch', 'core', 'pods/status'),
      w.rule(read, 'resource', 'resourceclaims'),
      w.rule(read, 'resource', 'resourceslices'),
      w.rule(read, 'resource', 'deviceclasses'),
      w.events,
    ],
  };
}
