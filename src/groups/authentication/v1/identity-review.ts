// Reviews of identity: who the caller is, and which user a token stands for.

import type { Dialect } from '../../../meta/dialect.ts';
import { badRequest } from '../../../meta/status.ts';
import { formatTime } from '../../../meta/time.ts';
import type { TokenOutcome } from '../../../meta/tokens.ts';
import { authenticated, type UserInfo } from '../../../meta/user.ts';
import type { Action } from '../../../schema/action.ts';

export const reviewOneself: Action = {
  async run({ kind, apiVersion }, { user, clock }) {
    const metadata = { creationTimestamp: formatTime(clock.now()) };
    return { kind, apiVersion, metadata, status: { userInfo: userInfo(user) } };
  },
};

export const reviewToken: Action = {
  async run(review, { tokens, dialect }) {
    const { token = '', audiences = [] } = (review['spec'] ?? {}) as {
      readonly token?: string;
      readonly audiences?: readonly string[];
    };
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const outcome = await tokens.check(token, audiences.length === 0 ? tokens.audiences : audiences);
    return { ...review, status: statusOf(outcome, dialect) };
  },
};

function statusOf(outcome: TokenOutcome, { rules }: Dialect): object {
  if (outcome.known) {
    const { user, audiences } = outcome.owner;
    return {
      authenticated: true,
      user: userInfo(authenticated(user)),
      ...(audiences.length === 0 ? {} : { audiences }),
    };
  }
  const { errors } = outcome;
  const error = errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
  return { ...(rules.reviewFlags === 'stated' ? { authenticated: false } : {}), user: {}, error };
}

function userInfo({ name, uid, groups, extra }: UserInfo) {
  const sorted = extra && Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(sorted === undefined ? {} : { extra: sorted }),
  };
}
