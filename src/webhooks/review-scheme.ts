// The kinds that the answer of a webhook may say it is of: those of the reviews, and what every API has.

import type { DialectNames } from '../meta/dialect.ts';
import { Scheme } from '../schema/scheme.ts';

/** compat: messages name a scheme by where the reference server declares it */
export const schemeOfReviews = ({ apiDomain }: DialectNames): string =>
  `${apiDomain}/apiserver/pkg/util/webhook/client.go:71`;

/** compat: messages name types as the reference implementation's language does */
const ofMeta = { of: 'v1', home: 'v1' };
const everywhere = [
  ...['CreateOptions', 'DeleteOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions'],
  'WatchEvent',
];
const unversioned = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];

interface ReviewKinds {
  readonly group: string;
  readonly versions: readonly string[];
  /** Those of the group besides what every API has. */
  readonly kinds: readonly string[];
  /** What messages call the scheme. */
  readonly name: string;
}

/** No version of a review is read as another one. */
export function reviewScheme({ group, versions, kinds, name }: ReviewKinds): Scheme {
  const scheme = new Scheme(name);
  for (const version of versions) {
    for (const kind of kinds) scheme.register({ group, version, kind }, { of: version, home: version });
    for (const kind of everywhere) scheme.register({ group, version, kind }, ofMeta);
  }
  for (const kind of unversioned) scheme.registerInAnyVersion(kind, ofMeta);
  return scheme;
}
