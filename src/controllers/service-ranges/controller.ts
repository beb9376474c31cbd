// Reports that ranges of service addresses are ready, and keeps a range that is deleted while addresses depend on it.

import { groupName } from '../../meta/dialect.ts';
import type { ControllerFactory } from '../controller.ts';
import { metadataOf, only, pathOf, type StoredChange } from '../object-feed.ts';
import { reconcileRange } from './reconcile.ts';

export const serviceRangeController: ControllerFactory = (context) => {
  const group = groupName(context.dialect, 'networking');
  const isRange = only(group, 'servicecidrs');
  const isAddress = only(group, 'ipaddresses');
  const queue = context.queue({ name: 'servicecidrs', work: (path) => reconcileRange(context, path) });
  /** Paths of ranges that are being deleted: other ranges and addresses decide when that is possible. */
  const terminating = new Set<string>();

  function onRange(change: StoredChange): void {
    const path = pathOf(change.resource, change);
    const metadata = change.json && metadataOf(change.json);
    if (metadata?.deletionTimestamp === undefined) terminating.delete(path);
    else terminating.add(path);
    if (metadata !== undefined) queue.add(path);
  }

  context.feed.subscribe({
    wants: (resource) => isRange(resource) || isAddress(resource),
    onChange(change) {
      if (isRange(change.resource)) onRange(change);
      for (const path of terminating) queue.add(path);
    },
    onRestart: () => terminating.clear(),
  });
  return { close: () => queue.close() };
};
