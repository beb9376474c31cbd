// What the registry calls back during a write: warnings of the kind, and the last look before the store.

import type { WriteOptions } from '../../registry/write-options.ts';
import type { Call } from '../call.ts';

/** The client hears what the kind has to say; undefined where that is nothing. */
export function warner({ exchange, registry, subresource }: Call): WriteOptions['warn'] {
  const speaks = registry.strategy.warnings ?? (subresource?.is === 'part' ? subresource.warnings : undefined);
  return speaks === undefined ? undefined : (text) => exchange.warn(text);
}

/** Drops a write whose request has ended, and remembers of others that they were sent to the store. */
export function commitGuard({ exchange }: Call): () => void {
  return () => {
    exchange.throwIfEnded();
    exchange.commit();
  };
}
