// Connections to webhooks: services are looked up, and no way leads back to an API server of this cluster.

import type { SecureContext, TLSSocket } from 'node:tls';
import type { OwnServers } from '../meta/backend.ts';
import { connectChecked } from './checked-socket.ts';
import { destinationOf, type ServiceLookup } from './service-destination.ts';
import type { WebhookPlace } from './webhook-target.ts';

interface SocketOptions {
  readonly objects: ServiceLookup;
  readonly own: OwnServers;
  readonly context: SecureContext;
}

export async function connectToWebhook(
  place: WebhookPlace,
  { objects, own, context }: SocketOptions,
): Promise<TLSSocket> {
  const to = await destinationOf(place, objects);
  return connectChecked(to, { own, context, serverName: place.host, protocols: ['http/1.1'] });
}
