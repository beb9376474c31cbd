// Entries of a catalog of controllers, and which of them a selection names.

import type { Controller, ControllerContext } from './controller.ts';
import { otherControllers } from './other-controllers.ts';

/** Feature gates that turn controllers on. */
export interface ControllerGates {
  readonly ClusterTrustBundle: boolean;
  readonly PodCertificateRequest: boolean;
}

interface ControllerNames {
  readonly name: string;
  /** Older names, which are understood as well. */
  readonly aliases: readonly string[];
}

/** `Parts` is what controllers of a catalog need beyond the API. */
export interface ControllerEntry<Parts> extends ControllerNames {
  readonly offByDefault?: true;
  /** Runs as part of kube-apiserver, so that a selection made for kube-controller-manager does not leave it out. */
  readonly partOfServer?: true;
  /** The feature gate without which it does not run. */
  readonly gate?: keyof ControllerGates;
  make(context: ControllerContext, parts: Parts): Controller;
}

/** Words in a selection that name no controller; a controller that runs elsewhere may be switched off only. */
export function unknownControllers(
  selection: readonly string[],
  entries: readonly ControllerNames[],
): readonly string[] {
  const names = new Set(entries.flatMap(({ name, aliases }) => [name, ...aliases]));
  const isElsewhere = (item: string) => item.startsWith('-') && otherControllers.has(item.slice(1));
  return selection.filter((item) => item !== '*' && !names.has(item.replace(/^-/, '')) && !isElsewhere(item));
}

/**
 * `*` stands for all that are on by default, `name` turns one on, `-name` off. The first word on a controller counts.
 * What is part of the server goes on unless it is turned off; an empty selection runs nothing at all.
 */
export function isSelected(entry: Omit<ControllerEntry<never>, 'make'>, selection: readonly string[]): boolean {
  const { name, aliases, offByDefault = false, partOfServer = false } = entry;
  const names = [name, ...aliases];
  const word = selection.find((item) => names.includes(item.replace(/^-/, '')));
  if (word !== undefined) return !word.startsWith('-');
  return selection.includes('*') ? !offByDefault : partOfServer && selection.length > 0;
}
