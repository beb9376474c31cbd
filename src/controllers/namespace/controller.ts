// Empties namespaces that are being deleted.

import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { Informer } from '../../client/informer.ts';
import { WorkQueue } from '../work-queue.ts';
import { reconcileNamespace } from './reconcile.ts';

export interface ControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  onError(fields: object, message: string): void;
}

export interface Controller {
  start(): void;
  close(): Promise<void>;
}

/** `finalizer` is the one that this controller removes when a namespace is empty. */
export function namespaceController({ client, clock, onError }: ControllerOptions, finalizer: string): Controller {
  const queue = new WorkQueue({
    clock,
    work: (name) => reconcileNamespace(client, name, finalizer),
    onError: (name, error) => onError({ namespace: name, err: error }, 'namespace could not be emptied'),
  });
  const informer = new Informer({
    client,
    clock,
    path: '/api/v1/namespaces',
    onChange({ metadata }) {
      if (metadata.deletionTimestamp !== undefined) queue.add(metadata.name ?? '');
    },
    onError: (error) => onError({ err: error }, 'namespaces could not be followed'),
  });
  return {
    start: () => informer.start(),
    async close() {
      await informer.close();
      await queue.close();
    },
  };
}
