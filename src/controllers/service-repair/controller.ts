// Keeps addresses and node ports in step with services: what a service has is reserved, and what no service has is free
// again. A server that dies in the middle of a request, or a client that changes such an object, brings them apart.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { Service } from '../../groups/core/v1/service/service-type.ts';
import type { IPAddress } from '../../groups/networking/v1/ip-address.ts';
import { groupName } from '../../meta/dialect.ts';
import { formatIp } from '../../meta/ip.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { EventRecorder } from '../event-recorder.ts';
import { objectOf, only, pathOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { AddressIndex } from './address-index.ts';
import { checkAddress, graceMs, namedService, repairService, reservedFor } from './addresses.ts';
import { NodePortRepair, type NodePorts } from './node-ports.ts';

export function serviceRepairController(context: ControllerContext, ports: NodePorts): Controller {
  const group = groupName(context.dialect, 'networking');
  const isService = only('', 'services');
  const isAddress = only(group, 'ipaddresses');
  const isRange = only(group, 'servicecidrs');
  const index = new AddressIndex();
  const events = new EventRecorder(context, 'ipallocator-repair-controller');
  const portRepair = new NodePortRepair(context, ports);
  let synced = false;

  const tried = (work: (key: string) => Promise<WorkOutcome>) => async (key: string) => {
    try {
      return await work(key);
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  };
  const services = context.queue({ name: 'services', work: tried((path) => repairService(context, events, path)) });
  const addresses = context.queue({ name: 'ipaddresses', work: tried((name) => checkAddress(context, events, name)) });
  const nodePorts = context.queue({ name: 'nodeports', work: () => portRepair.round() });

  function onService(change: StoredChange): void {
    const path = pathOf(change.resource, change);
    const service = change.json && objectOf<Service>(change.json);
    const freed = index.hold(path, service === undefined ? [] : reservedFor(service).map(formatIp));
    if (!synced) return;
    if (!index.isServiceInOrder(path)) services.add(path);
    // who changed the service gives them back, unless it dies before
    for (const name of freed) addresses.addAfter(name, graceMs);
  }

  function onAddress({ name, json }: StoredChange): void {
    const address = json && objectOf<IPAddress>(json);
    index.name(name, address && namedService(address, context.dialect));
    const holder = index.holderOf(name);
    if (!synced || index.isInOrder(name)) return;
    if (address !== undefined) addresses.add(name);
    if (holder !== undefined) services.add(holder);
  }

  context.feed.subscribe({
    wants: (resource) => isService(resource) || isAddress(resource) || isRange(resource),
    onChange(change) {
      if (isService(change.resource)) onService(change);
      else if (isAddress(change.resource)) onAddress(change);
      // what a range no longer covers is told
      else if (synced) for (const path of index.services) services.add(path);
    },
    onSynced() {
      synced = true;
      for (const path of index.services) if (!index.isServiceInOrder(path)) services.add(path);
      for (const name of index.addresses) if (!index.isInOrder(name)) addresses.add(name);
      nodePorts.add('');
    },
    onRestart() {
      synced = false;
      index.clear();
    },
  });
  return {
    async close() {
      await Promise.all([services, addresses, nodePorts].map((queue) => queue.close()));
    },
  };
}
