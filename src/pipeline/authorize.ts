// Lets through what somebody allows; everything else is forbidden.

import type { Authorizer, Decision } from '../authz/authorizer.ts';
import { forbiddenRequest } from '../authz/forbidden-message.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Exchange } from '../meta/exchange.ts';
import type { Stage } from './stage.ts';

export function authorize(authorizers: readonly Authorizer[]): Stage {
  return function authorize(exchange) {
    return ask(exchange, authorizers, 0);
  };
}

function ask(exchange: Exchange, authorizers: readonly Authorizer[], from: number): MaybePromise<undefined> {
  const request = { user: exchange.user, info: exchange.info };
  for (let i = from; i < authorizers.length; i++) {
    const decision = (authorizers[i] as Authorizer)(request);
    if (isPromise(decision)) {
      return decision.then((d) => (isAllowed(exchange, d) ? undefined : ask(exchange, authorizers, i + 1)));
    }
    if (isAllowed(exchange, decision)) return undefined;
  }
  throw forbiddenRequest(request);
}

function isAllowed(exchange: Exchange, decision: Decision): boolean {
  if (decision.kind === 'deny') throw forbiddenRequest({ user: exchange.user, info: exchange.info }, decision.reason);
  return decision.kind === 'allow';
}
