// Requests to what a service stands for: they pass to one of the pods behind it.

import { notFound, serviceUnavailable } from '../../../../meta/status.ts';
import type { ResourceOf } from '../../../../schema/object-access.ts';
import type { ConnectCall, ConnectSubresource } from '../../../../schema/subresource.ts';
import { refuseOwnAddress, splitName } from '../connect-names.ts';
import { proxiedPath, proxyVerbs } from '../node/node-connect.ts';
import type { Pod } from '../pod/pod-type.ts';
import type { Endpoints } from './endpoints.ts';
import type { Service } from './service-type.ts';

const services: ResourceOf<Service> = { group: '', version: 'v1', resource: 'services' };
const endpoints: ResourceOf<Endpoints> = { group: '', version: 'v1', resource: 'endpoints' };
const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };

type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];

export const serviceProxy: ConnectSubresource = {
  is: 'connect',
  name: 'proxy',
  verbs: proxyVerbs,
  shows: { group: '', version: 'v1', kind: 'ServiceProxyOptions' },
  parameters: [proxiedPath],
  takesPath: true,
  async locate(call) {
    const { scheme, name, port } = splitName(call.ref.name, 'service');
    const service = await call.objects.get(services, { ...call.ref, name });
    if (service === undefined) throw notFound({ ...services, name });
    const portName = portNameOf(service, port);
    const found = await call.objects.get(endpoints, { ...call.ref, name });
    const choices = choicesOf(found, portName);
    const chosen = choices[Math.floor(Math.random() * choices.length)];
    if (chosen === undefined)
      throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(call.ref.name)}`);
    await refuseStranger(chosen.address, call);
    const { address, number } = chosen;
    return {
      scheme: scheme ?? 'http',
      host: address.ip ?? '',
      port: number,
      path: call.rest,
      isNode: false,
      mode: 'relay',
    };
  },
};

/** Ports are named in endpoints; a number stands for the service port that has it. */
function portNameOf({ spec, metadata }: Service, port: string): string {
  if (!/^[0-9]+$/.test(port)) return port;
  const found = (spec?.ports ?? []).find((one) => one.port === Number(port));
  if (found !== undefined) return found.name ?? '';
  throw serviceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(metadata.name)}`);
}

function choicesOf(found: Endpoints | undefined, portName: string): readonly { address: Address; number: number }[] {
  return (found?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter(({ name = '' }) => name === portName)
      .flatMap(({ port = 0 }) => addresses.map((address) => ({ address, number: port }))),
  );
}

/** Endpoints can be written by hand: only addresses of pods that exist are fine. */
async function refuseStranger({ ip = '', targetRef }: Address, { objects, ref }: ConnectCall): Promise<void> {
  refuseOwnAddress(ip);
  const known = targetRef?.kind === 'Pod' && targetRef.name;
  const pod = known
    ? await objects.get(pods, { namespace: targetRef.namespace || ref.namespace, name: known })
    : undefined;
  const addresses = pod?.status?.podIPs ?? [];
  if (!addresses.some((one) => one.ip === ip))
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(ref.name)}`);
}
