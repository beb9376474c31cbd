// Finds out who is calling.

import type { Authenticator } from '../authn/authenticator.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Exchange } from '../meta/exchange.ts';
import { ApiError, unauthorized } from '../meta/status.ts';
import { anonymousUser, type UserInfo } from '../meta/user.ts';
import type { Stage } from './stage.ts';

/** Counts who is let in and who is not, and how long those waited whose credentials had to be looked up. */
export interface AuthenticationObserver {
  succeeded(user: UserInfo, seconds: number): void;
  refused(result: 'failure' | 'error', seconds: number): void;
}

export function authenticate(
  authenticators: readonly Authenticator[],
  clock: Clock,
  observer?: AuthenticationObserver,
): Stage {
  return function authenticate(exchange) {
    try {
      const asked = ask(exchange, authenticators, 0);
      if (isPromise(asked)) return observer === undefined ? asked : observed(exchange, asked, observer, clock);
      // most callers are known at once, in less time than it takes to read the clock
      observer?.succeeded(exchange.user, 0);
      return asked;
    } catch (error) {
      observer?.refused(isRefusal(error) ? 'failure' : 'error', 0);
      throw error;
    }
  };
}

function observed(exchange: Exchange, asked: Promise<undefined>, observer: AuthenticationObserver, clock: Clock) {
  const seconds = () => (clock.now() - exchange.startedAt) / 1000;
  return asked.then(
    () => {
      observer.succeeded(exchange.user, seconds());
      return undefined;
    },
    (error: unknown) => {
      observer.refused('error', seconds());
      throw error;
    },
  );
}

/** No authenticator knew the caller; any other error is the failure of an authenticator. */
const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 401;

function ask(exchange: Exchange, authenticators: readonly Authenticator[], from: number): MaybePromise<undefined> {
  for (let i = from; i < authenticators.length; i++) {
    const found = (authenticators[i] as Authenticator)(exchange.request, exchange);
    if (isPromise(found)) {
      return found.then((user) => {
        if (user === undefined) return ask(exchange, authenticators, i + 1);
        return admit(exchange, user, authenticators[i]);
      });
    }
    if (found !== undefined) return admit(exchange, found, authenticators[i]);
  }
  throw unauthorized();
}

function admit(exchange: Exchange, user: UserInfo, by: Authenticator | undefined): undefined {
  exchange.user = user;
  exchange.notes?.authenticated(by?.name ?? '', user);
  if (user !== anonymousUser) exchange.request.markAuthenticated?.();
}
