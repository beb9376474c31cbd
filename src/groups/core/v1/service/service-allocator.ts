// What a service is given besides its place in the store: cluster addresses and node ports.

import { invalidValue } from '../../../../meta/field-errors.ts';
import type { IpFamily } from '../../../../meta/ip.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { ApiError, type FieldError, internalError, invalid } from '../../../../meta/status.ts';
import type { Allocation, AllocationCall, Allocator } from '../../../../schema/allocator.ts';
import {
  AddressError,
  type AddressRequest,
  familiesOf,
  releaseAddresses,
  reserveAddress,
  reserveAnyAddress,
  serviceRanges,
} from './cluster-addresses.ts';
import { releasePorts, reservePorts } from './node-ports.ts';
import { resolveFamilies } from './service-families.ts';
import {
  alignAddresses,
  dropTypeDependentFields,
  heldAddresses,
  isHeadless,
  keepAssigned,
  needsAddress,
  type ServiceSpec,
  specOf,
  trafficPolicies,
} from './service-fields.ts';
import { assignPorts, heldPorts } from './service-ports.ts';
import type { Service } from './service-type.ts';

export const serviceAllocator: Allocator<Service> = {
  allocate,
  async release(object, call) {
    const spec = specOf(object);
    await releaseAddresses(heldAddresses(spec), call);
    await releasePorts(call.records, heldPorts(spec));
    await dropEndpoints(object, call);
  },
};

async function allocate(given: Service, old: Service | undefined, call: AllocationCall): Promise<Allocation> {
  const followed = old === undefined ? given : keepAssigned(dropTypeDependentFields(given, old), old);
  const named = withNameOf(alignAddresses(followed, old), old);
  const taken: string[] = [];
  try {
    const addressed = await assignAddresses(named, old, taken, call);
    const ports = await reservePorts(call, (operation) => assignPorts(addressed, old, operation));
    const object = { ...addressed, spec: withoutTraffic(ports.result) };
    return allocation(object, old, { addresses: taken, ports: ports.taken }, call);
  } catch (error) {
    if (!call.dryRun) await releaseAddresses(taken, call);
    throw error;
  }
}

/**
 * A name has no traffic that could stay inside; the policy may be left from what the service was. One that there is not
 * stays: validation refuses it.
 */
function withoutTraffic(spec: ServiceSpec): ServiceSpec {
  if (needsAddress(spec) || !trafficPolicies.includes(spec.internalTrafficPolicy ?? '')) return spec;
  const { internalTrafficPolicy: _, ...rest } = spec;
  return rest;
}

/** Messages and addresses name the object, also where a body left that to the URL. */
function withNameOf(service: Service, old: Service | undefined): Service {
  return old === undefined ? service : { ...service, metadata: { ...service.metadata, name: old.metadata.name ?? '' } };
}

interface Reserved {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

function allocation(object: Service, old: Service | undefined, reserved: Reserved, call: AllocationCall): Allocation {
  return {
    object,
    async commit() {
      if (old === undefined) return;
      await giveBack(without(heldBy(old), heldBy(object)), call);
    },
    async revert() {
      if (!call.dryRun) await giveBack(reserved, call);
    },
  };
}

const heldBy = (service: Service): Reserved => ({
  addresses: heldAddresses(specOf(service)),
  ports: heldPorts(specOf(service)),
});

function without(all: Reserved, kept: Reserved): Reserved {
  const [addresses, ports] = [new Set(kept.addresses), new Set(kept.ports)];
  return {
    addresses: all.addresses.filter((address) => !addresses.has(address)),
    ports: all.ports.filter((port) => !ports.has(port)),
  };
}

async function giveBack({ addresses, ports }: Reserved, call: AllocationCall): Promise<void> {
  await releaseAddresses(addresses, call);
  await releasePorts(call.records, ports);
}

/** Fills in families and addresses; `taken` is told what was reserved, also when something fails later. */
async function assignAddresses(
  service: Service,
  old: Service | undefined,
  taken: string[],
  call: AllocationCall,
): Promise<Service> {
  const was = old && specOf(old);
  if (!needsAddress(specOf(service))) return service;
  const ranges = await serviceRanges(call);
  const { spec, errors } = resolveFamilies(specOf(service), was, familiesOf(ranges));
  refuse(service, errors);
  if (isHeadless(spec) || (was !== undefined && needsAddress(was) && isHeadless(was))) return { ...service, spec };
  const { name = '', namespace = '' } = service.metadata;
  const request = { owner: { namespace: namespace || (old?.metadata.namespace ?? ''), name }, ranges };
  const clusterIPs = await reserveAll({ ...service, spec }, new Set(was && heldAddresses(was)), taken, request, call);
  return { ...service, spec: { ...spec, clusterIP: clusterIPs[0] ?? '', clusterIPs } };
}

/** One address for each family; those that the service has already stay. */
async function reserveAll(
  service: Service,
  held: ReadonlySet<string>,
  taken: string[],
  request: AddressRequest,
  call: AllocationCall,
): Promise<readonly string[]> {
  const { clusterIPs = [], ipFamilies = [] } = specOf(service);
  const all = [...clusterIPs];
  // an address that moved is for validation to refuse: it is not reserved
  const isNew = (ip: string) => held.size === 0 || (all.indexOf(ip) > 0 && !held.has(ip));
  for (const [index, family] of ipFamilies.entries()) {
    const asked = clusterIPs[index];
    if (asked !== undefined && isNew(asked)) {
      await reserveAsked(asked, service, request, call);
      taken.push(asked);
    }
    if (asked === undefined) {
      all[index] = await reserveAny(family as IpFamily, service, request, call);
      taken.push(all[index]);
    }
  }
  return all;
}

async function reserveAsked(ip: string, service: Service, request: AddressRequest, call: AllocationCall) {
  try {
    await reserveAddress(ip, request, call);
  } catch (error) {
    if (!(error instanceof AddressError || error instanceof ApiError)) throw error;
    const { clusterIPs } = specOf(service);
    refuse(service, [invalidValue('spec.clusterIPs', clusterIPs, `failed to allocate IP ${ip}: ${error.message}`)]);
  }
}

async function reserveAny(family: IpFamily, service: Service, request: AddressRequest, call: AllocationCall) {
  try {
    return await reserveAnyAddress(family, request, call);
  } catch (error) {
    if (error instanceof ApiError)
      refuse(service, [invalidValue('spec.clusterIPs', [''], `failed to allocate IP: ${error.message}`)]);
    if (!(error instanceof AddressError)) throw error;
    const { name = '' } = service.metadata;
    throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: ${error.message}`);
  }
}

function refuse({ metadata }: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service', name: metadata.name ?? '' }, errors);
}

/** compat: endpoints of the same name go with a service. */
async function dropEndpoints({ metadata }: ApiObject, { objects }: AllocationCall): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  try {
    await objects.delete({ group: '', version: 'v1', resource: 'endpoints' }, { namespace, name }, undefined);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}
