// Where the API servers of this cluster are reached, and what they serve with: requests that go on to other servers
// must not come back here, where the server's own certificate would count for more than the client's.

import { createHash, X509Certificate } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { Endpoints } from '../../groups/core/v1/service/endpoints.ts';
import type { Service } from '../../groups/core/v1/service/service-type.ts';
import type { OwnServers } from '../../meta/backend.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { isLocal, plainAddress } from '../../meta/ip.ts';
import type { ObjectAccess } from '../../schema/object-access.ts';
import type { ListenerIdentity } from '../../transport/http/listener.ts';

const services = { group: '', version: 'v1', resource: 'services' };
const endpoints = { ...services, resource: 'endpoints' };

/** Filled while the server runs. */
export class OwnPresence {
  readonly #keys = new Set<string>();
  #ports: readonly number[] = [];

  listensAt(ports: readonly number[]): void {
    this.#ports = ports;
  }

  /** Certificates that were shown once stay ours: connections made with them are still open. */
  shows({ certificate, named }: ListenerIdentity): void {
    for (const pem of [certificate, ...named.map((pair) => pair.certificate)])
      this.#keys.add(keyOf(new X509Certificate(pem)));
  }

  /** The listener is reached at every address of this machine, as far as can be told from outside. */
  isReachedAt(address: string, port: number): boolean {
    return this.#ports.includes(port) && isThisMachine(address);
  }

  servesWith(certificate: X509Certificate): boolean {
    return this.#keys.has(keyOf(certificate));
  }
}

const keyOf = ({ publicKey }: X509Certificate): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Also for addresses that mean this machine wherever they are used. */
export function isThisMachine(text: string): boolean {
  const address = plainAddress(text);
  if (address === undefined || isLocal(address)) return true;
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return own.some((one) => isSame(one.address, text));
}

/** This server and its replicas, which the cluster knows by the service that stands for all of them. */
export function ownServers(presence: OwnPresence, objects: ObjectAccess, { vendor }: Dialect): OwnServers {
  const ref = { namespace: 'default', name: vendor };
  return {
    async areReachedAt(address, port) {
      if (presence.isReachedAt(address, port)) return true;
      const service = (await objects.get(services, ref)) as Service | undefined;
      if (serviceHas(service, address)) return true;
      return endpointsHave((await objects.get(endpoints, ref)) as Endpoints | undefined, address, port);
    },
    // every API server's certificate is for this name, and no agent's
    serveWith: (certificate) =>
      presence.servesWith(certificate) ||
      certificate.checkHost(`${vendor}.default.svc`, { subject: 'never', wildcards: false }) !== undefined,
  };
}

const isSame = (a: string, b: string) => {
  const [one, other] = [plainAddress(a), plainAddress(b)];
  return one !== undefined && one.family === other?.family && one.value === other.value;
};

function serviceHas(service: Service | undefined, address: string): boolean {
  const { clusterIP = '', clusterIPs = [], externalIPs = [] } = service?.spec ?? {};
  return [clusterIP, ...clusterIPs, ...externalIPs].some((one) => isSame(one, address));
}

function endpointsHave(found: Endpoints | undefined, address: string, port: number): boolean {
  return (found?.subsets ?? []).some(
    ({ addresses = [], ports = [] }) =>
      ports.some((one) => one.port === port) && addresses.some(({ ip = '' }) => isSame(ip, address)),
  );
}
