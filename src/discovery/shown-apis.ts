// All group-versions that clients find here, in the order in which they find them: those of this server, and those that
// other servers serve in its name.

import { compareVersions } from '../meta/version-order.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { Chunks } from './chunks.ts';
import type { OpenApiFragment } from './openapi/fragment.ts';

/** A group-version of another server. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  /** What aggregated discovery says of its resources. */
  readonly discovered: readonly object[];
  /** Stale where the other server could not be asked. */
  readonly freshness: 'Current' | 'Stale';
  /** The hash of its OpenAPI 3 document, which the other server has; undefined where there is none. */
  readonly openApiHash: string | undefined;
  /** Its OpenAPI 3 document, where the other server has only one of version 2. */
  readonly convertedOpenApi: ConvertedOpenApi | undefined;
  /** Its part of the OpenAPI 2 document. */
  readonly openApi: OpenApiFragment | undefined;
}

/** An OpenAPI 3 document that was made of one of version 2. */
export interface ConvertedOpenApi {
  readonly hash: string;
  /** JSON. */
  readonly chunks: Chunks;
}

/** What other servers serve. */
export interface RemoteVersions {
  /** Another array after each change. */
  readonly versions: readonly RemoteVersion[];
  /** Priorities that APIServices give to this server's own group-versions, by their name; another map after each change. */
  readonly localPriorities: ReadonlyMap<string, Priority>;
  /** Group-versions of this server whose APIService is gone, by its name; another set after each change. */
  readonly unlisted: ReadonlySet<string>;
}

export interface Priority {
  readonly group: number;
  readonly version: number;
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

  #listed:
    | {
        readonly versions: readonly ShownVersion[];
        readonly localPriorities: RemoteVersions['localPriorities'];
        readonly unlisted: RemoteVersions['unlisted'];
        readonly listed: readonly ShownVersion[];
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

  /**
   * The same as the APIServices that are stored have it, whose order may have been changed, and some of which may be gone.
   * compat: lists of groups follow the stored APIServices, the aggregated document does not
   */
  get listed(): readonly ShownVersion[] {
    const { versions } = this;
    const { localPriorities, unlisted } = this.#remote;
    const made = this.#listed;
    if (made?.versions !== versions || made.localPriorities !== localPriorities || made.unlisted !== unlisted) {
      const listed = reordered(withoutUnlisted(versions, unlisted), localPriorities);
      this.#listed = { versions, localPriorities, unlisted, listed };
    }
    return (this.#listed as NonNullable<typeof made>).listed;
  }

  /** Of one group; all of its versions where none is listed. */
  listedOf(group: string): readonly ShownVersion[] {
    const ofGroup = (one: ShownVersion) => one.group === group;
    const listed = this.listed.filter(ofGroup);
    return listed.length > 0 ? listed : this.versions.filter(ofGroup);
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
  return sorted([...local.filter((one) => !taken.has(keyOf(one))), ...remote], ({ priority }) => priority);
}

const withoutUnlisted = (versions: readonly ShownVersion[], unlisted: RemoteVersions['unlisted']) =>
  unlisted.size === 0 ? versions : versions.filter((one) => isRemote(one) || !unlisted.has(nameOf(one)));

/** The name of its APIService. */
const nameOf = ({ group, version }: ShownVersion) => `${version}.${group}`;

/** Nothing is sorted where no APIService says anything else than the server itself. */
function reordered(
  versions: readonly ShownVersion[],
  priorities: RemoteVersions['localPriorities'],
): readonly ShownVersion[] {
  const given = (one: ShownVersion) => (isRemote(one) ? undefined : priorities.get(nameOf(one)));
  const isEdited = versions.some((one) => {
    const told = given(one);
    return told !== undefined && (told.group !== one.priority.group || told.version !== one.priority.version);
  });
  return isEdited ? sorted(versions, (one) => given(one) ?? one.priority) : versions;
}

function sorted(
  versions: readonly ShownVersion[],
  priorityOf: (shown: ShownVersion) => Priority,
): readonly ShownVersion[] {
  const ranks = new Map<string, number>();
  for (const one of versions) ranks.set(one.group, Math.max(priorityOf(one).group, ranks.get(one.group) ?? 0));
  const rank = ({ group }: ShownVersion) => ranks.get(group) ?? 0;
  return versions.toSorted(
    (a, b) =>
      rank(b) - rank(a) ||
      (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) ||
      priorityOf(b).version - priorityOf(a).version ||
      compareVersions(a.version, b.version),
  );
}

const keyOf = ({ group, version }: { readonly group: string; readonly version: string }) => `${group}/${version}`;
