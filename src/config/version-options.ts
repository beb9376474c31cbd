// The releases to behave like and to stay compatible with, as kube-apiserver reads them from its flags.

import { type EffectiveVersions, formatRelease, ownVersions } from '../meta/effective-versions.ts';
import { release } from '../meta/release.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions } from './server-options.ts';

type VersionOption = 'emulatedVersion' | 'minCompatibilityVersion';
type MinorRelease = EffectiveVersions['emulation'];

const component = 'kube';
const floor: MinorRelease = { major: release.major, minor: release.minor - 3 };
const own: MinorRelease = ownVersions.emulation;

export function resolveVersions({
  emulatedVersion = [],
  minCompatibilityVersion = [],
}: Pick<ResolvedOptions, VersionOption>): EffectiveVersions {
  const emulation = readVersion('emulatedVersion', emulatedVersion) ?? own;
  const minCompatibility = readVersion('minCompatibilityVersion', minCompatibilityVersion) ?? releaseBefore(emulation);
  if (isOlder(own, emulation) || isOlder(emulation, floor))
    throw new OptionError(
      `emulatedVersion: emulation version ${formatRelease(emulation)} is not between ${range(`${formatRelease(own)}.0`)}`,
    );
  if (isOlder(emulation, minCompatibility) || isOlder(minCompatibility, floor))
    throw new OptionError(
      `minCompatibilityVersion: minCompatibilityVersion version ${formatRelease(minCompatibility)} is not between ${range(formatRelease(emulation))}`,
    );
  return { emulation, minCompatibility };
}

const range = (most: string) => `[${formatRelease(floor)}, ${most}]`;

const isOlder = (a: MinorRelease, b: MinorRelease) => a.major < b.major || (a.major === b.major && a.minor < b.minor);

function releaseBefore({ major, minor }: MinorRelease): MinorRelease {
  const before = { major, minor: Math.max(minor - 1, 0) };
  return isOlder(before, floor) ? floor : before;
}

/** Of one component, which is this server; a name for it may stand before the version. */
function readVersion(option: VersionOption, texts: readonly string[]): MinorRelease | undefined {
  let oldest: MinorRelease | undefined;
  for (const text of texts) {
    if (text === '') continue;
    const at = text.indexOf('=');
    const name = at < 0 ? component : text.slice(0, at).trim();
    const version = parseVersion(option, at < 0 ? text : text.slice(at + 1).trim());
    if (name !== component) throw new OptionError(`${option}: component not registered: ${name}`);
    if (oldest !== undefined) {
      const [first, second] = [oldest, version].map((one) => `${name}=${formatRelease(one)}`);
      throw new OptionError(`${option}: duplicate version flag, ${first} and ${second}`);
    }
    oldest = version;
  }
  return oldest;
}

function parseVersion(option: VersionOption, text: string): MinorRelease {
  const quotedText = JSON.stringify(text);
  const numbers = /^\s*v?(\d{1,9}(?:\.\d{1,9})*)/.exec(text)?.[1]?.split('.');
  if (numbers === undefined) throw new OptionError(`${option}: could not parse ${quotedText} as version`);
  if (numbers.length < 2) throw new OptionError(`${option}: illegal version string ${quotedText}`);
  const [major, minor, patch = 0] = numbers.map(Number) as [number, number, number?];
  if (patch !== 0)
    throw new OptionError(`${option}: patch version not allowed, got: ${component}=${major}.${minor}.${patch}`);
  return { major, minor };
}
