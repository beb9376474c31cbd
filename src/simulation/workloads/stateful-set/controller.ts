// Watches stateful sets, their pods and claims.

import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { ControllerRevision } from '../../../groups/apps/v1/controller-revision.ts';
import type { StatefulSet } from '../../../groups/apps/v1/stateful-set-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import { selects } from '../../../groups/meta/v1/label-selector.ts';
import { cacheOf } from '../../object-cache.ts';
import { claim, planClaims, watchDependents, watchOwners } from '../ownership.ts';
import { podsPath } from '../pod-control.ts';
import { untilReported } from '../status.ts';
import { ordinalOf, statefulSetKind } from './ordinals.ts';
import { type StatefulSetParts, StatefulSetSync } from './set-sync.ts';

export function statefulSetController(context: ControllerContext): Controller {
  const parts: StatefulSetParts = {
    context,
    events: new EventRecorder(context, 'statefulset-controller'),
    sets: cacheOf<StatefulSet>(context, statefulSetKind.group, statefulSetKind.plural),
    pods: cacheOf<Pod>(context, '', 'pods'),
    claims: cacheOf<PersistentVolumeClaim>(context, '', 'persistentvolumeclaims'),
    revisions: cacheOf<ControllerRevision>(context, 'apps', 'controllerrevisions'),
  };
  const { sets, pods } = parts;
  const queue = context.queue({ name: 'statefulset', workers: 5, work: (key) => untilReported(work(parts, key)) });
  watchOwners(queue, sets);
  watchDependents({
    ...{ queue, owners: sets, dependents: pods, kind: statefulSetKind.kind },
    selects: ({ spec }, labels) => spec?.selector !== undefined && selects(spec.selector, labels),
  });
  return { close: () => queue.close() };
}

async function work(parts: StatefulSetParts, key: string): Promise<WorkOutcome> {
  const { context, sets, pods } = parts;
  const set = sets.get(key);
  if (set === undefined) return 'done';
  const { uid = '', namespace = '' } = set.metadata;
  const members = [...pods.controlledBy(uid), ...pods.orphansIn(namespace)].filter(
    (pod) => ordinalOf(set, pod) !== undefined,
  );
  const plan = planClaims(set, (labels) => selects(set.spec?.selector ?? {}, labels), members);
  const place = { client: context.client, ownerKind: statefulSetKind, collection: podsPath(namespace) };
  return new StatefulSetSync(parts, set, await claim(place, set, plan)).run();
}
