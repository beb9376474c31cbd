// All group-versions that clients find here, in the order in which they find them: those of this server, and those that
// other servers serve in its name.

import { compareVersions } from '../meta/version-order.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { OpenApiFragment } from './openapi/fragment.ts';

/** A group-version of another server. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: { readonly group: number; readonly version: number };
  /** What aggregated discovery says of its resources. */
  readonly discovered: readonly object[];
  /** Stale where the other server could not be asked. */
  readonly freshness: 'Current' | 'Stale';
  /** The hash of its OpenAPI 3 document, which the other server has; undefined where there is none. */
  readonly openApiHash: string | undefined;
  /** Its part of the OpenAPI 2 document. */
  readonly openApi: OpenApiFragment | undefined;
}

/** What other servers serve. */
export interface RemoteVersions {
  /** Another array after each change. */
  readonly versions: readonly RemoteVersion[];
}

export type ShownVersion = GroupVersionDefinition | RemoteVersion;

export const isRemote = (shown: ShownVersion): shown is RemoteVersion => 'freshness' in shown;

export const isLocal = (shown: ShownVersion): shown is GroupVersionDefinition => !isRemote(shown);

export class ShownApis {
  readonly #resources: Resources;
  readonly #remote: RemoteVersions;
  #made:
    | {
        readonly local: readonly GroupVersionDefinition[];
        readonly remote: readonly RemoteVersion[];
        readonly versions: readonly ShownVersion[];
      }
    | undefined;

  constructor(resources: Resources, remote: RemoteVersions) {
    this.#resources = resources;
    this.#remote = remote;
  }

  /** The same array until something changes. */
  get versions(): readonly ShownVersion[] {
    const local = this.#resources.groupVersions;
    const remote = this.#remote.versions;
    if (this.#made?.local !== local || this.#made.remote !== remote) {
      const discovered = discoveredOf(local);
      this.#made = { local, remote, versions: remote.length === 0 ? discovered : merged(discovered, remote) };
    }
    return this.#made.versions;
  }

  /** A group-version of this server, with those of its resources that are shown. */
  findLocal(group: string, version: string): GroupVersionDefinition | undefined {
    const served = this.#resources.findGroupVersion(group, version);
    return served && discoveredOf([served])[0];
  }

  hasGroup(group: string): boolean {
    const { versions } = this.#remote;
    return versions.some((one) => one.group === group) || (this.#resources.hasGroup(group) && this.#shows(group));
  }

  #shows(group: string): boolean {
    return this.versions.some((one) => one.group === group);
  }
}

/** The same array where everything is shown. */
function discoveredOf(served: readonly GroupVersionDefinition[]): readonly GroupVersionDefinition[] {
  if (!served.some(({ resources }) => resources.some(isHidden))) return served;
  const shown = served.map((gv) => ({ ...gv, resources: gv.resources.filter((one) => !isHidden(one)) }));
  return shown.filter(({ resources }) => resources.length > 0);
}

const isHidden = ({ undiscovered }: ResourceDefinition) => undiscovered === true;

/** What another server serves is not shown as this server's own. */
function merged(local: readonly GroupVersionDefinition[], remote: readonly RemoteVersion[]): readonly ShownVersion[] {
  const taken = new Set(remote.map(keyOf));
  const all: ShownVersion[] = [...local.filter((one) => !taken.has(keyOf(one))), ...remote];
  const ranks = new Map<string, number>();
  for (const { group, priority } of all) ranks.set(group, Math.max(priority.group, ranks.get(group) ?? 0));
  const rank = ({ group }: ShownVersion) => ranks.get(group) ?? 0;
  return all.sort(
    (a, b) =>
      rank(b) - rank(a) ||
      (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) ||
      b.priority.version - a.priority.version ||
      compareVersions(a.version, b.version),
  );
}

const keyOf = ({ group, version }: { readonly group: string; readonly version: string }) => `${group}/${version}`;
