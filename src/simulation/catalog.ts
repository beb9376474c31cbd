// Controllers that run on request: those of workloads, and the simulated nodes. They run next to those of every server.

import { type AllParts, builtInControllers } from '../controllers/catalog.ts';
import type { ControllerEntry } from '../controllers/entry.ts';
import { HorizontalAutoscaler } from './autoscaler/controller.ts';
import { NodeLife } from './node-life/controller.ts';
import { simulatedNodes } from './simulated-nodes.ts';
import type { SimulationConfig } from './simulation-config.ts';
import { TaintEviction } from './taint-eviction/controller.ts';
import { cronJobController } from './workloads/cron-job/controller.ts';
import { daemonSetController } from './workloads/daemon-set/controller.ts';
import { deploymentController } from './workloads/deployment/controller.ts';
import { endpointSliceController } from './workloads/endpoint-slices/controller.ts';
import { endpointsController } from './workloads/endpoints/controller.ts';
import { jobController } from './workloads/job/controller.ts';
import { loadBalancerController } from './workloads/load-balancers/controller.ts';
import { replicaSetController, replicationController } from './workloads/replica-set/controller.ts';
import { statefulSetController } from './workloads/stateful-set/controller.ts';
import { volumeBindingController } from './workloads/volume-binding/controller.ts';

interface SimulationParts {
  readonly simulation: SimulationConfig;
}

interface SimulatedEntry extends ControllerEntry<SimulationParts> {
  readonly offByDefault: true;
  /** The part of a simulation that enables it. */
  readonly part: keyof SimulationConfig;
}

const workloads = { part: 'workloads', offByDefault: true } as const;
const nodes = { part: 'nodes', offByDefault: true } as const;

/** Under the names that kube-controller-manager has for them, where it has them. */
const simulatedControllers: readonly SimulatedEntry[] = [
  { name: 'daemonset-controller', aliases: ['daemonset'], ...workloads, make: daemonSetController },
  { name: 'deployment-controller', aliases: ['deployment'], ...workloads, make: deploymentController },
  { name: 'endpoints-controller', aliases: ['endpoint'], ...workloads, make: endpointsController },
  { name: 'endpointslice-controller', aliases: ['endpointslice'], ...workloads, make: endpointSliceController },
  { name: 'cronjob-controller', aliases: ['cronjob'], ...workloads, make: cronJobController },
  {
    name: 'horizontal-pod-autoscaler-controller',
    aliases: ['horizontalpodautoscaling'],
    ...workloads,
    make: (context) => new HorizontalAutoscaler(context),
  },
  { name: 'job-controller', aliases: ['job'], ...workloads, make: jobController },
  {
    name: 'persistentvolume-binder-controller',
    aliases: ['persistentvolume-binder'],
    ...workloads,
    make: volumeBindingController,
  },
  { name: 'replicaset-controller', aliases: ['replicaset'], ...workloads, make: replicaSetController },
  {
    name: 'replicationcontroller-controller',
    aliases: ['replicationcontroller'],
    ...workloads,
    make: replicationController,
  },
  {
    name: 'node-lifecycle-controller',
    aliases: ['nodelifecycle'],
    ...nodes,
    make: (context, { simulation }) => new NodeLife(context, simulation.nodes),
  },
  { name: 'service-lb-controller', aliases: ['service'], ...workloads, make: loadBalancerController },
  { name: 'statefulset-controller', aliases: ['statefulset'], ...workloads, make: statefulSetController },
  { name: 'taint-eviction-controller', aliases: [], ...nodes, make: (context) => new TaintEviction(context) },
  {
    name: 'simulated-nodes',
    aliases: [],
    ...nodes,
    make: (context, { simulation }) => simulatedNodes(context, simulation),
  },
];

type ControllerSetParts = AllParts & SimulationParts;

export const allControllers: readonly ControllerEntry<ControllerSetParts>[] = [
  ...builtInControllers,
  ...simulatedControllers,
];

/** Names of the controllers that a simulation needs. */
export function controllersOf(simulation: SimulationConfig): readonly string[] {
  return simulatedControllers.filter(({ part }) => Boolean(simulation[part])).map(({ name }) => name);
}
