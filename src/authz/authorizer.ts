// May they: authorizers in order, the first with an opinion decides.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';

export interface AuthorizationRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

export type Decision =
  | { readonly kind: 'allow' | 'noOpinion'; readonly reason?: string }
  | { readonly kind: 'deny'; readonly reason: string };

export type Authorizer = (request: AuthorizationRequest) => MaybePromise<Decision>;

const allowed: Decision = { kind: 'allow' };

export const alwaysAllow: Authorizer = () => allowed;
