// Looks at one service, or at one address, and puts right what does not agree.

import { isNotFound } from '../../client/client.ts';
import { addressLabels, addressObject, managerLabel } from '../../groups/core/v1/service/cluster-addresses.ts';
import { heldAddresses, specOf } from '../../groups/core/v1/service/service-fields.ts';
import type { Service } from '../../groups/core/v1/service/service-type.ts';
import type { IPAddress } from '../../groups/networking/v1/ip-address.ts';
import type { ServiceCIDR } from '../../groups/networking/v1/service-cidr.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { formatIp, type IpAddress, parseIp, parseRange, rangeContains } from '../../meta/ip.ts';
import type { ObjectMeta, ObjectRef } from '../../meta/object.ts';
import type { ControllerContext } from '../controller.ts';
import type { EventRecorder, Occurrence } from '../event-recorder.ts';
import type { WorkOutcome } from '../work-queue.ts';

/** No request takes longer: between reserving an address and storing the service that has it. */
export const graceMs = 60_000;
/** How long a service that has just been changed may take to show its new address. */
const settlingMs = 5000;

const servicePath = ({ namespace, name }: ObjectRef): string => `/api/v1/namespaces/${namespace}/services/${name}`;
const networking = ({ dialect }: ControllerContext, plural: string): string =>
  `/apis/${groupName(dialect, 'networking')}/v1/${plural}`;
const addressPath = (context: ControllerContext, name: string): string =>
  `${networking(context, 'ipaddresses')}/${encodeURIComponent(name)}`;

type Parent = NonNullable<NonNullable<IPAddress['spec']>['parentRef']>;

const refersToService = ({ group = '', resource = '' }: Parent): boolean => group === '' && resource === 'services';

/** The path of the service that an address of the server's own names; '' for any other object. */
export function namedService(address: IPAddress, dialect: Dialect): string {
  const parent = address.spec?.parentRef;
  if (parent === undefined || !refersToService(parent) || !hasOwnLabels(address, dialect)) return '';
  return servicePath(refOf(parent));
}

const refOf = ({ namespace = '', name = '' }: Parent): ObjectRef => ({ namespace, name });

function hasOwnLabels({ metadata }: IPAddress, dialect: Dialect): boolean {
  const address = parseIp(metadata.name ?? '');
  return address !== undefined && hasLabels(metadata, addressLabels(address, dialect));
}

const hasLabels = ({ labels = {} }: ObjectMeta, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

/** The addresses of a service as their objects are named: a client may have written them in another way. */
export const reservedFor = (service: Service): readonly IpAddress[] =>
  heldAddresses(specOf(service))
    .map(parseIp)
    .filter((address) => address !== undefined);

const allocation = (reason: string, message: string): Occurrence => ({
  ...{ type: 'Warning', action: 'ClusterIPAllocation', reason, message },
});

/** Reserves what a service has and is not reserved for it. */
export async function repairService(
  context: ControllerContext,
  events: EventRecorder,
  path: string,
): Promise<WorkOutcome> {
  const service = await context.client.find<Service>(path);
  if (service === undefined) return 'done';
  for (const address of reservedFor(service))
    await repairOne(context, events, { service, address, text: formatIp(address) });
  return 'done';
}

interface Held {
  readonly service: Service;
  readonly text: string;
  readonly address: IpAddress;
}

async function repairOne(context: ControllerContext, events: EventRecorder, held: Held): Promise<void> {
  const { service, text, address } = held;
  const { client, dialect } = context;
  const [family, { namespace = '', name = '' }] = [address.family, service.metadata];
  if (!(await isInRange(context, address))) {
    const message = `Cluster IP [${family}]: ${text} is not within any configured Service CIDR; please recreate service`;
    return events.tell(service, allocation('ClusterIPOutOfRange', message));
  }
  const found = await client.find<IPAddress>(addressPath(context, text));
  if (found === undefined) {
    const message = `Cluster IP [${family}]: ${text} is not allocated; repairing`;
    await events.tell(service, allocation('ClusterIPNotAllocated', message));
    await reserve(context, held);
    return;
  }
  const parent = found.spec?.parentRef ?? {};
  const isOwn = refersToService(parent) && parent.namespace === namespace && parent.name === name;
  if (isOwn && hasOwnLabels(found, dialect)) return;
  if (!isOwn && refersToService(parent) && (await isHeldBy(context, refOf(parent), text))) {
    const message = `Cluster IP [${family}]:${text} was assigned to multiple services; please recreate service`;
    return events.tell(service, allocation('ClusterIPAlreadyAllocated', message));
  }
  if (!isOwn) {
    const message = `the ClusterIP [${family}]: ${text} for Service ${namespace}/${name} has a wrong reference; repairing`;
    await events.tell(service, allocation('ClusterIPNotAllocated', message));
  }
  await release(context, text);
  await reserve(context, held);
}

async function isInRange(context: ControllerContext, address: IpAddress): Promise<boolean> {
  const { items } = await context.client.list(networking(context, 'servicecidrs'));
  const ranges = (items as readonly ServiceCIDR[]).flatMap(({ spec }) => (spec?.cidrs ?? []).map(parseRange));
  return ranges.some((range) => range !== undefined && rangeContains(range, address));
}

async function isHeldBy({ client }: ControllerContext, ref: ObjectRef, text: string): Promise<boolean> {
  const other = await client.find<Service>(servicePath(ref));
  return other !== undefined && isReservedFor(other, text);
}

const isReservedFor = (service: Service, name: string): boolean => reservedFor(service).map(formatIp).includes(name);

async function reserve(context: ControllerContext, { service, address }: Held): Promise<void> {
  const { namespace = '', name = '' } = service.metadata;
  const object = addressObject(address, { namespace, name }, context.dialect);
  await context.client.create(networking(context, 'ipaddresses'), object);
}

async function release(context: ControllerContext, name: string): Promise<void> {
  try {
    await context.client.delete(addressPath(context, name));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const cleaning = (reason: string, message: string): Occurrence => ({
  ...{ type: 'Warning', action: 'IPAddressAllocation', reason, message: `${message}: cleaning up` },
});

/** Gives an address back that the server reserved, and that no service has. */
export async function checkAddress(
  context: ControllerContext,
  events: EventRecorder,
  name: string,
): Promise<WorkOutcome> {
  const { client, clock, dialect } = context;
  const address = await client.find<IPAddress>(addressPath(context, name));
  const parent = address?.spec?.parentRef;
  if (address === undefined || parent === undefined || !hasLabels(address.metadata, managerLabel(dialect)))
    return 'done';
  const clean = async (reason: string, message: string): Promise<WorkOutcome> => {
    await events.tell(address, cleaning(reason, message));
    await release(context, name);
    return 'done';
  };
  if (!refersToService(parent)) {
    const other = [parent.resource, parent.group, parent.name].filter(Boolean).join(' ');
    const message = `IPAddress ${name} appears to have been modified, not referencing a Service ${other}`;
    return clean('IPAddressNotAllocated', message);
  }
  const whose = `${parent.namespace}/${parent.name}`;
  const age = clock.now() - Date.parse(address.metadata.creationTimestamp ?? '');
  const service = await client.find<Service>(servicePath(refOf(parent)));
  if (service === undefined) {
    if (age <= graceMs) return graceMs + 1 - age;
    return clean('IPAddressNotAllocated', `IPAddress: ${name} for Service ${whose} appears to have leaked`);
  }
  if (isReservedFor(service, name)) return 'done';
  // the service may be about to get it
  const wait = specOf(service).type === 'ExternalName' ? graceMs : settlingMs;
  if (age < wait) return wait - age;
  const message = `IPAddress: ${name} for Service ${whose} has a wrong reference; cleaning up`;
  await events.tell(address, { ...cleaning('IPAddressWrongReference', ''), message });
  await release(context, name);
  return 'done';
}
