// What connections learn of the callers behind them.

import { expect, test } from 'vitest';
import type { Authenticator } from '../authn/authenticator.ts';
import { systemClock } from '../base/time/clock.ts';
import { type ApiRequest, Exchange } from '../meta/exchange.ts';
import { anonymousUser, type UserInfo } from '../meta/user.ts';
import { authenticate } from './authenticate.ts';

const alice: UserInfo = { name: 'alice', groups: [] };

async function isMarked(authenticator: Authenticator): Promise<boolean> {
  let marked = false;
  const request = {
    markAuthenticated: () => {
      marked = true;
    },
  } as unknown as ApiRequest;
  await Promise.resolve(authenticate([authenticator], systemClock)(new Exchange(request, 'id', 0)));
  return marked;
}

test.each<[string, Authenticator, boolean]>([
  ['a user', () => alice, true],
  ['a user that is looked up', () => Promise.resolve(alice), true],
  ['the anonymous user', () => anonymousUser, false],
])('authentication: whether the connection of %s is marked as authenticated', async (_, authenticator, expected) => {
  expect(await isMarked(authenticator)).toBe(expected);
});
