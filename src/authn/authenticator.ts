// Who is calling: authenticators in order, the first that recognises the caller decides.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import { anonymousUser, authenticatedGroup, type UserInfo } from '../meta/user.ts';

/** Undefined: these are not my credentials, ask the next one. Throws 401 for credentials that are wrong. */
export type Authenticator = (request: ApiRequest) => MaybePromise<UserInfo | undefined>;

/** Calls that never left the process say themselves who they are. */
export const inProcess: Authenticator = ({ peer }) => peer.trustedUser;

/** Subject of a verified client certificate: the common name is the user, organizations are groups. */
export const clientCertificate: Authenticator = ({ peer }) => {
  if (peer.certificateError !== undefined) throw unauthorized();
  return peer.certificate && userOf(peer.certificate);
};

type Certificate = NonNullable<ApiRequest['peer']['certificate']>;

// one certificate serves a whole connection: its user is made once
const users = new WeakMap<Certificate, UserInfo>();

function userOf(certificate: Certificate): UserInfo | undefined {
  if (certificate.commonName === '') return undefined;
  let user = users.get(certificate);
  if (user === undefined) {
    user = { name: certificate.commonName, groups: [...certificate.organizations, authenticatedGroup] };
    users.set(certificate, user);
  }
  return user;
}

/** Credentials that no authenticator before this one recognised are wrong. */
export const refuseUnrecognised: Authenticator = (request) => {
  if (request.header('authorization') !== undefined) throw unauthorized();
  return undefined;
};

/** Everybody else, as nobody in particular, on these paths and below them. */
export function anonymousOn(paths: readonly string[]): Authenticator {
  return ({ path }) => (paths.some((open) => path === open || path.startsWith(`${open}/`)) ? anonymousUser : undefined);
}
