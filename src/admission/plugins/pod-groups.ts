// PodGroupProtection, PodGroupWorkloadExists and JobValidation: groups of pods that are scheduled together.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Job } from '../../groups/batch/v1/job-type.ts';
import type { PodGroup } from '../../groups/scheduling/v1alpha2/pod-group.ts';
import type { Workload } from '../../groups/scheduling/v1alpha2/workload.ts';
import { groupName } from '../../meta/dialect.ts';
import { type ApiObject, withMeta } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates, objectsOf, refusal } from '../plugin.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects' | 'gates'>;

const schedulingResource = ({ dialect }: Pick<Engines, 'dialect'>, resource: string) => ({
  ...{ group: groupName(dialect, 'scheduling'), version: 'v1alpha2', resource },
});

/** Groups that pods are in outlive their deletion: a finalizer holds them. */
export function podGroupProtection({ dialect, gates }: Pick<Engines, 'dialect' | 'gates'>): AdmissionPlugin {
  const group = groupName(dialect, 'scheduling');
  const isGroup = objectsOf(group, 'podgroups');
  const finalizer = `${group}/podgroup-protection`;
  return {
    name: 'PodGroupProtection',
    operations: creates,
    covers: (definition, subresource) => gates.GenericWorkload && isGroup(definition, subresource),
    mutate({ object }) {
      const { finalizers = [] } = object?.metadata ?? {};
      if (object === undefined || finalizers.includes(finalizer)) return object;
      return withMeta(object, { finalizers: [...finalizers, finalizer] });
    },
  };
}

/** A group that names the template it was made from names one that there is. */
export function podGroupWorkloadExists(engines: Engines): AdmissionPlugin {
  const workloads = schedulingResource(engines, 'workloads');
  const isGroup = objectsOf(workloads.group, 'podgroups');
  return {
    name: 'PodGroupWorkloadExists',
    operations: creates,
    covers: (definition, subresource) => engines.gates.GenericWorkload && isGroup(definition, subresource),
    validate(request) {
      const ref = (request.object as PodGroup).spec?.podGroupTemplateRef?.workload;
      if (ref === undefined) return;
      const { workloadName = '', podGroupTemplateName = '' } = ref;
      const { namespace } = request;
      const no = (why: string) => refusal(request, `PodGroup rejected: ${why}`);
      const shown = `Workload ${JSON.stringify(workloadName)}`;
      return andThen(engines.objects.get(workloads, { namespace, name: workloadName }), (found) => {
        if (found === undefined) throw no(`${shown} not found`);
        if (found.metadata.deletionTimestamp !== undefined) throw no(`${shown} is being deleted`);
        const templates = (found as Workload).spec?.podGroupTemplates ?? [];
        if (templates.some(({ name }) => name === podGroupTemplateName)) return;
        throw no(`PodGroupTemplate ${JSON.stringify(podGroupTemplateName)} not found in ${shown}`);
      });
    },
  };
}

/** How many pods of a job run at once is part of what its gang was scheduled for. */
export function jobValidation(engines: Engines): AdmissionPlugin {
  const { GenericWorkload, WorkloadWithJob } = engines.gates;
  const isJob = objectsOf('batch', 'jobs');
  return {
    name: 'JobValidation',
    operations: ['UPDATE'],
    covers: (definition, subresource) => (GenericWorkload || WorkloadWithJob) && isJob(definition, subresource),
    validate(request) {
      const [job, old] = [request.object as Job, request.oldObject as Job];
      if (job.spec?.parallelism === old.spec?.parallelism) return;
      return andThen(groupsOf(engines, old), (groups) => {
        const gang = groups.find((one) => one.spec?.schedulingPolicy?.gang !== undefined);
        if (gang === undefined) return;
        const name = JSON.stringify(gang.metadata.name);
        throw refusal(request, `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${name}`);
      });
    },
  };
}

/** The group that the template names; without a name, those that the job controls. */
function groupsOf(engines: Engines, { metadata, spec }: Job): MaybePromise<readonly PodGroup[]> {
  const groups = schedulingResource(engines, 'podgroups');
  const namespace = metadata.namespace ?? '';
  const name = spec?.template?.spec?.schedulingGroup?.podGroupName;
  if (name !== undefined)
    return andThen(engines.objects.get(groups, { namespace, name }), (found) =>
      found === undefined ? [] : [found as PodGroup],
    );
  return andThen(
    engines.objects.list(groups, namespace),
    (all) => all.filter((one) => isControlledBy(one, metadata.uid)) as readonly PodGroup[],
  );
}

const isControlledBy = ({ metadata }: ApiObject, uid: string | undefined) =>
  metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid);
