import { describe, expect, test } from 'vitest';
import { OidcIssuer } from '../../../test/oidc-issuer.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type Ask, askIssuer } from './ask-issuer.ts';
import { OidcSource } from './oidc-source.ts';

const clock = () => new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenUntil = (time: string, id = '') => `${part({})}.${part({ exp: Date.parse(time) / 1000, id })}.x`;

const usual = { 'idp-issuer-url': 'https://issuer/', 'client-id': 'me', 'client-secret': 's e' };

/** A source, and what its issuer was asked. */
function source(config: Record<string, string>, answers: readonly { status: number; value: object }[] = []) {
  const requests: [string, Parameters<Ask>[1]['sent']][] = [];
  const left = [...answers];
  const ask: Ask = async (url, { sent }) => {
    requests.push([url, sent]);
    if (!url.endsWith('/token')) return { status: 200, value: { token_endpoint: 'https://issuer/token' } };
    return left.shift() as never;
  };
  const time = clock();
  const map = new Map(Object.entries({ ...usual, ...config }));
  return { source: new OidcSource({ config: map, authority: undefined, clock: time, ask }), asked: requests, time };
}

describe('an id token', () => {
  test('is shown until ten seconds before its end, and then renewed once for all requests', async () => {
    const next = tokenUntil('2030-01-01T02:00:00Z');
    const first = tokenUntil('2030-01-01T01:00:00Z');
    const {
      source: tokens,
      asked,
      time,
    } = source({ 'id-token': first, 'refresh-token': 'r1' }, [
      { status: 200, value: { id_token: next, refresh_token: 'r2' } },
      { status: 200, value: { id_token: tokenUntil('2030-01-01T03:00:00Z') } },
    ]);
    expect(await tokens.current()).toEqual({ authorization: `Bearer ${first}` });
    time.advance(3_591_000);
    const both = await Promise.all([tokens.current(), tokens.current()]);
    expect(both).toEqual([{ authorization: `Bearer ${next}` }, { authorization: `Bearer ${next}` }]);
    expect(asked).toEqual([
      ['https://issuer/.well-known/openid-configuration', undefined],
      [
        'https://issuer/token',
        {
          form: { grant_type: 'refresh_token', refresh_token: 'r1' },
          authorization: `Basic ${Buffer.from('me:s%20e').toString('base64')}`,
        },
      ],
    ]);
    time.advance(3_600_000);
    await tokens.current();
    expect(asked.at(-1)?.[1]?.form).toMatchObject({ refresh_token: 'r2' });
  });

  test('that the server refuses is renewed, where that can be done', async () => {
    const first = tokenUntil('2030-01-01T01:00:00Z');
    const next = tokenUntil('2030-01-01T02:00:00Z');
    const { source: tokens } = source({ 'id-token': first, 'refresh-token': 'r' }, [
      { status: 200, value: { id_token: next } },
    ]);
    const used = await tokens.current();
    expect(await tokens.renew(used)).toEqual({ authorization: `Bearer ${next}` });
    expect(await tokens.renew(used)).toEqual({ authorization: `Bearer ${next}` });
    const { source: fixed } = source({ 'id-token': first });
    expect(await fixed.renew(await fixed.current())).toBeUndefined();
  });

  test('comes also from issuers that want the client in the body', async () => {
    const next = tokenUntil('2030-01-01T02:00:00Z');
    const { source: tokens, asked } = source({ 'refresh-token': 'r' }, [
      { status: 401, value: {} },
      { status: 200, value: { id_token: next } },
    ]);
    expect(await tokens.current()).toEqual({ authorization: `Bearer ${next}` });
    expect(asked.at(-1)?.[1]).toEqual({
      form: { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'me', client_secret: 's e' },
    });
  });
});

describe('without a way to a token, the reason is told', () => {
  test.each<[Record<string, string>, readonly { status: number; value: object }[], string]>([
    [{}, [], 'No valid id-token, and cannot refresh without refresh-token'],
    [{ 'id-token': 'nonsense' }, [], 'ID Token is not a valid JWT'],
    [{ 'id-token': 'a.b.c' }, [], 'ID Token is not a valid JWT'],
    [{ 'refresh-token': 'hidden' }, [{ status: 200, value: {} }], 'gave no id_token'],
    [
      { 'refresh-token': 'hidden' },
      [
        { status: 400, value: {} },
        { status: 400, value: { error: 'invalid_grant' } },
      ],
      'failed to refresh token: the issuer answered with 400',
    ],
  ])('%j', async (config, answers, why) => {
    const failing = source(config, answers).source.current();
    await expect(failing).rejects.toThrow(why);
    await expect(failing).rejects.not.toThrow('hidden');
  });

  test.each(['idp-issuer-url', 'client-id'])('%s is needed', (name) => {
    expect(() => source({ [name]: '' })).toThrow(`Must provide ${name}`);
  });
});

describe('an issuer', () => {
  test('is asked over TLS, by its own authority', async () => {
    await using issuer = await OidcIssuer.start();
    const endpoint = `${issuer.url}/token`;
    const body = JSON.stringify({ token_endpoint: endpoint });
    issuer.answers.set('/.well-known/openid-configuration', { status: 200, body });
    const token = issuer.token({ exp: Date.parse('2031-01-01T00:00:00Z') / 1000 });
    issuer.answers.set('/token', { status: 200, body: JSON.stringify({ id_token: token }) });
    const config = new Map(Object.entries({ ...usual, 'idp-issuer-url': issuer.url, 'refresh-token': 'r' }));
    const tokens = new OidcSource({ config, authority: () => issuer.ca, clock: clock() });
    expect(await tokens.current()).toEqual({ authorization: `Bearer ${token}` });
    const untrusted = new OidcSource({ config, authority: undefined, clock: clock() });
    await expect(untrusted.current()).rejects.toThrow('the issuer cannot be asked');
  });

  test('is never asked without TLS', async () => {
    await expect(askIssuer('http://127.0.0.1:1/', {})).rejects.toThrow('begin with https://');
  });
});
