// Plays the load balancer of a cloud: a service of that type gets an address, and gives it back.

import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Service } from '../../../groups/core/v1/service/service-type.ts';
import { partKey } from '../../../meta/dialect.ts';
import { formatIp, parseIp } from '../../../meta/ip.ts';
import { cacheOf, type ObjectCache } from '../../object-cache.ts';
import { watchOwners } from '../ownership.ts';
import { untilReported, writeStatus } from '../status.ts';

interface Parts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly services: ObjectCache<Service>;
}

export function loadBalancerController(context: ControllerContext): Controller {
  const services = cacheOf<Service>(context, '', 'services');
  const parts: Parts = { context, services, events: new EventRecorder(context, 'service-controller') };
  const queue = context.queue({ name: 'service', work: (key) => untilReported(work(parts, key)) });
  watchOwners(queue, services);
  return { close: () => queue.close() };
}

/** Ranges for tests of networks, which no network uses: 198.18.0.0/15 and 2001:2::/48. */
const firstAddresses = { IPv4: parseIp('198.18.0.1'), IPv6: parseIp('2001:2::1') } as const;

type Ingress = NonNullable<NonNullable<NonNullable<Service['status']>['loadBalancer']>['ingress']>[number];

/** A class names the load balancer of another program. */
const isBalanced = ({ spec, metadata }: Service): boolean =>
  spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined && metadata.deletionTimestamp === undefined;

const ingressOf = ({ status }: Service): readonly Ingress[] => status?.loadBalancer?.ingress ?? [];

async function work(parts: Parts, key: string): Promise<WorkOutcome> {
  const service = parts.services.get(key);
  if (service === undefined || service.spec?.loadBalancerClass !== undefined) return 'done';
  const finalizer = partKey(parts.context.dialect, 'service', 'load-balancer-cleanup');
  const hasFinalizer = service.metadata.finalizers?.includes(finalizer) ?? false;
  if (isBalanced(service)) {
    if (!hasFinalizer || ingressOf(service).length === 0) await ensure(parts, service, finalizer);
  } else if (hasFinalizer) await remove(parts, service, finalizer);
  return 'done';
}

const pathOf = ({ metadata }: Service): string => `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}`;

async function replaceFinalizers({ context, services }: Parts, service: Service, finalizers: readonly string[]) {
  const changed = { ...service, metadata: { ...service.metadata, finalizers } };
  const stored = await context.client.replace(pathOf(service), changed);
  services.put(stored);
  return stored as Service;
}

const writeIngress = ({ context, services }: Parts, service: Service, ingress: readonly Ingress[]): Promise<Service> =>
  writeStatus({ client: context.client, cache: services, path: pathOf(service) }, service, {
    ...service.status,
    loadBalancer: ingress.length === 0 ? {} : { ingress },
  } as NonNullable<Service['status']>);

async function ensure(parts: Parts, service: Service, finalizer: string): Promise<void> {
  const { events, services } = parts;
  await events.tell(service, { type: 'Normal', reason: 'EnsuringLoadBalancer', message: 'Ensuring load balancer' });
  const { finalizers = [] } = service.metadata;
  const held = finalizers.includes(finalizer)
    ? service
    : await replaceFinalizers(parts, service, [...finalizers, finalizer]);
  const { ipFamilies = ['IPv4'], loadBalancerIP } = held.spec ?? {};
  const used = new Set([...services.all()].flatMap((one) => ingressOf(one).map(({ ip }) => ip)));
  const addresses = loadBalancerIP ? [loadBalancerIP] : ipFamilies.map((family) => freeAddress(family, used));
  await writeIngress(
    parts,
    held,
    addresses.map((ip) => ({ ip, ipMode: 'VIP' }) as Ingress),
  );
  await events.tell(service, { type: 'Normal', reason: 'EnsuredLoadBalancer', message: 'Ensured load balancer' });
}

/** The lowest address that no service has. */
function freeAddress(family: string, used: ReadonlySet<string | undefined>): string {
  const first = firstAddresses[family === 'IPv6' ? 'IPv6' : 'IPv4'] as NonNullable<ReturnType<typeof parseIp>>;
  let { value } = first;
  while (used.has(formatIp({ ...first, value }))) value++;
  return formatIp({ ...first, value });
}

async function remove(parts: Parts, service: Service, finalizer: string): Promise<void> {
  const { events } = parts;
  await events.tell(service, { type: 'Normal', reason: 'DeletingLoadBalancer', message: 'Deleting load balancer' });
  const cleared = await writeIngress(parts, service, []);
  const left = (cleared.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  await replaceFinalizers(parts, cleared, left);
  await events.tell(service, { type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' });
}
