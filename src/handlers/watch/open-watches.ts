// The open watches of this thread, with who has them and how far behind they are.

import type { Resources } from '../../registry/resources.ts';
import { openSharedWatches, type SharedWatch } from './shared-watch.ts';
import { type WatchClient, Watcher } from './watcher.ts';

interface OpenWatch extends WatchClient {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Label and field selectors, as text. */
  readonly selector: string;
  readonly sentBytes: number;
  /** What its client has not taken yet. */
  readonly unsentBytes: number;
}

export interface OpenWatches {
  /** Those that are furthest behind first, then those that were sent most. */
  readonly watches: readonly OpenWatch[];
  readonly total: number;
}

const maxShownWatches = 500;

export function openWatchesOf(resources: Resources): OpenWatches {
  const watches: OpenWatch[] = [];
  for (const registry of resources.openRegistries())
    for (const shared of openSharedWatches(registry))
      for (const member of shared.members) if (member instanceof Watcher) watches.push(openWatch(shared, member));
  return firstOf(watches, watches.length);
}

/** Those of several threads. */
export const joinedWatches = (parts: readonly OpenWatches[]): OpenWatches =>
  firstOf(
    parts.flatMap(({ watches }) => watches),
    parts.reduce((sum, { total }) => sum + total, 0),
  );

function firstOf(watches: readonly OpenWatch[], total: number): OpenWatches {
  const order = (a: OpenWatch, b: OpenWatch) => b.unsentBytes - a.unsentBytes || b.sentBytes - a.sentBytes;
  return { watches: watches.toSorted(order).slice(0, maxShownWatches), total };
}

function openWatch({ definition, selection }: SharedWatch, { client, sentBytes, unsentBytes }: Watcher): OpenWatch {
  const { group, version, plural } = definition;
  return {
    ...client,
    ...{ group, version, resource: plural, namespace: selection.namespace },
    selector: selectorText(selection),
    ...{ sentBytes, unsentBytes },
  };
}

const longestSelector = 200;

function selectorText({ labels, fields }: SharedWatch['selection']): string {
  const parts = [
    ...labels.map(({ key, operator, values }) => `${key} ${operator} ${values.join(',')}`.trim()),
    ...fields.map(({ field, operator, value }) => `${field}${operator}${value}`),
  ];
  return parts.join('; ').slice(0, longestSelector);
}
