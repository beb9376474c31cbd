// Whatever clients send as credentials, it is read, refused or left to another authenticator: never an unexpected error.

import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { parseCertificates } from '../config/authentication-options.ts';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiRequest, ClientCertificate } from '../meta/exchange.ts';
import { ApiError } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import type { UserInfo } from '../meta/user.ts';
import { createAuthority, signLeaf } from '../pki/certificates.ts';
import { type Authenticator, anonymous, bearerToken } from './authenticator.ts';
import { Authorities } from './certificate-path.ts';
import { requestHeader } from './request-header.ts';
import { webSocketToken } from './web-socket-token.ts';

type Sent = readonly (readonly [string, string])[];

function requestWith(sent: Sent, more: Partial<ApiRequest> = {}): ApiRequest {
  const headers = sent.map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...{ method: 'GET', path: '/', rawQuery: '', peer: { address: '' } },
    header: (name) => headers.find(([known]) => known === name)?.[1],
    hasHeader: (prefix) => headers.some(([name]) => name.startsWith(prefix)),
    headers: () => headers,
    readBody: async () => Buffer.alloc(0),
    ...more,
  };
}

/** Knows one token. */
const tokens: Pick<Tokens, 'check' | 'audiences'> = {
  audiences: ['here'],
  check: async (token, audiences) =>
    token === 'good'
      ? { known: true, owner: { user: { name: 'ann', groups: [] }, audiences } }
      : { known: false, errors: ['invalid bearer token'] },
};

const notes = { warn: () => {}, annotate: () => {} };

async function outcome(authenticate: Authenticator, request: ApiRequest): Promise<UserInfo | number | undefined> {
  try {
    return await authenticate(request, notes);
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test('a token after more than one blank is ignored, with a warning', () => {
  const warnings: string[] = [];
  const request = requestWith([['authorization', 'Bearer  good']]);
  expect(bearerToken(tokens)(request, { ...notes, warn: (text) => warnings.push(text) })).toBeUndefined();
  expect(warnings).toEqual([
    'the provided Authorization header contains extra space before the bearer token, and is ignored',
  ]);
});

describe('a bearer token', () => {
  const authenticate = bearerToken(tokens);
  const ask = (authorization: string) => outcome(authenticate, requestWith([['authorization', authorization]]));

  test.each<[string, string | number | undefined]>([
    ['Bearer good', 'ann'],
    ['bearer good', 'ann'],
    ['BEARER good', 'ann'],
    ['  Bearer good  ', 'ann'],
    ['Bearer bad', 401],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer  good', undefined],
    ['Basic eDp5', undefined],
    ['good', undefined],
    ['', undefined],
  ])('in %j is %j', async (header, expected) => {
    const user = await ask(header);
    expect(typeof user === 'object' ? user.name : user).toBe(expected);
  });

  test('in any header is read or refused', async () => {
    const header = fc.oneof(
      fc.string(),
      fc.string().map((text) => `Bearer ${text}`),
    );
    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        expect([undefined, 401]).toContain(await ask(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a token of a WebSocket', () => {
  const authenticate = webSocketToken(tokens, kubernetes);
  const prefix = 'base64url.bearer.authorization.k8s.io.';
  const ask = (protocols: string, more: Partial<ApiRequest> = { upgrade: 'websocket' }) =>
    outcome(authenticate, requestWith([['sec-websocket-protocol', protocols]], more));

  test('is looked for in upgrades only', async () => {
    const carried = `${prefix}${Buffer.from('good').toString('base64url')}`;
    expect(await ask(`${carried}, x`)).toMatchObject({ name: 'ann' });
    expect(await ask(`x,${carried}`)).toMatchObject({ name: 'ann' });
    expect(await ask(`${carried}, x`, {})).toBeUndefined();
    expect(await ask(carried)).toBe(401);
  });

  test('in any list of protocols is read or refused', async () => {
    const name = fc.oneof(
      fc.string(),
      fc.string().map((text) => `${prefix}${text}`),
    );
    const list = fc.array(name, { maxLength: 4 }).map((names) => names.join(', '));
    await fc.assert(
      fc.asyncProperty(list, async (text) => {
        expect([undefined, 401]).toContain(await ask(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a proxy', () => {
  const proxies = createAuthority('proxies', Date.now());
  const leaf = signLeaf(proxies, { usage: 'client', commonName: 'front', organizations: [] }, Date.now());
  const certificate: ClientCertificate = { chain: [new X509Certificate(leaf.certificate).raw] };
  const trusted = new Authorities(parseCertificates(proxies.certificate));
  const settings = {
    authorities: () => trusted,
    clock: systemClock,
    allowedNames: [],
    usernameHeaders: ['x-remote-user'],
    uidHeaders: ['x-remote-uid'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  };
  const authenticate = requestHeader(settings);

  test('names the user in the first header that has a value, and groups and extra in all of them', async () => {
    const several = requestHeader({
      ...settings,
      usernameHeaders: ['x-first', 'x-second'],
      groupHeaders: ['x-group', 'x-more'],
    });
    const sent: Sent = [
      ['X-First', ''],
      // a header holds bytes: those of é in UTF-8
      ['X-SECOND', 'ren\xc3\xa9'],
      ['X-Group', 'a'],
      ['X-Group', 'b'],
      ['X-More', 'c'],
      ['X-Remote-Extra-Acme.org%2FTeam', 'red'],
      ['X-Remote-Extra-Acme.org%2FTeam', 'blue'],
    ];
    const user = await outcome(several, requestWith(sent, { peer: { address: '', certificate } }));
    expect(user).toEqual({
      name: 'ren\u00e9',
      groups: ['a', 'b', 'c', 'system:authenticated'],
      extra: { 'acme.org/team': ['red', 'blue'] },
    });
  });

  test('may send any headers, and keys of any name are data', async () => {
    const name = fc.constantFrom(
      'User',
      'Uid',
      'Group',
      'Extra-a',
      'Extra-__proto__',
      'Extra-%zz',
      'Extra-%5F',
      'Extra-',
    );
    const sent = fc.array(
      fc.tuple(
        name.map((end) => `X-Remote-${end}`),
        fc.string(),
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(sent, async (headers) => {
        const authenticatedUser = await outcome(
          authenticate,
          requestWith(headers, { peer: { address: '', certificate } }),
        );
        const user = headers.find(([header]) => header === 'X-Remote-User')?.[1];
        if (!user) {
          expect(authenticatedUser).toBeUndefined();
          return;
        }
        expect(authenticatedUser).toMatchObject({ name: user });
        const { extra = {} } = authenticatedUser as UserInfo;
        expect(Object.getPrototypeOf(extra)).toBe(Object.prototype);
        for (const values of Object.values(extra)) expect(Array.isArray(values)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

test('callers without credentials are let in where that is allowed', async () => {
  const authenticate = anonymous((path) => path === '/livez');
  expect(await outcome(authenticate, requestWith([], { path: '/livez' }))).toMatchObject({ name: 'system:anonymous' });
  expect(await outcome(authenticate, requestWith([], { path: '/readyz' }))).toBeUndefined();
});

test('damaged certificates are refused or read', () => {
  const { certificate } = createAuthority('x', Date.now());
  const der = Buffer.from(new X509Certificate(certificate).raw);
  const damage = fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(damage, fc.nat(der.length), (changes, end) => {
      const bytes = Buffer.from(der.subarray(0, end));
      for (const [at, value] of changes) if (at < end) bytes[at] = value;
      const pem = `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`;
      try {
        for (const one of parseCertificates(pem)) expect(typeof one.subject).not.toBe('number');
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
    { numRuns: 300 },
  );
});
