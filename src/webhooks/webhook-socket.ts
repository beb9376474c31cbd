// Connections to webhooks: services are looked up, and no way leads back to an API server of this cluster.

import type { SecureContext, TLSSocket } from 'node:tls';
import type { OwnServers } from '../meta/backend.ts';
import type { FlawObserver } from './certificate-flaws.ts';
import { connectChecked } from './checked-socket.ts';
import type { LocateService } from './service-destination.ts';
import type { WebhookPlace } from './webhook-target.ts';

interface SocketOptions {
  readonly locate: LocateService;
  readonly own: OwnServers;
  readonly context: SecureContext;
  readonly onFlaw: FlawObserver | undefined;
}

export async function connectToWebhook(
  place: WebhookPlace,
  { locate, own, context, onFlaw }: SocketOptions,
): Promise<TLSSocket> {
  const { host, port, service } = place;
  const to = service === undefined ? { host, port } : await locate({ ...service, port });
  return connectChecked(to, { own, context, serverName: host, protocols: ['http/1.1'], onFlaw });
}
