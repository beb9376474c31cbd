// Services and the pods that they select: which services to look at when something changes, and when it changed.

import type { ControllerContext } from '../../controllers/controller.ts';
import type { WorkQueue } from '../../controllers/work-queue.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import { isReady } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { Service } from '../../groups/core/v1/service/service-type.ts';
import { selects } from '../../groups/meta/v1/label-selector.ts';
import { type Dialect, topologyLabel } from '../../meta/dialect.ts';
import type { Labels } from '../../meta/object.ts';
import { cacheOf, type ObjectCache } from '../object-cache.ts';
import { readyTransition } from './pods.ts';

export interface ServiceCaches {
  readonly services: ObjectCache<Service>;
  readonly pods: ObjectCache<Pod>;
  readonly nodes: ObjectCache<Node>;
}

export const serviceCaches = (context: ControllerContext): ServiceCaches => ({
  services: cacheOf<Service>(context, '', 'services'),
  pods: cacheOf<Pod>(context, '', 'pods'),
  nodes: cacheOf<Node>(context, '', 'nodes'),
});

export const selectorOf = ({ spec }: Service): Labels | undefined =>
  spec?.type === 'ExternalName' ? undefined : spec?.selector;

/** An empty selector selects nothing here. */
function isSelected(service: Service, labels: Labels | undefined): boolean {
  const { selector } = service.spec ?? {};
  if (service.spec?.type === 'ExternalName' || selector === undefined || Object.keys(selector).length === 0)
    return false;
  return selects({ matchLabels: selector }, labels);
}

export function podsOf({ pods }: ServiceCaches, service: Service): readonly Pod[] {
  return [...pods.inNamespace(service.metadata.namespace ?? '')].filter((pod) =>
    isSelected(service, pod.metadata.labels),
  );
}

/** What endpoints tell of a pod: other changes of it concern no service. */
const factsOf = (pod: Pod | undefined): string =>
  pod === undefined
    ? ''
    : JSON.stringify([
        ...[pod.metadata.uid, pod.metadata.labels, pod.metadata.deletionTimestamp],
        ...[pod.spec?.nodeName, pod.spec?.hostname, pod.status?.podIPs, pod.status?.phase, isReady(pod)],
      ]);

/** Queues services when they change, and those whose endpoints a change of a pod or node concerns. */
export function watchServices(queue: WorkQueue, caches: ServiceCaches, dialect: Dialect): void {
  const { services, pods, nodes } = caches;
  const keyed = ({ metadata: { namespace, name } }: Service) => `${namespace}/${name}`;
  const zoneOf = (node: Node | undefined) => node && (node.metadata.labels?.[topologyLabel(dialect, 'zone')] ?? '');
  const addAll = () => {
    for (const service of services.all()) if (selectorOf(service) !== undefined) queue.add(keyed(service));
  };
  services.subscribe({
    onChange(current, previous) {
      const service = current ?? previous;
      if (service !== undefined) queue.add(keyed(service));
    },
    onSynced: addAll,
  });
  pods.subscribe({
    onChange(current, previous) {
      const { namespace = '' } = (current ?? previous)?.metadata ?? {};
      const selecting = [...services.inNamespace(namespace)].filter((service) => selectorOf(service) !== undefined);
      if (selecting.length === 0 || factsOf(current) === factsOf(previous)) return;
      for (const service of selecting) {
        const concerns = [current, previous].some(
          (pod) => pod !== undefined && isSelected(service, pod.metadata.labels),
        );
        if (concerns) queue.add(keyed(service));
      }
    },
  });
  nodes.subscribe({
    onChange(current, previous) {
      if (zoneOf(current) !== zoneOf(previous)) addAll();
    },
  });
}

/** Whether traffic may be sent to a pod, or could have been a moment ago. */
export function hasEndpoint({ status, metadata }: Pod, withTerminating: boolean): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  if ((status?.podIPs ?? []).length === 0) return false;
  return withTerminating || metadata.deletionTimestamp === undefined;
}

/** The name of the host that a pod has within the service. */
export const hostnameOf = ({ spec }: Pod, { metadata }: Service): string | undefined =>
  spec?.hostname && spec.subdomain === metadata.name ? spec.hostname : undefined;

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

/** The number of the port of a pod that a port of a service leads to. */
export function targetPort({ spec }: Pod, { targetPort: target = 0, protocol }: ServicePort): number | undefined {
  if (typeof target === 'number') return target;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const namedPort = ports.find((port) => port.name === target && port.protocol === protocol);
    if (namedPort !== undefined) return namedPort.containerPort;
  }
  return undefined;
}

/** Times of changes that endpoints have to follow: the earliest one since the last look. */
export class TriggerTimes {
  readonly #last = new Map<string, ReadonlyMap<string, string>>();

  /** Undefined where nothing changed. */
  observe(service: Service, pods: readonly Pod[]): string | undefined {
    const { uid = '', creationTimestamp } = service.metadata;
    const before = this.#last.get(uid);
    const times = new Map<string, string>();
    let earliest: string | undefined;
    for (const pod of pods) {
      const time = readyTransition(pod);
      if (time === undefined) continue;
      times.set(pod.metadata.name ?? '', time);
      const isNew = time > (before?.get(pod.metadata.name ?? '') ?? '');
      if (isNew && (earliest === undefined || time < earliest)) earliest = time;
    }
    this.#last.set(uid, times);
    return before === undefined ? creationTimestamp : earliest;
  }

  forget({ metadata }: Service): void {
    this.#last.delete(metadata.uid ?? '');
  }
}
