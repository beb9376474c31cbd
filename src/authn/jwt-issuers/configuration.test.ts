import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { cluster, kubernetes } from '../../meta/dialect.ts';
import { createAuthority } from '../../pki/certificates.ts';
import { signatureAlgorithms } from '../jwt.ts';
import { celExpressions } from './cel-expressions.ts';
import { compileConfiguration } from './compile.ts';
import { type AuthenticationConfiguration, decodeConfiguration, type JwtAuthenticatorSpec } from './configuration.ts';

const typeMeta = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
const decode = (text: string) => decodeConfiguration(Buffer.from(text), kubernetes);

describe('the file', () => {
  test.each(['v1', 'v1beta1', 'v1alpha1'])('is read in %s, as YAML or JSON', async (version) => {
    const content = {
      ...typeMeta,
      apiVersion: `apiserver.config.k8s.io/${version}`,
      jwt: [
        { issuer: { url: 'https://x', audiences: ['a'] }, claimMappings: { username: { claim: 'sub', prefix: '' } } },
      ],
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    };
    for (const text of [stringify(content), JSON.stringify(content)]) expect(await decode(text)).toEqual(content);
  });

  test('has the names of the dialect', async () => {
    const text = stringify({ ...typeMeta, apiVersion: 'apiserver.config.api.cluster.local/v1' });
    expect(await decodeConfiguration(Buffer.from(text), cluster())).toMatchObject({ kind: typeMeta.kind });
    await expect(decode(text)).rejects.toThrow('apiserver.config.k8s.io/v1');
  });

  test.each<[string, string]>([
    ['', 'the file is empty'],
    ['just words', 'holds no AuthenticationConfiguration'],
    ['kind: AuthenticationConfiguration', 'no kind "AuthenticationConfiguration" is known in version undefined'],
    [stringify({ ...typeMeta, apiVersion: 'apiserver.config.k8s.io/v2' }), 'apiserver.config.k8s.io/v2'],
    [stringify({ ...typeMeta, kind: 'AuthorizationConfiguration' }), 'no kind "AuthorizationConfiguration"'],
    [stringify({ ...typeMeta, jwts: [] }), 'unknown field "jwts"'],
    [stringify({ ...typeMeta, jwt: [{ issuer: { uri: 'x' } }] }), 'unknown field "jwt[0].issuer.uri"'],
    [stringify({ ...typeMeta, jwt: {} }), 'cannot unmarshal object'],
    [`${stringify(typeMeta)}jwt: []\njwt: []\n`, 'key "jwt" already set in map'],
    ['a: [', 'yaml'],
  ])('%j is refused', async (text, why) => {
    await expect(decode(text)).rejects.toThrow(why);
  });

  test('of any content is read or refused in words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        await expect(decode(text)).rejects.toThrow(/./);
      }),
      { numRuns: 100 },
    );
  });
});

const username = { claim: 'sub', prefix: '' };
const issuer = { url: 'https://issuer.example.org', audiences: ['app'] };
const good: JwtAuthenticatorSpec = { issuer, claimMappings: { username } };

function errorsOf(configuration: AuthenticationConfiguration): string[] {
  const context = {
    dialect: kubernetes,
    expressions: celExpressions(kubernetes),
    ownIssuers: ['https://own'],
    algorithms: signatureAlgorithms,
  };
  return compileConfiguration(configuration, context).validationErrors.map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const mapped = (claimMappings: JwtAuthenticatorSpec['claimMappings']) => ({
  ...good,
  claimMappings: claimMappings ?? {},
});
const ruled = (...claimValidationRules: NonNullable<JwtAuthenticatorSpec['claimValidationRules']>) => ({
  ...good,
  claimValidationRules,
});

describe('errors of an authentication configuration', () => {
  test('a valid configuration has no errors, and neither has an empty one', () => {
    expect(errorsOf({})).toEqual([]);
    expect(errorsOf({ jwt: [good] })).toEqual([]);
    const { certificate } = createAuthority('x', Date.now());
    const full: JwtAuthenticatorSpec = {
      issuer: {
        ...issuer,
        discoveryURL: 'https://elsewhere/doc',
        certificateAuthority: certificate,
        audiences: ['a', 'b'],
        audienceMatchPolicy: 'MatchAny',
        egressSelectorType: 'cluster',
      },
      claimValidationRules: [
        { claim: 'hd', requiredValue: 'x' },
        { expression: 'claims.exp - claims.nbf <= 86400', message: 'too long' },
      ],
      claimMappings: {
        username: { expression: "claims.email_verified ? claims.email : 'x'" },
        groups: { expression: 'claims.roles.split(",")' },
        uid: { claim: 'sub' },
        extra: [{ key: 'example.org/team', valueExpression: 'claims.?team.orValue("")' }],
      },
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'no' }],
    };
    expect(errorsOf({ jwt: [full], anonymous: { enabled: true, conditions: [{ path: '/livez' }] } })).toEqual([]);
  });

  test.each<[JwtAuthenticatorSpec, string[]]>([
    [{}, ['issuer.url: Required value', 'issuer.audiences: Required value', 'claimMappings.username: Required value']],
    [
      { ...good, issuer: { ...issuer, url: 'http://x' } },
      ['issuer.url: Invalid value: "http://x": URL scheme must be https'],
    ],
    [{ ...good, issuer: { ...issuer, url: 'nonsense' } }, ['issuer.url: Invalid value']],
    [{ ...good, issuer: { ...issuer, url: 'https://a@x?q#f' } }, ['username or password', 'a query', 'a fragment']],
    [
      { ...good, issuer: { ...issuer, url: 'https://own' } },
      ['must not overlap with disallowed issuers: [https://own]'],
    ],
    [{ ...good, issuer: { ...issuer, discoveryURL: `${issuer.url}/` } }, ['discoveryURL must be different from URL']],
    [
      { ...good, issuer: { ...issuer, audiences: ['a', 'a', ''] } },
      ['audiences[2]: Required', 'audiences[1]: Duplicate', 'audienceMatchPolicy must be MatchAny for multiple'],
    ],
    [{ ...good, issuer: { ...issuer, audienceMatchPolicy: 'All' } }, ['must be empty or MatchAny for single audience']],
    [
      { ...good, issuer: { ...issuer, certificateAuthority: 'x' } },
      ['issuer.certificateAuthority: Invalid value: "<omitted>"'],
    ],
    [{ ...good, issuer: { ...issuer, egressSelectorType: 'etcd' } }, ['either controlplane or cluster']],
    [ruled({}), ['claimValidationRules[0]: Required value: claim or expression is required']],
    [ruled({ claim: 'a', expression: 'true' }), ["claim and expression can't both be set"]],
    [ruled({ claim: 'a', message: 'm' }), ['claimValidationRules[0].message: Invalid value: "m": may not be']],
    [ruled({ expression: 'true', requiredValue: 'v' }), ['claimValidationRules[0].requiredValue']],
    [ruled({ claim: 'a' }, { claim: 'a' }), ['claimValidationRules[1].claim: Duplicate value: "a"']],
    [
      ruled({ expression: 'true' }, { expression: 'true' }),
      ['claimValidationRules[1].expression: Duplicate value: "true"'],
    ],
    [
      ruled({ expression: 'claims.' }),
      ['claimValidationRules[0].expression: Invalid value: "claims.": compilation failed'],
    ],
    [ruled({ expression: 'claims.sub' }), ['must evaluate to bool']],
    [ruled({ expression: "user.username == 'x'" }), ['undeclared reference']],
    [mapped({ username: { claim: 'sub' } }), ['claimMappings.username.prefix: Required value: prefix is required']],
    [mapped({ username: { claim: 'sub', prefix: '', expression: 'claims.sub' } }), ["can't both be set"]],
    [
      mapped({ username: { prefix: 'x', expression: 'claims.sub' } }),
      ['username.prefix: Invalid value: "x": may not be'],
    ],
    [mapped({ username, groups: { claim: 'g' } }), ['claimMappings.groups.prefix: Required value']],
    [mapped({ username, uid: { claim: 'a', expression: 'claims.b' } }), ['claimMappings.uid: Invalid value']],
    [
      mapped({ username: { expression: 'claims.email' } }),
      ['claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used'],
    ],
    [
      mapped({ username: { expression: 'has(claims.email) ? claims.?email.orValue("") : claims.sub' } }),
      ['email_verified must be used'],
    ],
    [
      mapped({ username, extra: [{ key: 'x', valueExpression: 'claims.a' }] }),
      ['extra[0].key: Invalid value: "x": must be a domain-prefixed path'],
    ],
    [mapped({ username, extra: [{ valueExpression: 'claims.a' }] }), ['extra[0].key: Required value']],
    [mapped({ username, extra: [{ key: 'example.org/X', valueExpression: 'claims.a' }] }), ['must be lowercase']],
    [mapped({ username, extra: [{ key: 'a.k8s.io/x', valueExpression: 'claims.a' }] }), ['reserved']],
    [mapped({ username, extra: [{ key: 'kubernetes.io/x', valueExpression: 'claims.a' }] }), ['reserved']],
    [
      mapped({ username, extra: [{ key: 'a.b/x' }, { key: 'a.b/x', valueExpression: 'claims.a' }] }),
      ['extra[1].key: Duplicate', 'extra[0].valueExpression: Required'],
    ],
    [{ ...good, userValidationRules: [{}] }, ['userValidationRules[0].expression: Required value']],
    [
      { ...good, userValidationRules: [{ expression: 'user.nonsense' }] },
      ['userValidationRules[0].expression: Invalid value'],
    ],
    [{ ...good, userValidationRules: [{ expression: 'user.username' }] }, ['must evaluate to bool']],
  ])('%j', (spec, expected) => {
    const errors = errorsOf({ jwt: [spec] });
    expect(errors).toEqual(expected.map((part) => expect.stringContaining(part) as unknown));
    for (const validationError of errors) expect(validationError).toMatch(/^jwt\[0\]\./);
  });

  test('between issuers', () => {
    const other = { ...good, issuer: { ...issuer, discoveryURL: 'https://d/x' } };
    expect(errorsOf({ jwt: [good, good] })).toEqual([
      'jwt[1].issuer.url: Duplicate value: "https://issuer.example.org"',
    ]);
    expect(errorsOf({ jwt: [other, { ...other, issuer: { ...other.issuer, url: 'https://y' } }] })).toEqual([
      'jwt[1].issuer.discoveryURL: Duplicate value: "https://d/x"',
    ]);
    expect(errorsOf({ jwt: Array.from({ length: 65 }, () => good) })).toEqual([
      'jwt: Too many: 65: must have at most 64 items',
    ]);
  });

  test('about callers without credentials', () => {
    expect(errorsOf({ anonymous: { conditions: [{ path: '/livez' }] } })).toEqual([
      expect.stringContaining('anonymous.conditions: Invalid value'),
    ]);
  });
});
