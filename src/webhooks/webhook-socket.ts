// Connections to webhooks: services are looked up, and no way leads back to an API server of this cluster.

import type { SecureContext, TLSSocket } from 'node:tls';
import type { OwnServers } from '../meta/backend.ts';
import type { FlawObserver } from './certificate-flaws.ts';
import { connectChecked } from './checked-socket.ts';
import { destinationOf, type LocateService, type ServiceLookup } from './service-destination.ts';
import type { WebhookPlace } from './webhook-target.ts';

interface SocketOptions {
  readonly objects: ServiceLookup;
  /** Where services are, if not at their cluster IP. */
  readonly locate?: LocateService | undefined;
  readonly own: OwnServers;
  readonly context: SecureContext;
  readonly onFlaw: FlawObserver | undefined;
}

export async function connectToWebhook(
  place: WebhookPlace,
  { objects, locate, own, context, onFlaw }: SocketOptions,
): Promise<TLSSocket> {
  const { service, port } = place;
  const to = await (service && locate ? locate({ ...service, port }) : destinationOf(place, objects));
  return connectChecked(to, { own, context, serverName: place.host, protocols: ['http/1.1'], onFlaw });
}
