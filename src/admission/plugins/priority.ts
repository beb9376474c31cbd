// Priority: pods, and groups of pods, get the number of the priority class they name, or of the class for all that name none.

import { withFields } from '../../base/maps/with-fields.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { PriorityClass } from '../../groups/scheduling/v1/priority-class.ts';
import type { PodGroup } from '../../groups/scheduling/v1alpha2/pod-group.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import type { Lookup } from '../lookup.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../plugin.ts';

interface Resolved {
  readonly className?: string;
  readonly priority: number;
  readonly preemptionPolicy: string | undefined;
}

const withoutClass: Resolved = { priority: 0, preemptionPolicy: 'PreemptLowerPriority' };

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects' | 'gates'>;

export function priority({ dialect, objects, gates }: Engines): AdmissionPlugin {
  const group = groupName(dialect, 'scheduling');
  const classes = new Classes(objects, group);
  const isPod = objectsOf('', 'pods');
  const isPodGroup = objectsOf(group, 'podgroups');
  const isClass = objectsOf(group, 'priorityclasses');
  return {
    name: 'Priority',
    operations: writes,
    covers: (definition, subresource) =>
      isPod(definition, subresource) ||
      isClass(definition, subresource) ||
      (gates.WorkloadAwarePreemption && isPodGroup(definition, subresource)),
    mutate(request) {
      const { definition, operation, object } = request;
      if (isPod(definition, '')) {
        if (operation === 'UPDATE') return withPriorityOf(object as Pod, request.oldObject as Pod);
        return andThen(resolve(classes, request), (resolved) => withResolved(request, resolved));
      }
      if (!isPodGroup(definition, '') || operation !== 'CREATE') return object;
      return andThen(resolve(classes, request), (resolved) => groupWithResolved(request, resolved));
    },
    validate(request) {
      const { definition, object } = request;
      if (!isClass(definition, '') || !(object as PriorityClass).globalDefault) return;
      return andThen(classes.forAll(), (other) => {
        const name = other?.metadata.name;
        if (name === undefined || (request.operation === 'UPDATE' && name === object?.metadata.name)) return;
        throw refusal(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
      });
    },
  };
}

class Classes {
  readonly #objects: Lookup;
  readonly #resource;

  constructor(objects: Lookup, group: string) {
    this.#objects = objects;
    this.#resource = { group, version: 'v1', resource: 'priorityclasses' };
  }

  get(name: string): MaybePromise<PriorityClass | undefined> {
    return this.#objects.get(this.#resource, { namespace: '', name }) as MaybePromise<PriorityClass | undefined>;
  }

  /** The class of pods that name none; several got in at once where there is more than one, and the lowest counts. */
  forAll(): MaybePromise<PriorityClass | undefined> {
    return andThen(this.#objects.list(this.#resource, ''), (all) => {
      const marked = (all as readonly PriorityClass[]).filter(({ globalDefault }) => globalDefault);
      return marked.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
    });
  }
}

function resolve(classes: Classes, request: AdmissionRequest): MaybePromise<Resolved> {
  const wanted = (request.object as Pod | PodGroup).spec?.priorityClassName;
  if (!wanted) return andThen(classes.forAll(), (found) => (found === undefined ? withoutClass : resolvedBy(found)));
  return andThen(classes.get(wanted), (found) => {
    if (found === undefined) throw refusal(request, `no PriorityClass with name ${wanted} was found`);
    return resolvedBy(found);
  });
}

const resolvedBy = ({ metadata, value = 0, preemptionPolicy }: PriorityClass): Resolved => ({
  className: metadata.name ?? '',
  priority: value,
  preemptionPolicy,
});

const provided = (what: string, given: unknown, computed: unknown) =>
  `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;

function withResolved(request: AdmissionRequest, { className, priority: number, preemptionPolicy }: Resolved): Pod {
  const pod = request.object as Pod;
  const { priority: given, preemptionPolicy: policy } = pod.spec ?? {};
  if (given !== undefined && given !== number)
    throw refusal(request, provided('integer value of priority', given, number));
  if (policy !== undefined && preemptionPolicy !== undefined && policy !== preemptionPolicy)
    throw refusal(request, provided('string value of PreemptionPolicy', policy, preemptionPolicy));
  const spec = withFields(pod.spec ?? {}, { priorityClassName: className, priority: number, preemptionPolicy });
  return { ...pod, spec };
}

function groupWithResolved(request: AdmissionRequest, { className, priority: number }: Resolved): PodGroup {
  const group = request.object as PodGroup;
  const given = group.spec?.priority;
  if (given !== undefined && given !== number)
    throw refusal(
      request,
      `priority set in the pod group (${given}) must match the priority computed (${number}) based on the priority class set in the spec`,
    );
  const named = className === undefined ? {} : { priorityClassName: className };
  return { ...group, spec: { ...group.spec, ...named, priority: number } };
}

/** Who writes a pod may leave out what was filled in. */
function withPriorityOf(pod: Pod, old: Pod): ApiObject {
  const { priority: number, preemptionPolicy } = old.spec ?? {};
  const lacks = {
    ...(pod.spec?.priority === undefined && number !== undefined ? { priority: number } : {}),
    ...(pod.spec?.preemptionPolicy === undefined && preemptionPolicy !== undefined ? { preemptionPolicy } : {}),
  };
  return Object.keys(lacks).length === 0 ? pod : { ...pod, spec: { ...pod.spec, ...lacks } };
}
