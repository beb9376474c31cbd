// Who is calling: authenticators in order, the first that recognises the caller decides.

import type { X509Certificate } from 'node:crypto';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiRequest, ClientCertificate } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import { anonymousUser, authenticatedGroup, type UserInfo } from '../meta/user.ts';

/** Undefined: these are not my credentials, ask the next one. Throws 401 for credentials that are wrong. */
export type Authenticator = (request: ApiRequest) => MaybePromise<UserInfo | undefined>;

/** Calls that never left the process say themselves who they are. */
export const inProcess: Authenticator = ({ peer }) => peer.trustedUser;

/** A known user is also a member of everybody who is known. */
export function authenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

export interface CertificateConfig {
  /** Key under which extra information names the credential. */
  readonly credentialKey: string;
  /** Who may sign the certificates of users; undefined for everybody the transport believes. */
  readonly authorities: () => readonly X509Certificate[] | undefined;
}

/** Subject of a verified client certificate: the common name is the user, organizations are groups. */
export function clientCertificate({ credentialKey, authorities }: CertificateConfig): Authenticator {
  // one certificate serves a whole connection: its user is made once
  const users = new WeakMap<ClientCertificate, UserInfo>();
  return ({ peer: { certificate } }) => {
    if (certificate === undefined || certificate.commonName === '') return undefined;
    let user = users.get(certificate);
    if (user === undefined) {
      const allowed = authorities();
      if (allowed !== undefined && !certificate.isSignedBy(allowed)) return undefined;
      const { commonName: name, organizations, sha256 } = certificate;
      user = authenticated({ name, groups: organizations, extra: { [credentialKey]: [`X509SHA256=${sha256}`] } });
      users.set(certificate, user);
    }
    return user;
  };
}

/** `Authorization: Bearer <token>`; a token that nobody knows is refused, even where no credentials are needed. */
export function bearerToken(tokens: Pick<Tokens, 'check' | 'audiences'>): Authenticator {
  return (request) => {
    const header = request.header('authorization');
    const token = header === undefined ? undefined : tokenIn(header);
    if (token === undefined) return undefined;
    return tokens.check(token, tokens.audiences).then((outcome) => {
      if (!outcome.known) throw unauthorized();
      return authenticated(outcome.owner.user);
    });
  };
}

function tokenIn(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** Who brought a certificate that is not believed, and nothing else, is refused. */
export const refuseBadCertificate: Authenticator = ({ peer }) => {
  if (peer.certificateError !== undefined) throw unauthorized();
  return undefined;
};

/** Everybody else, as nobody in particular, where that is allowed. */
export function anonymous(isAllowed: (path: string) => boolean): Authenticator {
  return ({ path }) => (isAllowed(path) ? anonymousUser : undefined);
}
