import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { expectShortTurns } from '../../testing/processor-time.ts';
import { jsonWebKeys, parseJwt, type SigningKey, signatureAlgorithms, signingKey, signJwt } from '../jwt.ts';
import { TokenError } from '../token-authenticator.ts';
import { celExpressions } from './cel-expressions.ts';
import { compileConfiguration } from './compile.ts';
import type { ClaimMappings, JwtAuthenticatorSpec } from './configuration.ts';
import type { FetchDocument } from './fetch-document.ts';
import { JwtIssuers } from './issuers.ts';
import { parseKeySet } from './key-set.ts';

const url = 'https://issuer.example.org';
const audiences = ['https://here'];
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const first = signingKey(rsa);
const second = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

/** Issuers over documents that a test writes, on a clock that it moves. */
function bench(spec: Partial<JwtAuthenticatorSpec> = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const seconds = () => clock.now() / 1000;
  const documents = new Map<string, JsonValue>([
    [`${url}/.well-known/openid-configuration`, { issuer: url, jwks_uri: `${url}/keys` }],
  ]);
  const publish = (...keys: SigningKey[]) => documents.set(`${url}/keys`, jsonWebKeys(keys) as JsonValue);
  publish(first);
  const requests: string[] = [];
  const errors: string[] = [];
  const fetch: FetchDocument = async (at, { bearer }) => {
    requests.push(bearer === undefined ? at : `${at} as ${bearer}`);
    const value = documents.get(at);
    if (value === undefined) throw new Error('unreachable');
    return { value, text: typeof value === 'string' ? value : JSON.stringify(value), maxAgeSeconds: undefined };
  };
  const whole: JwtAuthenticatorSpec = {
    issuer: { url, audiences: ['app'] },
    claimMappings: { username: { claim: 'sub', prefix: 'x:' }, groups: { claim: 'groups', prefix: 'g:' } },
    ...spec,
  };
  const context = {
    dialect: kubernetes,
    expressions: celExpressions(kubernetes),
    ownIssuers: [],
    algorithms: signatureAlgorithms,
  };
  const { authenticators, validationErrors } = compileConfiguration({ jwt: [whole] }, context);
  expect(validationErrors).toEqual([]);
  const issuers = new JwtIssuers(authenticators, {
    ...{ clock, audiences, fetch },
    onFetched: (_, outcome) => void ('error' in outcome && errors.push(outcome.error.message)),
  });
  const token = (claims: object = {}, key: SigningKey = first) =>
    signJwt({ iss: url, aud: 'app', sub: 'ann', exp: seconds() + 60, ...claims }, key);
  /** The user, or why there is none. */
  const outcome = async (text: string) => {
    try {
      return (await issuers.check(text, audiences))?.user;
    } catch (error) {
      if (error instanceof TokenError) return error.message;
      throw error;
    }
  };
  return { clock, seconds, documents, publish, asked: requests, errors, issuers, token, outcome };
}

async function started(spec: Partial<JwtAuthenticatorSpec> = {}) {
  const parts = bench(spec);
  parts.issuers.start();
  await parts.issuers.ready();
  return parts;
}

describe('tokens of an issuer', () => {
  test('stand for the user they describe', async () => {
    const { token, outcome } = await started();
    expect(await outcome(token({ groups: ['a', 'b'] }))).toEqual({ name: 'x:ann', groups: ['g:a', 'g:b'] });
    expect(await outcome(token({ groups: 'solo' }))).toEqual({ name: 'x:ann', groups: ['g:solo'] });
    expect(await outcome(token({ groups: null }))).toEqual({ name: 'x:ann', groups: [] });
    expect(await outcome(token())).toEqual({ name: 'x:ann', groups: [] });
  });

  test('are for the audiences of this server', async () => {
    const { token, issuers } = await started();
    expect(await issuers.check(token(), ['https://here', 'other'])).toMatchObject({ audiences: ['https://here'] });
    expect(await issuers.check(token(), ['other'])).toBeUndefined();
  });

  test('of others are left to others', async () => {
    const { token, outcome } = await started();
    expect(await outcome(token({ iss: 'https://elsewhere' }))).toBeUndefined();
    expect(await outcome(token({ iss: 7 }))).toBeUndefined();
    expect(await outcome('no-token')).toBeUndefined();
    expect(await outcome(token({ pad: 'x'.repeat(70_000) }))).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ['another audience', { aud: 'other' }, 'expected audience in ["app"] got ["other"]'],
    ['no audience', { aud: undefined }, 'got []'],
    [
      'an audience that is no text',
      { aud: [{ app: 1 }] },
      'cannot unmarshal object into Go struct field idToken.aud of type string',
    ],
    [
      'an audience that is a large number',
      { aud: { app: 2 ** 53 } },
      'cannot unmarshal object into Go struct field idToken.aud of type []string',
    ],
    ['an end that has passed', { exp: 1 }, 'token is expired'],
    ['no end', { exp: undefined }, 'token is expired'],
    ['an end that is no number', { exp: '9999999999' }, 'the claim exp is not a number of seconds'],
    ['a beginning in the future', { nbf: Date.parse('2030-01-01T00:01:01Z') / 1000 }, 'before the nbf'],
    ['a name that is no text', { sub: 7 }, 'cannot unmarshal number into Go struct field idToken.sub of type string'],
    ['no name', { sub: undefined }, 'claim not present'],
    ['an empty name', { sub: '' }, 'username is empty'],
    ['groups that are no texts', { groups: ['a', 1] }, 'parse groups claim "groups"'],
  ])('with %s are refused', async (_, claims, why) => {
    const { token, outcome } = await started();
    expect(await outcome(token(claims))).toContain(why);
  });

  test.each([
    ['exp', '99999999999'],
    ['exp', null],
    ['nbf', '1'],
    ['nbf', null],
    ['iat', 'yesterday'],
    ['iat', {}],
    ['aud', []],
    ['aud', ''],
  ])('are refused when their %s is %j', async (claim, value) => {
    const { token, outcome } = await started();
    expect(await outcome(token({ [claim]: value }))).toMatch(
      new RegExp(`^oidc: verify token: oidc: failed to unmarshal claims: the claim ${claim} `),
    );
  });

  test('may be for several, and begin a little late', async () => {
    const { token, outcome, seconds } = await started();
    expect(await outcome(token({ aud: ['z', 'app'], nbf: seconds() + 59 }))).toMatchObject({ name: 'x:ann' });
  });

  test('are known by their id, where they have one', async () => {
    const { token, outcome } = await started();
    const extra = { 'authentication.kubernetes.io/credential-id': ['JTI=a-1'] };
    expect(await outcome(token({ jti: 'a-1' }))).toMatchObject({ name: 'x:ann', extra });
    for (const jti of ['', 7, ['a']]) expect(await outcome(token({ jti }))).not.toHaveProperty('extra');
  });

  test('need the claims that are required', async () => {
    const rules = [{ claim: 'hd', requiredValue: 'example.org' }, { claim: 'constructor' }];
    const { token, outcome } = await started({ claimValidationRules: rules });
    const good = { hd: 'example.org', constructor: '' };
    expect(await outcome(token(good))).toMatchObject({ name: 'x:ann' });
    expect(await outcome(token({ ...good, hd: 'other' }))).toContain('value does not match');
    expect(await outcome(token({ ...good, hd: ['example.org'] }))).toContain(
      'unmarshal array into Go value of type string',
    );
    expect(await outcome(token({ hd: 'example.org' }))).toContain('required claim constructor not present');
  });

  test('names by e-mail address need email_verified to be true if it is present', async () => {
    const { token, outcome } = await started({ claimMappings: { username: { claim: 'email', prefix: '' } } });
    const email = 'ann@example.org';
    expect(await outcome(token({ email }))).toMatchObject({ name: email });
    expect(await outcome(token({ email, email_verified: true }))).toMatchObject({ name: email });
    for (const verified of [false, null])
      expect(await outcome(token({ email, email_verified: verified }))).toBe('oidc: email not verified');
    for (const [said, kind] of [
      ['true', 'string'],
      [1, 'number'],
    ])
      expect(await outcome(token({ email, email_verified: said }))).toBe(
        `oidc: parse 'email_verified' claim: json: cannot unmarshal ${kind} into Go value of type bool`,
      );
  });

  test('are remembered for ten seconds, and not beyond their end', async () => {
    const { token, outcome, publish, clock, seconds, issuers } = await started();
    const [text, short] = [token(), token({ exp: seconds() + 5 })];
    for (const one of [text, short]) expect(await outcome(one)).toMatchObject({ name: 'x:ann' });
    publish(second);
    clock.advance(4_000);
    expect(await outcome(text)).toMatchObject({ name: 'x:ann' });
    clock.advance(2_000);
    expect(await outcome(short)).toContain('expired');
    clock.advance(5_000);
    // its key is still among those that were fetched
    expect(await outcome(text)).toMatchObject({ name: 'x:ann' });
    issuers.close();
  });
});

describe('expressions', () => {
  const username = { expression: 'claims.sub' };

  test('make every part of a user', async () => {
    const { token, outcome } = await started({
      claimMappings: {
        username: { expression: "'u:' + claims.sub" },
        groups: { expression: "claims.roles.split(',') + claims.?more.orValue([])" },
        uid: { expression: 'string(claims.number)' },
        extra: [
          { key: 'example.org/teams', valueExpression: 'claims.teams' },
          { key: 'example.org/none', valueExpression: "''" },
          { key: 'example.org/one', valueExpression: 'claims.teams[0]' },
        ],
      },
    });
    const claims = { roles: 'a,b,', teams: ['red', '', 'blue'], number: 12345678901234 };
    expect(await outcome(token({ ...claims, more: ['c'] }))).toEqual({
      name: 'u:ann',
      groups: ['a', 'b', 'c'],
      uid: '1.2345678901234e+13',
      extra: { 'example.org/teams': ['red', 'blue'], 'example.org/one': ['red'] },
    });
  });

  test('take every number for a floating one', async () => {
    const { outcome, seconds } = await started({ claimMappings: { username: { expression: 'string(claims.id)' } } });
    const claims = `{"iss":"${url}","aud":"app","exp":${seconds() + 9},"id":9007199254740993}`;
    const content = [`{"alg":"RS256","kid":"${first.id}"}`, claims]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(content), first.privateKey).toString('base64url');
    expect(await outcome(`${content}.${signature}`)).toMatchObject({ name: '9.007199254740992e+15' });
  });

  test('refuse claims and users that break a rule', async () => {
    const { token, outcome } = await started({
      claimMappings: { username, groups: { expression: 'claims.?groups.orValue([])' } },
      claimValidationRules: [{ expression: "claims.hd == 'x'", message: 'hd must be x' }],
      userValidationRules: [
        { expression: "!user.username.startsWith('system:')", message: 'names of the system' },
        { expression: "user.groups.all(group, !group.startsWith('system:'))" },
      ],
    });
    expect(await outcome(token({ hd: 'x' }))).toEqual({ name: 'ann', groups: [] });
    expect(await outcome(token({ hd: 'y' }))).toBe(
      "oidc: error evaluating claim validation expression: validation expression 'claims.hd == 'x'' failed: hd must be x",
    );
    expect(await outcome(token({ hd: 'x', sub: 'system:admin' }))).toContain('names of the system');
    expect(await outcome(token({ hd: 'x', groups: ['system:masters'] }))).toContain('validation expression');
    expect(await outcome(token())).toContain('no such key: hd');
  });

  test.each<[ClaimMappings, string]>([
    [{ username: { expression: 'claims.exp' } }, 'username claim expression must return a string'],
    [
      { username: { expression: 'claims.missing' } },
      "error evaluating username claim expression: expression 'claims.missing' resulted in error: no such key",
    ],
    [{ username, groups: { expression: 'claims.exp' } }, 'must return a string or a list of strings'],
    [{ username, groups: { expression: '[claims.exp]' } }, 'must return a string or a list of strings'],
    [{ username, uid: { expression: 'true' } }, 'uid claim expression must return a string'],
    [{ username, extra: [{ key: 'a.b/c', valueExpression: '{1: 2}' }] }, 'must return a string or a list of strings'],
  ])('%j of the wrong type make no user', async (claimMappings, why) => {
    const { token, outcome } = await started({ claimMappings });
    expect(await outcome(token())).toContain(why);
  });

  test('that cost too much are given up', async () => {
    const expression = "claims.l.all(a, claims.l.all(b, claims.l.all(c, claims.l.all(d, a + b + c + d != 'x'))))";
    const { token, outcome } = await started({ claimMappings: { username }, claimValidationRules: [{ expression }] });
    const l = Array.from({ length: 100 }, (_, i) => String(i));
    expect(await outcome(token({ l }))).toMatch(/cost|budget/);
  });
});

describe('groups that lie elsewhere', () => {
  const there = 'https://groups.example.org';
  const at = (endpoint: string, more: object = {}) => ({
    _claim_names: { groups: 's' },
    _claim_sources: { s: { endpoint, ...more } },
  });

  /** An issuer of groups next to that of users. */
  async function withGroups(spec: Partial<JwtAuthenticatorSpec> = {}) {
    const parts = await started(spec);
    const { documents, seconds } = parts;
    documents.set(`${there}/.well-known/openid-configuration`, { issuer: there, jwks_uri: `${there}/keys` });
    documents.set(`${there}/keys`, jsonWebKeys([second]) as JsonValue);
    const answer = (claims: object = {}, key = second) => {
      const whole = { iss: there, aud: 'app', sub: 'ann', exp: seconds() + 60, groups: ['a'], ...claims };
      documents.set(`${there}/of-ann`, `${signJwt(whole, key)}\n`);
    };
    answer();
    return { ...parts, answer };
  }

  test('distributed groups are fetched with their token, and trusted if their issuer signed them', async () => {
    const { token, outcome, asked } = await withGroups();
    const claims = at(`${there}/of-ann`, { access_token: 'secret' });
    expect(await outcome(token(claims))).toEqual({ name: 'x:ann', groups: ['g:a'] });
    expect(asked).toContain(`${there}/of-ann as secret`);
    expect(await outcome(token({ ...claims, jti: 'other' }))).toMatchObject({ groups: ['g:a'] });
    expect(asked.filter((one) => one === `${there}/keys`)).toHaveLength(1);
  });

  test('distributed groups are not fetched if the token has groups, or if groups are no claim', async () => {
    const { token, outcome, asked } = await withGroups();
    expect(await outcome(token({ ...at(`${there}/of-ann`), groups: ['b'] }))).toMatchObject({ groups: ['g:b'] });
    expect(
      await outcome(token({ _claim_names: { address: 's' }, _claim_sources: { s: { endpoint: `${there}/of-ann` } } })),
    ).toMatchObject({ groups: [] });
    expect(await outcome(token(at('', { JWT: 'x' })))).toMatchObject({ groups: [] });
    const expressed = await withGroups({
      claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { expression: 'claims.?groups.orValue([])' } },
    });
    expect(await expressed.outcome(expressed.token(at(`${there}/of-ann`)))).toEqual({ name: 'ann', groups: [] });
    expect([...asked, ...expressed.asked].filter((one) => one.startsWith(there))).toEqual([]);
  });

  test('may be nowhere', async () => {
    const { token, outcome } = await withGroups();
    for (const source of [null, {}, { endpoint: null }])
      expect(await outcome(token({ _claim_names: { groups: 's' }, _claim_sources: { s: source } }))).toMatchObject({
        groups: [],
      });
    expect(await outcome(token({ _claim_names: null }))).toContain('oidc: no claim sources');
    expect(await outcome(token(at('https://nowhere')))).toBe(
      'oidc: could not expand distributed claims: while getting distributed claim "groups": unreachable',
    );
  });

  const misfit = (what: string, where: string, type: string) =>
    `oidc: failed to unmarshal claims: json: cannot unmarshal ${what} into Go struct field ${where} of type ${type}`;
  test.each<[object, string]>([
    [{ _claim_names: ['groups'] }, misfit('array', 'idToken._claim_names', 'map[string]string')],
    [{ _claim_names: { groups: 1 } }, misfit('number', 'idToken._claim_names', 'string')],
    [{ _claim_names: { groups: null } }, 'oidc: failed to obtain source from claim name'],
    [{ _claim_names: { other: 's' } }, 'oidc: source does not exist'],
    [{ _claim_sources: 's' }, misfit('string', 'idToken._claim_sources', 'map[string]oidc.claimSource')],
    [{ _claim_sources: { s: 's' } }, misfit('string', 'idToken._claim_sources', 'oidc.claimSource')],
    [at(7 as unknown as string), misfit('number', 'claimSource._claim_sources.endpoint', 'string')],
  ])('keep a token with %j from being good', async (claims, why) => {
    const { token, outcome } = await withGroups();
    expect(await outcome(token(claims))).toBe(`oidc: verify token: ${why}`);
  });

  test.each<[string, object, SigningKey, string]>([
    ['of another key', {}, first, 'failed to verify id token signature'],
    ['for another audience', { aud: 'other' }, second, 'expected audience in ["app"] got ["other"]'],
    ['that has ended', { exp: 1 }, second, 'token is expired'],
    ['without the claim', { groups: undefined }, second, 'did not contain claim: groups'],
    ['of an issuer that is not there', { iss: 'https://gone' }, second, 'verifier not initialized for issuer'],
    ['of an issuer without an address', { iss: 'gone' }, second, 'verifier not initialized for issuer: "gone"'],
  ])('in a token %s are refused', async (_, claims, key, why) => {
    const { token, outcome, answer, issuers } = await withGroups();
    answer(claims, key);
    expect(await outcome(token(at(`${there}/of-ann`)))).toContain(why);
    issuers.close();
  });

  test('come from a few issuers only', async () => {
    const { token, outcome, answer, asked: requests, issuers } = await withGroups();
    for (let i = 0; i < 20; i++) {
      answer({ iss: `https://issuer-${i}` });
      expect(await outcome(token({ ...at(`${there}/of-ann`), jti: `${i}` }))).toContain('verifier not initialized');
    }
    expect(requests.filter((one) => one.startsWith('https://issuer-'))).toHaveLength(16);
    issuers.close();
  });
});

describe('signatures', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each(['RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const)('with %s are believed', async (algorithm) => {
    const { outcome, token, documents } = await started();
    const { alg: _, ...open } = (jsonWebKeys([first]) as { keys: { alg?: string }[] }).keys[0] ?? {};
    documents.set(`${url}/keys`, { keys: [open] } as JsonValue);
    const key = { ...first, algorithm };
    // the first try finds a key for RS256 alone, the keys are then fetched again
    expect(await outcome(token({}, key))).toMatchObject({ name: 'x:ann' });
  });

  test('are checked with the algorithms that are allowed, and none is never one', async () => {
    const { token, outcome } = await started();
    const [, body = '', signature = ''] = token().split('.');
    for (const alg of ['none', 'HS256', 'RS1', 7, undefined, 'constructor'])
      expect(await outcome(`${encode({ alg, kid: first.id })}.${body}.${signature}`)).toContain('algorithm');
    const content = `${encode({ alg: 'HS256', kid: first.id })}.${body}`;
    const pem = first.publicKey.export({ type: 'spki', format: 'pem' });
    const forged = createHmac('sha256', pem).update(content).digest('base64url');
    expect(await outcome(`${content}.${forged}`)).toContain('algorithm');
  });

  test('cover every part of a token', async () => {
    const { token, outcome } = await started();
    const [head = '', body = '', signature = ''] = token().split('.');
    const more = encode({ ...parseJwt(token())?.claims, sub: 'root' });
    expect(await outcome(`${head}.${more}.${signature}`)).toContain('failed to verify signature');
    const other = encode({ alg: 'RS256', kid: first.id, typ: 'x' });
    expect(await outcome(`${other}.${body}.${signature}`)).toContain('failed to verify signature');
    expect(await outcome(`${encode({ alg: 'RS256', crit: ['b64'] })}.${body}.${signature}`)).toContain('failed');
    expect(await outcome(`${head}.${body}.${signature}=`)).toBeUndefined();
    expect(await outcome(`${head}.${body}.AAAA`)).toContain('failed to verify signature');
  });

  test('tokens of a later published key are accepted', async () => {
    const { token, outcome, publish, asked } = await started();
    expect(await outcome(token({}, second))).toContain('failed to verify');
    publish(first, second);
    expect(await outcome(token({}, second))).toMatchObject({ name: 'x:ann' });
    expect(asked.filter((one) => one.endsWith('/keys'))).toHaveLength(3);
  });

  test('of unknown keys do not flood the issuer', async () => {
    const { token, outcome, asked: requests, clock, publish } = await started();
    const fetches = () => requests.filter((one) => one.endsWith('/keys')).length;
    for (let i = 0; i < 20; i++) await outcome(token({ i }, second));
    expect(fetches()).toBe(4);
    clock.advance(10_000);
    publish(second);
    await Promise.all(Array.from({ length: 20 }, (_, i) => outcome(token({ i }, second))));
    expect(fetches()).toBe(5);
    expect(await outcome(token({}, second))).toMatchObject({ name: 'x:ann' });
  });

  test('of a key that is no longer published are refused after a while', async () => {
    const { token, outcome, publish, clock, asked } = await started();
    publish(second);
    clock.advance(300_000);
    const fetches = asked.length;
    // this use asks for the keys in the background
    await outcome(token({ aud: ['app'] }));
    expect(asked.length).toBe(fetches + 1);
    await new Promise(setImmediate);
    expect(await outcome(token())).toContain('failed to verify signature');
  });
});

describe('an issuer that cannot be reached', () => {
  test('is tried again until it answers, and refuses its tokens meanwhile', async () => {
    const { issuers, documents, clock, token, outcome, errors } = bench();
    const keys = documents.get(`${url}/keys`) as JsonValue;
    documents.delete(`${url}/keys`);
    issuers.start();
    await new Promise(setImmediate);
    expect(await outcome(token())).toBe('oidc: authenticator not initialized');
    expect(errors).toEqual(['unreachable']);
    documents.set(`${url}/keys`, keys);
    clock.advance(10_000);
    await issuers.ready();
    expect(await outcome(token())).toMatchObject({ name: 'x:ann' });
  });

  test('keeps its keys while it is down', async () => {
    const { documents, clock, token, outcome } = await started();
    documents.clear();
    clock.advance(3_600_000);
    expect(await outcome(token({ a: 1 }))).toMatchObject({ name: 'x:ann' });
    await new Promise(setImmediate);
    expect(await outcome(token({ a: 2 }))).toMatchObject({ name: 'x:ann' });
  });

  test.each<[string, JsonValue]>([
    ['another issuer', { issuer: 'https://other', jwks_uri: `${url}/keys` }],
    ['keys without TLS', { issuer: url, jwks_uri: 'http://issuer.example.org/keys' }],
    ['no keys', { issuer: url }],
    ['no object', ['x']],
  ])('an issuer whose document names %s is not trusted', async (_, document) => {
    const { issuers, documents, token, outcome, errors } = bench();
    documents.set(`${url}/.well-known/openid-configuration`, document);
    issuers.start();
    await new Promise(setImmediate);
    expect(errors).toHaveLength(1);
    expect(await outcome(token())).toBe('oidc: authenticator not initialized');
    issuers.close();
  });

  test('stops trying when it is closed', async () => {
    const { issuers, documents, clock, asked } = bench();
    documents.clear();
    issuers.start();
    await new Promise(setImmediate);
    issuers.close();
    const before = asked.length;
    clock.advance(60_000);
    expect(asked.length).toBe(before);
    await issuers.ready();
  });
});

describe('key sets', () => {
  const [jwk] = (jsonWebKeys([first]) as { keys: { [name: string]: JsonValue }[] }).keys;

  test('are none of which a signature takes long to check: those with an exponent that Go does not know either', () => {
    const jwk = first.publicKey.export({ format: 'jwk' }) as { [name: string]: string };
    const withExponent = (hex: string) => ({ ...jwk, e: Buffer.from(hex, 'hex').toString('base64url') });
    expect(parseKeySet({ keys: [withExponent('7fffffff')] })).toHaveLength(1);
    expect(parseKeySet({ keys: [withExponent('80000001'), withExponent(`8${'0'.repeat(510)}1`)] })).toEqual([]);
  });

  test('hold keys for signatures, and others that are passed over', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const keys = [
      jwk,
      { ...jwk, use: 'enc' },
      { ...jwk, alg: 'RSA-OAEP' },
      { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' },
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
      weak,
      null,
      'x',
      {},
    ] as JsonValue[];
    expect(parseKeySet({ keys }).map(({ id, algorithms }) => [id, algorithms])).toEqual([[first.id, ['RS256']]]);
    for (const bad of [null, [], {}, { keys: {} }]) expect(() => parseKeySet(bad as JsonValue)).toThrow('no key set');
  });

  test('of any JSON are read or refused', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const value = JSON.parse(text) as JsonValue;
        expect(parseKeySet({ keys: [value, { kty: 'RSA', n: value, e: value }] })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

test('whatever stands in a token, checking it ends in an answer', async () => {
  const { outcome, issuers } = await started();
  const part = fc.oneof(fc.json({ maxDepth: 3 }), fc.string(), fc.constant('{}'));
  const claims = fc.dictionary(
    fc.constantFrom('iss', 'aud', 'exp', 'nbf', 'sub', 'groups', '__proto__'),
    fc.jsonValue(),
  );
  const arbitrary = fc.oneof(
    fc.string(),
    fc
      .tuple(part, part, fc.string())
      .map((parts) => parts.map((one) => Buffer.from(one).toString('base64url')).join('.')),
    claims.map((some) => signJwt({ ...some, iss: url }, second)),
    claims.map((some) => signJwt({ iss: url, aud: 'app', exp: 9e9, ...some }, first)),
  );
  await fc.assert(
    fc.asyncProperty(arbitrary, async (text) => {
      const user = await outcome(text);
      if (typeof user === 'object') expect(typeof user.name).toBe('string');
    }),
    { numRuns: 300 },
  );
  issuers.close();
});

test('long rules of tokens yield to other work', async () => {
  const slow = (at: number) => `claims.groups.all(g, !claims.groups.exists(h, string(h) == string(g) + '/${at}'))`;
  const rules = Array.from({ length: 40 }, (_, at) => ({ expression: slow(at) }));
  const { token, outcome } = await started({ claimValidationRules: rules });
  const groups = Array.from({ length: 150 }, (_, at) => `group-${at}`);
  let jti = 0;
  // a token that was found good is not looked at again
  const check = async () => expect(await outcome(token({ groups, jti: `${jti++}` }))).toHaveProperty('name');
  await expectShortTurns(60, check);
});
