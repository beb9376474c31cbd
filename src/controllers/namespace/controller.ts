// Empties namespaces that are being deleted; looks again as soon as the last object that was left has gone.

import type { ControllerFactory } from '../controller.ts';
import { metadataOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { reconcileNamespace } from './reconcile.ts';

const slack = 8;

export const namespaceController: ControllerFactory = (context) => {
  /** Deletions seen in each namespace that is going. */
  const deletions = new Map<string, number>();
  /** The count at which nothing should be left. */
  const awaited = new Map<string, number>();

  async function work(name: string): Promise<WorkOutcome> {
    const outcome = await reconcileNamespace(context, name);
    if (outcome === 'done' || outcome === 'again') return outcome;
    // some may have gone while they were counted: the last few each cause a look
    awaited.set(name, (deletions.get(name) ?? 0) + outcome.remaining - slack);
    return 'again';
  }
  const queue = context.queue({ name: 'namespace', workers: 4, work });

  function onNamespace({ name, json }: StoredChange): void {
    const isGoing = json !== undefined && metadataOf(json)?.deletionTimestamp !== undefined;
    if (!isGoing) {
      deletions.delete(name);
      awaited.delete(name);
    } else if (!deletions.has(name)) {
      deletions.set(name, 0);
      queue.add(name);
    }
  }

  function onContent({ namespace, json }: StoredChange): void {
    const seen = deletions.get(namespace);
    if (json !== undefined || seen === undefined) return;
    deletions.set(namespace, seen + 1);
    if (seen + 1 >= (awaited.get(namespace) ?? Number.POSITIVE_INFINITY)) queue.add(namespace);
  }

  context.feed.subscribe({
    onChange(change) {
      if (change.resource.namespaced) onContent(change);
      else if (change.resource.group === '' && change.resource.plural === 'namespaces') onNamespace(change);
    },
    onRestart() {
      deletions.clear();
      awaited.clear();
    },
  });
  return { close: () => queue.close() };
};
