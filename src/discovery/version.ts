// What /version says. Clients read the Kubernetes release they can expect from it.

import { packageVersion } from '../base/package-version.ts';
import { parseAccept } from '../codec/accept.ts';
import type { EffectiveVersions } from '../meta/effective-versions.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { release } from '../meta/release.ts';
import { noRepresentation } from '../meta/status.ts';
import { json } from './routes.ts';

const jsonType = 'application/json';

/** The version is there in JSON only. */
export function answerVersion({ request }: Exchange, versions: EffectiveVersions): ApiResponse {
  const accepted = parseAccept(request.header('accept') || '*/*');
  if (!accepted.some(({ type }) => type === '*/*' || type === jsonType)) throw noRepresentation([jsonType]);
  return json(versionInfo(versions), {}, true);
}

export function versionInfo({ emulation, minCompatibility }: EffectiveVersions) {
  const major = String(release.major);
  const minor = String(release.minor);
  return {
    major,
    minor,
    emulationMajor: String(emulation.major),
    emulationMinor: String(emulation.minor),
    minCompatibilityMajor: String(minCompatibility.major),
    minCompatibilityMinor: String(minCompatibility.minor),
    gitVersion: `v${major}.${minor}.${release.patch}+keelson-${packageVersion()}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.versions.node}`,
    compiler: `v8-${process.versions.v8}`,
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
