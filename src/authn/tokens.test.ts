import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { bootstrapTokens } from './bootstrap-tokens.ts';
import { isSigned, jsonWebKeys, parseJwt, signingKey, signJwt, verificationKey } from './jwt.ts';
import { ServiceAccountTokens } from './service-account/tokens.ts';
import { parseTokenFile, staticTokens } from './static-tokens.ts';
import { checkToken, TokenError } from './token-authenticator.ts';

const audiences = ['https://kubernetes.default.svc'];

describe('a file of tokens', () => {
  test('has users, uids and groups', async () => {
    const tokens = parseTokenFile('t1,ann,u1,"devs, ops"\n\n"t,2","b ""ob""",u2\r\nt3,cy,u3,solo,ignored\n');
    const check = staticTokens(tokens, audiences);
    expect(await check('t1', audiences)).toEqual({
      user: { name: 'ann', uid: 'u1', groups: ['devs', 'ops'] },
      audiences,
    });
    expect(await check('t,2', audiences)).toMatchObject({ user: { name: 'b "ob"', groups: [] } });
    expect(await check('t3', audiences)).toMatchObject({ user: { groups: ['solo'] } });
    expect(await check('t4', audiences)).toBeUndefined();
    expect(await check('t1', ['other'])).toBeUndefined();
    expect([...tokens.keys()].join()).not.toContain('t1');
  });

  test.each(['a,b', 'a', '"a,b,c'])('is refused with the line %j', (line) => {
    expect(() => parseTokenFile(`ok,x,y\n${line}\n`)).toThrow('line 2');
  });
});

describe('web tokens', () => {
  const kinds: [string, KeyObject][] = [
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
  ];

  test.each(kinds)(
    'service account tokens are signed with %s and verified by that key alone',
    (algorithm, privateKey) => {
      const key = signingKey(privateKey);
      const jwt = parseJwt(signJwt({ iss: 'x' }, key));
      if (jwt === undefined) throw new Error('not a token');
      expect(jwt.header).toEqual({ alg: algorithm, kid: key.id });
      expect(isSigned(jwt, [key])).toBe(true);
      const others = kinds.filter(([name]) => name !== algorithm).map(([, other]) => verificationKey(other));
      expect(isSigned(jwt, others)).toBe(false);
      expect(isSigned({ ...jwt, header: { ...jwt.header, alg: 'none' } }, [key])).toBe(false);
      expect(isSigned({ ...jwt, content: `${jwt.content}x` }, [key])).toBe(false);
      expect(JSON.stringify(jsonWebKeys([key]))).not.toContain('"d"');
    },
  );

  test.each(['', 'a', 'a.b', 'a.b.c', 'e30.e30.', `e30.e30.${'x'.repeat(70_000)}`, 'W10.e30.eA', 'e30.e30.eA.eA'])(
    '%j is none',
    (text) => {
      expect(parseJwt(text)).toBeUndefined();
    },
  );

  test('have one spelling: no padding, other alphabet, blank, or bits left over', () => {
    const { key } = accounts();
    const token = signJwt({ iss: 'x', a: 1 }, key);
    expect(parseJwt(token)).toBeDefined();
    const parts = token.split('.');
    const spelled = (index: number, change: (part: string) => string) =>
      parts.map((part, i) => (i === index ? change(part) : part)).join('.');
    // the last letter of a signature of 64 bytes carries four bits that mean nothing
    const next = (part: string) => `${part.slice(0, -1)}${String.fromCharCode(part.charCodeAt(part.length - 1) + 1)}`;
    expect(Buffer.from(next(parts[2] ?? ''), 'base64url')).toEqual(Buffer.from(parts[2] ?? '', 'base64url'));
    const misspelled = [
      spelled(2, next),
      ...[0, 1, 2].flatMap((i) =>
        ['=', '==', ' ', '\n', '+', '/', 'A'].map((more) => spelled(i, (part) => part + more)),
      ),
    ].filter((text) => parseJwt(text) !== undefined && isSigned(parseJwt(text) as never, [key]));
    expect(misspelled).toEqual([]);
    expect(parseJwt(spelled(2, next))).toBeUndefined();
    // e31 and e30 are both "{}" to a lenient reader
    expect(parseJwt('e31.e30.eA')).toBeUndefined();
    expect(parseJwt('e30.e30.eB')).toBeUndefined();
    expect(parseJwt('e30.e30.eA')).toBeDefined();
  });

  test('keys that sign no tokens are refused', () => {
    expect(() => signingKey(generateKeyPairSync('ed25519').privateKey)).toThrow('only RSA keys');
  });
});

function accounts() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const key = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const stored = new Map<string, ApiObject>();
  const put = (plural: string, name: string, uid: string, fields: object = {}, metadata: object = {}) =>
    stored.set(`${plural}/${name}`, { kind: 'X', apiVersion: 'v1', metadata: { name, uid, ...metadata }, ...fields });
  put('serviceaccounts', 'robot', 'sa-uid');
  const labelled: (readonly [string, object])[] = [];
  const tokens = new ServiceAccountTokens({
    dialect: kubernetes,
    clock,
    issuers: [...audiences, 'https://old.example.org'],
    audiences,
    signingKey: () => key,
    secretsKey: () => key,
    keys: () => [key],
    lookup: async (plural, { name }) => stored.get(`${plural}/${name}`),
    labelSecret: async ({ metadata: { name = '' } }, labels) => {
      labelled.push([name, labels]);
    },
  });
  const order = {
    namespace: 'n',
    account: { name: 'robot', uid: 'sa-uid' },
    audiences,
    lifetimeSeconds: 3600,
  };
  const refused = (token: string, requestedAudiences: readonly string[] = audiences) =>
    tokens.check(token, requestedAudiences).then(
      () => 'accepted',
      (error: unknown) => (error instanceof TokenError ? error.message : String(error)),
    );
  return { clock, key, stored, put, tokens, order, refused, labelled };
}

describe('service account tokens', () => {
  test('say who the account is, and carry an id', async () => {
    const { tokens, order } = accounts();
    const token = await tokens.issue(order);
    expect(parseJwt(token)?.claims).toMatchObject({
      aud: audiences,
      iss: audiences[0],
      sub: 'system:serviceaccount:n:robot',
      'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'robot', uid: 'sa-uid' } },
    });
    const owner = await tokens.check(token, audiences);
    expect(owner).toEqual({
      audiences,
      user: {
        name: 'system:serviceaccount:n:robot',
        uid: 'sa-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:n'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
      },
    });
  });

  test('end with their time, a minute late', async () => {
    const { tokens, order, clock, refused } = accounts();
    const token = await tokens.issue(order);
    clock.advance(3600_000 + 59_000);
    expect(await refused(token)).toBe('accepted');
    clock.advance(2000);
    expect(await refused(token)).toBe('service account token has expired');
  });

  test.each([
    ['exp', '1', 'the claim exp is not a number of seconds'],
    ['exp', null, 'the claim exp is not a number of seconds'],
    ['exp', true, 'the claim exp is not a number of seconds'],
    ['nbf', '99999999999', 'the claim nbf is not a number of seconds'],
    ['nbf', [], 'the claim nbf is not a number of seconds'],
    ['iat', {}, 'the claim iat is not a number of seconds'],
    ['aud', [], 'the claim aud names no audience'],
    ['aud', '', 'the claim aud names no audience'],
    ['aud', null, 'the claim aud names no audience'],
    ['aud', {}, 'the claim aud names no audience'],
    ['aud', [audiences[0], 1], 'the claim aud names no audience'],
    ['aud', [''], 'the claim aud names no audience'],
  ])('are refused when their %s is %j', async (claim, value, why) => {
    const { tokens, order, key, refused } = accounts();
    const claims = parseJwt(await tokens.issue(order))?.claims;
    expect(await refused(signJwt({ ...claims }, key))).toBe('accepted');
    expect(await refused(signJwt({ ...claims, [claim]: value }, key))).toBe(
      `service account token cannot be read: ${why}`,
    );
  });

  test('service account tokens are refused before their issue time', async () => {
    const { tokens, order, key, clock, refused } = accounts();
    const claims = parseJwt(await tokens.issue(order))?.claims;
    const at = (seconds: number) => signJwt({ ...claims, iat: clock.now() / 1000 + seconds }, key);
    expect(await refused(at(59))).toBe('accepted');
    expect(await refused(at(61))).toContain('could not be validated');
  });

  test('end with the account, also when another of that name comes', async () => {
    const { tokens, order, stored, put, refused } = accounts();
    const token = await tokens.issue(order);
    expect(await refused(token)).toBe('accepted');
    put('serviceaccounts', 'robot', 'other-uid');
    expect(await refused(token)).toContain('is not the one the token was made for');
    stored.clear();
    expect(await refused(token)).toBe('serviceaccounts "robot" not found');
  });

  test('end with the pod, secret or node they are bound to', async () => {
    const { tokens, order, put, stored, refused } = accounts();
    put('pods', 'p', 'pod-uid');
    put('nodes', 'm', 'node-uid');
    put('secrets', 's', 'secret-uid');
    const node = { name: 'm', uid: 'node-uid' };
    const pod = await tokens.issue({ ...order, pod: { name: 'p', uid: 'pod-uid' }, node });
    expect((await tokens.check(pod, audiences))?.user.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['pod-uid'],
      'authentication.kubernetes.io/node-name': ['m'],
      'authentication.kubernetes.io/node-uid': ['node-uid'],
    });
    const secret = await tokens.issue({ ...order, secret: { name: 's', uid: 'secret-uid' } });
    const onNode = await tokens.issue({ ...order, node });
    for (const token of [pod, secret, onNode]) expect(await refused(token)).toBe('accepted');
    for (const name of ['pods/p', 'secrets/s', 'nodes/m']) stored.delete(name);
    for (const token of [pod, secret, onNode]) expect(await refused(token)).toMatch(/not found$/);
  });

  test('end a minute after their object began to go', async () => {
    const { tokens, order, put, clock, refused } = accounts();
    const token = await tokens.issue(order);
    put('serviceaccounts', 'robot', 'sa-uid', {}, { deletionTimestamp: '2030-01-01T00:00:00Z' });
    expect(await refused(token)).toBe('accepted');
    clock.advance(61_000);
    expect(await refused(token)).toContain('has been deleted');
  });

  test('are for their audiences', async () => {
    const { tokens, order, refused } = accounts();
    const vault = await tokens.issue({ ...order, audiences: ['vault', 'other'] });
    expect(await refused(vault)).toContain('is invalid for the target audiences');
    expect(await tokens.check(vault, ['x', 'vault'])).toMatchObject({ audiences: ['vault'] });
  });

  test('of another issuer are left to others, forged ones are refused', async () => {
    const { tokens, order, key, refused } = accounts();
    expect(await tokens.check('opaque', audiences)).toBeUndefined();
    expect(await tokens.check(signJwt({ iss: 'https://elsewhere' }, key), audiences)).toBeUndefined();
    const stranger = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    const claims = parseJwt(await tokens.issue(order))?.claims ?? {};
    expect(await refused(signJwt(claims, stranger))).toContain('signature');
    expect(await refused(signJwt({ ...claims, sub: 'system:serviceaccount:n:admin' }, key))).toContain('subject');
    expect(await refused(signJwt({ ...claims, iss: 'https://old.example.org' }, key))).toBe('accepted');
  });

  test('in a Secret are good while the Secret holds them', async () => {
    const { tokens, order, put, refused } = accounts();
    const token = await tokens.issueForSecret('n', order.account, 's');
    const data = (text: string) => ({ data: { token: Buffer.from(text).toString('base64') } });
    put('secrets', 's', 'secret-uid', data(token));
    expect(await tokens.check(token, audiences)).toMatchObject({ audiences, user: { uid: 'sa-uid' } });
    put('secrets', 's', 'secret-uid', data('another'));
    expect(await refused(token)).toBe('the token has been taken out of its secret');
  });

  test('tokens in a Secret are marked with the day of their use, with a warning if the server made them', async () => {
    const { tokens, order, put, labelled, clock } = accounts();
    const token = await tokens.issueForSecret('n', order.account, 's');
    const data = { data: { token: Buffer.from(token).toString('base64') } };
    const secret = (labels: object) => put('secrets', 's', 'secret-uid', data, { namespace: 'n', labels });
    const day = (text: string) => ({ 'kubernetes.io/legacy-token-last-used': text });
    const use = async () => (await tokens.check(token, audiences))?.notes;
    const note = (name: string) => `authentication.k8s.io/legacy-token${name}`;
    secret({});
    expect(await use()).toEqual({
      warnings: [],
      annotations: { [note('')]: 'system:serviceaccount:n:robot', [note('-manual-secret')]: 's' },
    });
    for (const lastUsed of ['2030-01-01', '2030-01-02', '2029-12-31']) {
      secret(day(lastUsed));
      await use();
    }
    expect(labelled).toEqual([
      ['s', day('2030-01-01')],
      ['s', day('2030-01-01')],
    ]);
    put('serviceaccounts', 'robot', 'sa-uid', { secrets: [{ name: 's' }] });
    expect(await use()).toEqual({
      warnings: [
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      ],
      annotations: { [note('')]: 'system:serviceaccount:n:robot', [note('-autogenerated-secret')]: 's' },
    });
    clock.advance(24 * 3600_000);
    await Promise.all([use(), use()]);
    expect(labelled.slice(-2)).toEqual([
      ['s', day('2030-01-01')],
      ['s', day('2030-01-02')],
    ]);
    const { legacy, ofMentionedSecrets, ofOtherSecrets, valid } = tokens.uses;
    expect({ legacy, ofMentionedSecrets, ofOtherSecrets, valid }).toEqual({
      ...{ legacy: 7, ofMentionedSecrets: 3, ofOtherSecrets: 4, valid: 0 },
    });
  });

  test('in a Secret that is marked as invalid are refused, and marked as used all the same', async () => {
    const { tokens, order, put, labelled, refused } = accounts();
    const token = await tokens.issueForSecret('n', order.account, 's');
    const data = { data: { token: Buffer.from(token).toString('base64') } };
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2029-01-01' };
    put('secrets', 's', 'secret-uid', data, { namespace: 'n', labels });
    expect(await refused(token)).toContain(
      'the token in secret n/s for service account n/robot has been marked invalid. Use',
    );
    expect(labelled).toHaveLength(1);
    expect(tokens.uses.ofInvalidSecrets).toBe(1);
  });

  test('that should have been renewed are noted with how late they are', async () => {
    const { tokens, order, clock } = accounts();
    const token = await tokens.issue({ ...order, warnAfterSeconds: 60 });
    expect((await tokens.check(token, audiences))?.notes).toBeUndefined();
    clock.advance(90_000);
    expect((await tokens.check(token, audiences))?.notes).toEqual({
      warnings: [],
      annotations: {
        'authentication.k8s.io/stale-token':
          'subject: system:serviceaccount:n:robot, seconds after warning threshold: 30',
      },
    });
    expect([tokens.uses.valid, tokens.uses.stale]).toEqual([1, 1]);
  });
});

describe('bootstrap tokens', () => {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const base = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    expiration: '2030-01-01T00:00:01Z',
    'auth-extra-groups': 'system:bootstrappers:worker',
  };
  function check(data: Record<string, string>, token = 'abcdef.0123456789abcdef', fields: object = {}) {
    const encoded = Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')]));
    const secret: ApiObject = {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      data: encoded,
      ...fields,
    };
    const authenticate = bootstrapTokens({
      dialect: kubernetes,
      clock,
      audiences,
      secret: async (name) => (name === secret.metadata.name ? secret : undefined),
    });
    return authenticate(token, audiences);
  }

  test('stand for a user of that id and its groups', async () => {
    expect(await check(base)).toEqual({
      audiences,
      user: { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:bootstrappers:worker'] },
    });
  });

  test.each<[string, Record<string, string>]>([
    ['another secret', { ...base, 'token-secret': '0123456789abcdeg' }],
    ['another id', { ...base, 'token-id': 'abcdeg' }],
    ['an end that has come', { ...base, expiration: '2030-01-01T00:00:00Z' }],
    ['an end that cannot be read', { ...base, expiration: 'soon' }],
    ['another use', { ...base, 'usage-bootstrap-authentication': 'yes' }],
    ['a group that is not for bootstrapping', { ...base, 'auth-extra-groups': 'system:masters' }],
    ['nothing in it', {}],
  ])('with %s are refused', async (_, data) => {
    expect(await check(data)).toBeUndefined();
  });

  test('have a form, a type and no end under way', async () => {
    expect(await check(base, 'abcdef.0123456789abcde')).toBeUndefined();
    expect(await check(base, 'abcdeg.0123456789abcdef')).toBeUndefined();
    expect(await check(base, undefined, { type: 'Opaque' })).toBeUndefined();
    expect(
      await check(base, undefined, { metadata: { name: 'bootstrap-token-abcdef', deletionTimestamp: 'x' } }),
    ).toBeUndefined();
  });
});

describe('several authorities', () => {
  test('are asked until one knows; what they said is kept, the token is not', async () => {
    const broken = () => {
      throw new TokenError('has expired');
    };
    const owner = { user: { name: 'a', groups: [] }, audiences };
    expect(await checkToken([broken, () => owner], 't0ken', audiences)).toEqual({ known: true, owner });
    const another = { user: { name: 'b', groups: [] }, audiences };
    expect(await checkToken([() => undefined, () => owner, () => another], 't0ken', audiences)).toEqual({
      ...{ known: true, owner },
    });
    const outcome = await checkToken([broken, () => undefined], 't0ken', audiences);
    expect(outcome).toEqual({ known: false, errors: ['invalid bearer token', 'has expired'] });
    expect(JSON.stringify(outcome)).not.toContain('t0ken');
  });
});
