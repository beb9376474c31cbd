import { expect, test } from 'vitest';
import { identityHeaders } from '../handlers/connect/passed-headers.ts';
import { type ApiRequest, Exchange } from '../meta/exchange.ts';
import type { UserInfo } from '../meta/user.ts';
import { forwardedHeaders } from './forwarded-headers.ts';

type Pairs = readonly (readonly [string, string])[];

const ada = { name: 'ada', groups: ['devs'] };
const usual: Pairs = [
  ['accept', 'application/json'],
  ['authorization', 'Bearer secret'],
];

function exchangeOf(sent: Pairs, { user = ada, address = '127.0.0.9', id = 'one' } = {}): Exchange {
  const header = (name: string) => sent.find(([given]) => given === name)?.[1];
  const request = { method: 'GET', path: '/', rawQuery: '', peer: { address }, headers: () => sent, header };
  const exchange = new Exchange(request as unknown as ApiRequest, id, 0);
  exchange.user = user as UserInfo;
  return exchange;
}

const hidesNone = identityHeaders(undefined);

const headersFor = (
  exchange: Exchange,
  { authority = 'books:443', path = '/apis/a', upgrades = false, hides = hidesNone } = {},
) => {
  const target = { authority, path, upgrades, identityHeaders: hides };
  const { headers, ownHeaders } = forwardedHeaders(exchange, target);
  return { headers, ownHeaders, all: { ...headers, ...ownHeaders } };
};

test('requests with equal headers share them, except headers of one request', () => {
  const first = headersFor(exchangeOf(usual));
  const second = headersFor(exchangeOf([...usual], { id: 'two' }), { path: '/apis/b' });
  expect(second.headers).toBe(first.headers);
  expect(second.all).toEqual({
    accept: 'application/json',
    'x-forwarded-for': '127.0.0.9',
    'x-forwarded-host': 'books:443',
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': '/apis/b',
    'audit-id': 'two',
    'x-remote-user': 'ada',
    'x-remote-group': ['devs'],
  });
});

test.each<[string, Exchange, { authority?: string; upgrades?: boolean }, object]>([
  ['another user', exchangeOf(usual, { user: { name: 'bob', groups: [] } }), {}, { 'x-remote-user': 'bob' }],
  ['another address', exchangeOf(usual, { address: '127.0.0.8' }), {}, { 'x-forwarded-for': '127.0.0.8' }],
  ['another server', exchangeOf(usual), { authority: 'tools:443' }, { 'x-forwarded-host': 'tools:443' }],
  ['another value', exchangeOf([['accept', 'text/plain'], usual[1] as never]), {}, { accept: 'text/plain' }],
  ['another name', exchangeOf([['x-a', 'application/json'], usual[1] as never]), {}, { 'x-a': 'application/json' }],
  ['one header more', exchangeOf([...usual, ['x-b', 'b']]), {}, { 'x-b': 'b' }],
])('of %s nothing is taken for the same', (_what, other, target, expected) => {
  const usually = headersFor(exchangeOf(usual)).headers;
  const { headers } = headersFor(other, target);
  expect(headers).not.toBe(usually);
  expect(headers).toMatchObject(expected);
  expect(headers).not.toHaveProperty('authorization');
  expect(headersFor(exchangeOf(usual)).all).toMatchObject({ 'x-remote-user': 'ada', 'x-forwarded-for': '127.0.0.9' });
});

test('a request with long headers is forwarded and not cached', () => {
  const much: Pairs = [...usual, ['x-much', 'x'.repeat(3000)]];
  const first = headersFor(exchangeOf(much));
  expect(first.headers).toMatchObject({ 'x-much': 'x'.repeat(3000) });
  expect(headersFor(exchangeOf(much)).headers).not.toBe(first.headers);
});

test('headers that this server sets are not sent twice', () => {
  const claimed: Pairs = [
    ['audit-id', 'theirs'],
    ['x-forwarded-uri', '/theirs'],
    ['content-length', '5'],
  ];
  const { headers, all } = headersFor(exchangeOf(claimed));
  expect(Object.keys(headers).filter((name) => claimed.some(([given]) => given === name))).toEqual([]);
  expect(all).toMatchObject({ 'audit-id': 'one', 'x-forwarded-uri': '/apis/a' });
  expect(all).not.toHaveProperty('content-length');
});

test('servers of one process share no headers that one of them hides', () => {
  const sent: Pairs = [...usual, ['x-who', 'eve']];
  expect(headersFor(exchangeOf(sent)).headers).toMatchObject({ 'x-who': 'eve' });
  const hides = identityHeaders({ usernameHeaders: ['x-who'], uidHeaders: [], groupHeaders: [], extraPrefixes: [] });
  expect(headersFor(exchangeOf(sent), { hides }).headers).not.toHaveProperty('x-who');
});
