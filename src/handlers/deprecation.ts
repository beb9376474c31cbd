// What is said about the use of deprecated resources.

import { type Dialect, groupName } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { release } from '../meta/release.ts';
import type { ResourceDefinition } from '../schema/resource.ts';

/** Warns the client, and marks the request for metrics and audit. */
export function noteDeprecation(exchange: Exchange, definition: ResourceDefinition, dialect: Dialect): void {
  const { deprecated } = definition;
  if (deprecated === undefined || deprecated.since > release.minor) return;
  exchange.removedRelease = deprecated.removed === undefined ? '' : `1.${deprecated.removed}`;
  exchange.warn(deprecationWarning(definition, dialect));
}

function deprecationWarning(definition: ResourceDefinition, dialect: Dialect): string {
  const { since = 0, removed, warning } = definition.deprecated ?? {};
  if (warning !== undefined) return warning;
  const unavailable = removed === undefined ? '' : `, unavailable in v1.${removed}+`;
  const instead = replacementOf(definition, dialect);
  const advice = instead === undefined ? '' : `; use ${instead}`;
  return `${formatApiVersion(definition)} ${definition.kind} is deprecated in v1.${since}+${unavailable}${advice}`;
}

/** What to use instead, as clients are told. */
function replacementOf({ deprecated = { since: 0 } }: ResourceDefinition, dialect: Dialect): string | undefined {
  const { replacement, listedReplacement } = deprecated;
  const advised = dialect.rules.removedVersions === 'asListed' ? (listedReplacement ?? replacement) : replacement;
  if (advised === undefined || typeof advised === 'string') return advised;
  return `${formatApiVersion({ ...advised, group: groupName(dialect, advised.group) })} ${advised.kind}`;
}
