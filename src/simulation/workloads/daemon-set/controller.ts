// Watches daemon sets, their pods, and the nodes that should have one.

import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { ControllerRevision } from '../../../groups/apps/v1/controller-revision.ts';
import type { DaemonSet } from '../../../groups/apps/v1/daemon-set-type.ts';
import type { Node } from '../../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { selects } from '../../../groups/meta/v1/label-selector.ts';
import { cacheOf } from '../../object-cache.ts';
import { claim, planClaims, watchDependents, watchOwners } from '../ownership.ts';
import { PodControl, podsPath } from '../pod-control.ts';
import { untilReported } from '../status.ts';
import { type DaemonSetParts, DaemonSetSync, daemonSetKind } from './daemon-sync.ts';

export function daemonSetController(context: ControllerContext): Controller {
  const pods = cacheOf<Pod>(context, '', 'pods');
  const events = new EventRecorder(context, 'daemonset-controller');
  const parts: DaemonSetParts = {
    ...{ context, events, pods, pauses: new Map() },
    sets: cacheOf<DaemonSet>(context, daemonSetKind.group, daemonSetKind.plural),
    nodes: cacheOf<Node>(context, '', 'nodes'),
    revisions: cacheOf<ControllerRevision>(context, 'apps', 'controllerrevisions'),
    control: new PodControl({ context, events, pods }),
  };
  const { sets, nodes } = parts;
  const queue = context.queue({ name: 'daemonset', workers: 2, work: (key) => untilReported(work(parts, key)) });
  watchOwners(queue, sets);
  watchDependents({
    ...{ queue, owners: sets, dependents: pods, kind: daemonSetKind.kind },
    selects: ({ spec }, labels) => spec?.selector !== undefined && selects(spec.selector, labels),
  });
  nodes.subscribe({
    onChange(current, previous) {
      if (factsOf(current) === factsOf(previous)) return;
      for (const { metadata } of sets.all()) queue.add(`${metadata.namespace}/${metadata.name}`);
    },
  });
  return { close: () => queue.close() };
}

/** What decides whether a pod runs on a node: a heartbeat changes none of it. */
const factsOf = (node: Node | undefined): string =>
  node === undefined ? '' : JSON.stringify([node.metadata.uid, node.metadata.labels, node.spec?.taints]);

async function work(parts: DaemonSetParts, key: string): Promise<WorkOutcome> {
  const { context, sets, pods } = parts;
  const set = sets.get(key);
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return 'done';
  const { uid = '', namespace = '' } = set.metadata;
  const candidates = [...pods.controlledBy(uid), ...pods.orphansIn(namespace)];
  const plan = planClaims(set, (labels) => selects(set.spec?.selector ?? {}, labels), candidates);
  const place = { client: context.client, ownerKind: daemonSetKind, collection: podsPath(namespace) };
  return new DaemonSetSync(parts, set, await claim(place, set, plan)).run();
}
