import { describe, expect, test } from 'vitest';
import { answerHeaders, identityHeaders, passedHeaders } from './passed-headers.ts';

const none = identityHeaders(undefined);

describe('what another server hears', () => {
  test.each([
    'authorization',
    'host',
    'impersonate-user',
    'impersonate-extra-x',
    'x-remote-group',
    'x-forwarded-for',
    'connection',
    'te',
    'transfer-encoding',
    'proxy-authorization',
    ':authority',
  ])('%s stays here', (name) => {
    expect(passedHeaders(Object.entries({ [name]: 'x', accept: 'y' }), false, none)).toEqual({ accept: 'y' });
  });

  test('headers that the client names as its connection’s stay here', () => {
    expect(
      passedHeaders(Object.entries({ connection: 'close, X-Own', 'x-own': '1', 'x-other': '2' }), false, none),
    ).toEqual({
      'x-other': '2',
    });
  });

  test.each(['x-acme-user', 'x-acme-uid', 'x-acme-group', 'x-acme-extra-a', 'x_acme_user', 'x_remote_user'])(
    '%s stays here where proxies in front of the server use such names',
    (name) => {
      const identity = identityHeaders({
        usernameHeaders: ['x-acme-user'],
        uidHeaders: ['x-acme-uid'],
        groupHeaders: ['x-acme-group'],
        extraPrefixes: ['x-acme-extra-', ''],
      });
      expect(passedHeaders(Object.entries({ [name]: 'x', accept: 'y' }), false, identity)).toEqual({ accept: 'y' });
    },
  );

  test('what is sent several times is one list', () => {
    const sent = [
      ['accept', 'a'],
      ['cookie', 'x=1'],
      ['accept', 'b'],
      ['cookie', 'y=2'],
    ] as const;
    expect(passedHeaders(sent, false, none)).toEqual({ accept: 'a, b', cookie: 'x=1; y=2' });
  });

  test('an upgrade is asked for, without tokens among the protocols', () => {
    const given = {
      upgrade: 'websocket',
      'sec-websocket-protocol': 'a, base64url.bearer.x.y, b',
      'sec-websocket-key': 'k',
    };
    expect(passedHeaders(Object.entries(given), true, none)).toEqual({
      'sec-websocket-protocol': 'a, b',
      'sec-websocket-key': 'k',
      connection: 'Upgrade',
      upgrade: 'websocket',
    });
  });
});

describe('what the client hears', () => {
  const prefix = '/api/v1/nodes/n/proxy';

  test.each([
    ['/x', `${prefix}/x`],
    ['x', 'x'],
    ['//elsewhere/x', '//elsewhere/x'],
    ['https://elsewhere/x', 'https://elsewhere/x'],
  ])('a location %s is %s', (location, seen) => {
    expect(answerHeaders({ location }, prefix, false)).toEqual({ location: seen });
  });

  test('headers that the other server names as its connection’s are not passed on', () => {
    expect(answerHeaders({ connection: 'close, X-Own', 'x-own': '1', 'x-other': '2' }, prefix, false)).toEqual({
      'x-other': '2',
    });
  });

  test('permissions for browsers are this server’s to give', () => {
    expect(
      answerHeaders({ 'access-control-allow-origin': '*', 'audit-id': 'x', connection: 'close' }, prefix, false),
    ).toEqual({});
  });
});
