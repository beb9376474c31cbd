// deprecatedTopology of endpoints, which clients of v1 cannot write.

import { isSameJson } from '../../../base/json/json.ts';
import { type Dialect, hostnameLabel } from '../../../meta/dialect.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { Labels } from '../../../meta/object.ts';

interface Endpoint {
  readonly addresses?: readonly string[];
  readonly nodeName?: string;
  readonly deprecatedTopology?: Labels;
}

/** The endpoints that a client of v1 sent, with the topology that they may have. `stored` are those of the object so far. */
export function withoutWrittenTopology<E extends Endpoint>(
  sent: readonly E[],
  stored: readonly E[],
  dialect: Dialect,
): readonly E[] {
  return dialect.rules.endpointTopology === 'dropped'
    ? dropTopology(sent, stored, hostnameLabel(dialect))
    : restoreTopology(sent, stored);
}

/** Nodes that the stored object names in no other way move into nodeName. */
function dropTopology<E extends Endpoint>(sent: readonly E[], stored: readonly E[], label: string): readonly E[] {
  const hosts = new Set(stored.map(({ deprecatedTopology }) => deprecatedTopology?.[label]));
  return sent.map(({ deprecatedTopology, ...rest }) => {
    const host = deprecatedTopology?.[label];
    const isMoved = rest.nodeName === undefined && host !== undefined && hosts.has(host);
    return (isMoved && checkSubdomain(host).length === 0 ? { ...rest, nodeName: host } : rest) as E;
  });
}

/**
 * An endpoint with the addresses of a stored one has the topology of that one. An endpoint with new addresses keeps the
 * topology that it sends if that is what a stored endpoint had whose addresses are gone.
 */
function restoreTopology<E extends Endpoint>(sent: readonly E[], stored: readonly E[]): readonly E[] {
  const byAddress = new Map<string, E[]>();
  for (const one of stored) byAddress.set(addressKey(one), [...(byAddress.get(addressKey(one)) ?? []), one]);
  const matches = sent.map((one) => byAddress.get(addressKey(one))?.shift());
  const unmatched = [...byAddress.values()].flat();
  return sent.map((one, index) => {
    const match = matches[index];
    return withTopology(one, match === undefined ? claimTopology(one, unmatched) : match.deprecatedTopology);
  });
}

const addressKey = ({ addresses = [] }: Endpoint) => JSON.stringify([...addresses].sort());

/** Takes the stored endpoint with the topology of `one` out of the list. */
function claimTopology<E extends Endpoint>({ deprecatedTopology: topology }: E, unmatched: E[]): Labels | undefined {
  if (topology === undefined) return undefined;
  const index = unmatched.findIndex(({ deprecatedTopology }) => isSameJson(deprecatedTopology, topology));
  return index < 0 ? undefined : unmatched.splice(index, 1)[0]?.deprecatedTopology;
}

function withTopology<E extends Endpoint>(endpoint: E, topology: Labels | undefined): E {
  const { deprecatedTopology: _, ...rest } = endpoint;
  return (topology === undefined ? rest : { ...rest, deprecatedTopology: topology }) as E;
}
