// Flags about releases: which one to behave like, and which one to stay compatible with.

import { flag, inGroup } from './flag.ts';
import { anyText, repeated } from './flag-values.ts';

export const versionFlags = inGroup('API', [
  flag({
    name: 'emulated-version',
    option: 'emulatedVersion',
    type: repeated(anyText),
    help: 'Release to behave like, such as 1.35 or kube=1.35; at most three before this one.',
  }),
  flag({
    name: 'min-compatibility-version',
    option: 'minCompatibilityVersion',
    type: repeated(anyText),
    help: 'Oldest release among the servers of the cluster; new CEL expressions use only what it has. One before --emulated-version by default.',
  }),
]);
