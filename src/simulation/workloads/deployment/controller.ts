// Watches deployments, their replica sets and pods, and looks at a deployment when one of them changes.

import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Deployment } from '../../../groups/apps/v1/deployment-type.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { selects } from '../../../groups/meta/v1/label-selector.ts';
import { cacheOf } from '../../object-cache.ts';
import { claim, collectionPath, controllerOf, planClaims, watchDependents, watchOwners } from '../ownership.ts';
import { isFinished } from '../pods.ts';
import { replicaSetKind } from '../replica-set/controller.ts';
import { untilReported } from '../status.ts';
import { deploymentKind, Rollout, type RolloutParts } from './rollout.ts';

export function deploymentController(context: ControllerContext): Controller {
  const parts: RolloutParts = {
    context,
    events: new EventRecorder(context, 'deployment-controller'),
    deployments: cacheOf<Deployment>(context, deploymentKind.group, deploymentKind.plural),
    sets: cacheOf<ReplicaSet>(context, replicaSetKind.group, replicaSetKind.plural),
    pods: cacheOf<Pod>(context, '', 'pods'),
  };
  const { deployments, sets, pods } = parts;
  const queue = context.queue({ name: 'deployment', workers: 5, work: (key) => untilReported(work(parts, key)) });
  watchOwners(queue, deployments);
  watchDependents({
    ...{ queue, owners: deployments, dependents: sets, kind: deploymentKind.kind },
    selects: ({ spec }, labels) => spec?.selector !== undefined && selects(spec.selector, labels),
  });
  // a deployment that recreates its pods waits for the last of the old ones
  pods.subscribe({
    onChange(current, previous) {
      const pod = current ?? previous;
      if (pod === undefined || (current !== undefined && !isFinished(current))) return;
      const { namespace } = pod.metadata;
      const set = sets.get(`${namespace}/${controllerOf(pod)?.name}`);
      const key = `${namespace}/${set && controllerOf(set)?.name}`;
      if (deployments.get(key)?.spec?.strategy?.type === 'Recreate') queue.add(key);
    },
  });
  return { close: () => queue.close() };
}

async function work(parts: RolloutParts, key: string): Promise<WorkOutcome> {
  const { context, deployments, sets } = parts;
  const deployment = deployments.get(key);
  if (deployment === undefined) return 'done';
  const { uid = '', namespace = '' } = deployment.metadata;
  const candidates = [...sets.controlledBy(uid), ...sets.orphansIn(namespace)];
  const plan = planClaims(deployment, (labels) => selects(deployment.spec?.selector ?? {}, labels), candidates);
  const collection = collectionPath(replicaSetKind.apiVersion, namespace, replicaSetKind.plural);
  const owned = await claim({ client: context.client, ownerKind: deploymentKind, collection }, deployment, plan);
  return new Rollout(parts, deployment, owned).run();
}
