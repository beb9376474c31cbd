import { describe, expect, test } from 'vitest';
import { JsonFields } from '../base/json/json-fields.ts';
import { type Review, WebhookError } from '../client/webhook.ts';
import { kubernetes } from '../meta/dialect.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { TokenError } from './token-authenticator.ts';
import { type TokenWebhookConfig, tokenWebhook } from './token-webhook.ts';

type Answer = object | Error;

function setup(answer: (token: string) => Answer, config: Partial<TokenWebhookConfig> = {}) {
  const clock = new FakeClock();
  const reviews: Review[] = [];
  const troubles: unknown[] = [];
  const check = tokenWebhook({
    webhook: {
      async ask(review) {
        reviews.push(review);
        const status = answer((review as unknown as { spec: { token: string } }).spec.token);
        if (status instanceof Error) throw status;
        return JsonFields.of({ status: status }, '');
      },
    },
    version: 'v1',
    cacheMs: 120_000,
    audiences: ['server'],
    clock,
    dialect: kubernetes,
    onError: (error) => troubles.push(error),
    ...config,
  });
  return { check, asked: reviews, clock, troubles };
}

const ann = { authenticated: true, user: { username: 'ann', uid: '7', groups: ['devs'], extra: { 'a/b': ['c'] } } };
const annInfo = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'a/b': ['c'] } };

describe('a token webhook', () => {
  test('a token webhook receives a TokenReview and answers with the user', async () => {
    const { check, asked } = setup(() => ann);
    expect(await check('t', ['server'])).toEqual({ user: annInfo, audiences: ['server'] });
    expect(asked).toEqual([
      {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: {},
        spec: { token: 't', audiences: ['server'] },
        status: { user: {} },
      },
    ]);
  });

  test('speaks v1beta1 as well', async () => {
    const { check, asked } = setup(() => ann, { version: 'v1beta1' });
    await check('t', ['server']);
    expect(asked[0]?.apiVersion).toBe('authentication.k8s.io/v1beta1');
  });

  test.each([
    ['says nothing of audiences: the token is for this server', [], ['server', 'x'], ['server']],
    ['says nothing of audiences, and others are wanted', [], ['x'], undefined],
    ['names some: those that are wanted', ['x', 'y', 'z'], ['y', 'x', 'server'], ['y', 'x']],
    ['names none that is wanted', ['x'], ['server'], undefined],
  ])('that %s', async (_what, statedAudiences, requestedAudiences, expected) => {
    const { check } = setup(() => ({ ...ann, audiences: statedAudiences }));
    expect((await check('t', requestedAudiences))?.audiences).toEqual(expected);
  });

  test('is believed for a while, by token and audiences', async () => {
    const { check, asked, clock } = setup((token) => (token === 't' ? ann : { authenticated: false }));
    for (let i = 0; i < 3; i++) await Promise.all([check('t', ['server']), check('other', ['server'])]);
    expect(asked).toHaveLength(2);
    await check('t', ['server', 'x']);
    expect(asked).toHaveLength(3);
    clock.advance(120_000);
    await check('t', ['server']);
    expect(asked).toHaveLength(4);
  });

  test('simultaneous checks of a token share one call of the webhook', async () => {
    const { check, asked } = setup(() => ann, { cacheMs: 0 });
    await Promise.all(Array.from({ length: 10 }, async () => check('t', ['server'])));
    expect(asked).toHaveLength(1);
    await check('t', ['server']);
    expect(asked).toHaveLength(2);
  });

  test('that does not know a token leaves it to others', async () => {
    for (const status of [{ authenticated: false }, {}]) {
      const { check } = setup(() => status);
      expect(await check('t', ['server'])).toBeUndefined();
    }
  });

  test('says why a token is not good; that is not remembered, and the token is not repeated', async () => {
    const { check, asked } = setup(() => ({ authenticated: false, error: 'token tok3n is revoked' }));
    for (let i = 0; i < 2; i++)
      await expect(check('tok3n', ['server'])).rejects.toThrow(new TokenError('token <token> is revoked'));
    expect(asked).toHaveLength(2);
  });

  test.each<[string, Answer]>([
    ['gives no answer', new WebhookError('the webhook did not answer in time', 'timeout', false)],
    ['forgets the name', { authenticated: true, user: { groups: ['a'] } }],
    ['answers odd types', { authenticated: 'yes' }],
    ['has odd groups', { ...ann, user: { username: 'ann', groups: 'devs' } }],
  ])('that %s lets no user in and is asked again', async (_what, answer) => {
    let current = answer;
    const { check, troubles } = setup(() => current);
    await expect(check('t', ['server'])).rejects.toThrow(TokenError);
    expect(troubles).toHaveLength(1);
    current = ann;
    expect((await check('t', ['server']))?.user.name).toBe('ann');
  });

  test('keys of extra information are only data', async () => {
    const extra = JSON.parse('{"__proto__":["x"],"constructor":["y"]}') as object;
    const { check } = setup(() => ({ authenticated: true, user: { username: 'ann', extra } }));
    const sentExtra = (await check('t', ['server']))?.user.extra;
    expect(Object.keys(sentExtra ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(sentExtra)).toBe(Object.prototype);
  });
});
