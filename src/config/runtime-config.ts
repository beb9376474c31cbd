// The served group-versions and resources: the defaults, and the changes by options.

import { formatApiVersion, type GroupVersion } from '../meta/group-version.ts';
import { release } from '../meta/release.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';

/** Switches by name: `api/all`, `api/beta`, `apps/v1`, `apps/v1/deployments`. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/** The core group may also be named by its path. */
export function withCoreNames(config: RuntimeConfig): RuntimeConfig {
  const plain = (name: string) => name.replace(/^api\/(?=v\d)/, '');
  return Object.fromEntries(Object.entries(config).map(([name, isOn]) => [plain(name), isOn]));
}

/** The served part of a group-version; undefined if nothing is served. */
export function servedPart(
  groupVersion: GroupVersionDefinition,
  config: RuntimeConfig,
  gates: Readonly<Record<string, boolean>>,
): GroupVersionDefinition | undefined {
  const name = formatApiVersion(groupVersion);
  const isOn = isVersionOn(groupVersion, name, config);
  // what Kubernetes has removed is there for who names it
  const isNamed = groupVersion.resources.every(isRemoved) && config[name] === true;
  const isOpen = ({ featureGate }: ResourceDefinition) => featureGate === undefined || gates[featureGate] === true;
  const resources = groupVersion.resources.filter(
    (resource) => isOpen(resource) && (config[`${name}/${resource.plural}`] ?? (isRemoved(resource) ? isNamed : isOn)),
  );
  return resources.length === 0 ? undefined : { ...groupVersion, resources };
}

type Stage = Pick<GroupVersionDefinition, 'version' | 'offByDefault'>;

/** The most specific switch decides. */
export function isVersionOn({ version, offByDefault }: Stage, name: string, config: RuntimeConfig): boolean {
  return config[name] ?? config[`api/${stageOf(version)}`] ?? config['api/all'] ?? !offByDefault;
}

const isRemoved = ({ deprecated }: ResourceDefinition) => (deprecated?.removed ?? release.minor + 1) <= release.minor;

function stageOf(version: string): 'alpha' | 'beta' | 'ga' {
  return version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';
}

const general: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha'];

/** Names that switch nothing; `others` are known although they have no resources. */
export function unknownSwitches(
  config: RuntimeConfig,
  groupVersions: readonly GroupVersionDefinition[],
  others: readonly GroupVersion[] = [],
): string[] {
  const knownNames = new Set([...general, ...others.map(formatApiVersion)]);
  for (const groupVersion of groupVersions) {
    const name = formatApiVersion(groupVersion);
    knownNames.add(name);
    for (const { plural } of groupVersion.resources) knownNames.add(`${name}/${plural}`);
  }
  return Object.keys(config).filter((name) => !knownNames.has(name));
}
