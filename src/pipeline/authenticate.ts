// Finds out who is calling.

import type { Authenticator } from '../authn/authenticator.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Exchange } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import type { Stage } from './stage.ts';

export function authenticate(authenticators: readonly Authenticator[]): Stage {
  return function authenticate(exchange) {
    return ask(exchange, authenticators, 0);
  };
}

function ask(exchange: Exchange, authenticators: readonly Authenticator[], from: number): MaybePromise<undefined> {
  for (let i = from; i < authenticators.length; i++) {
    const found = (authenticators[i] as Authenticator)(exchange.request);
    if (isPromise(found)) {
      return found.then((user) => {
        if (user === undefined) return ask(exchange, authenticators, i + 1);
        exchange.user = user;
        return undefined;
      });
    }
    if (found !== undefined) {
      exchange.user = found;
      return undefined;
    }
  }
  throw unauthorized();
}
