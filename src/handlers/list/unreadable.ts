// What a request about many objects says of those that cannot be read.

import type { MaybePromise } from '../../base/maybe-promise.ts';
import { storageReadError } from '../../meta/status.ts';
import type { Call } from '../call.ts';

/** Headers have room for a few names only. */
const maxNames = 5;

/** A list leaves them out, and says so. */
export function warnOfUnreadable(call: Call): MaybePromise<void> {
  const { registry, ref, exchange } = call;
  if (!registry.hasUnreadable) return;
  return registry.unreadableNames(ref.namespace).then((names) => {
    if (names.length === 0) return;
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
    const some = names.slice(0, maxNames).join(', ');
    exchange.warn(
      `left out, because they cannot be read from the storage: ${registry.definition.plural} ${some}${more}`,
    );
  });
}

/** Deleting a collection must not claim to have deleted what it cannot even read. */
export async function refuseUnreadable({ registry, ref }: Call): Promise<void> {
  if (!registry.hasUnreadable) return;
  const names = await registry.unreadableNames(ref.namespace);
  if (names.length > 0) throw storageReadError(registry.subject(''), names);
}
