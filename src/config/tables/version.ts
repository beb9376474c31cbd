// Options of releases: which one to behave like, and which one to stay compatible with.

import { option } from '../option.ts';
import { anyText, repeated } from '../value-types.ts';

export const versionOptions = {
  emulatedVersion: option({
    type: repeated(anyText),
    flag: 'emulated-version',
    help: 'Release to behave like, such as 1.35 or kube=1.35; at most three before this one.',
  }),
  minCompatibilityVersion: option({
    type: repeated(anyText),
    flag: 'min-compatibility-version',
    help: 'Oldest release among the servers of the cluster; new CEL expressions use only what it has. One before --emulated-version by default.',
  }),
};
