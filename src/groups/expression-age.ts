// Which expressions of an object are new: they may use only what every server of the cluster knows.

import { type EffectiveVersions, ownVersions } from '../meta/effective-versions.ts';

export interface ExpressionAge {
  /** The minor release whose functions new expressions may use. */
  readonly newest: number;
  /** The expressions that were stored before. */
  readonly stored: ReadonlySet<string>;
}

export function expressionAge(
  { minCompatibility }: EffectiveVersions = ownVersions,
  stored: Iterable<string | undefined> = [],
): ExpressionAge {
  return { newest: minCompatibility.minor, stored: new Set(Array.from(stored, (text) => text?.trim() ?? '')) };
}
