// The releases that a server behaves like and stays compatible with, which may be older than its own.

import { release } from './release.ts';

interface MinorRelease {
  readonly major: number;
  readonly minor: number;
}

export interface EffectiveVersions {
  /** The release whose behaviour the server shows. */
  readonly emulation: MinorRelease;
  /** The oldest release among the servers of the cluster: it must understand newly stored objects. */
  readonly minCompatibility: MinorRelease;
}

const { major, minor } = release;

/** A server is replaced by the release before it when an upgrade is taken back. */
export const ownVersions: EffectiveVersions = {
  emulation: { major, minor },
  minCompatibility: { major, minor: minor - 1 },
};

export const formatRelease = (of: MinorRelease): string => `${of.major}.${of.minor}`;
