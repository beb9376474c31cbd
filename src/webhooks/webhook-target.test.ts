import { describe, expect, test } from 'vitest';
import { WebhookCallError } from './webhook-failure.ts';
import { placeOf, shownUrl } from './webhook-target.ts';

describe('placeOf cleans the path as kube-apiserver does', () => {
  test.each([
    ['//hook', '/hook'],
    ['/hook/', '/hook'],
    ['', '/'],
    ['/a/./b//../c', '/a/c'],
    ['/a%2Fb%2f..', '/a'],
    ['/a%20(b)', '/a%20%28b%29'],
    ['/\u00e9?', '/%C3%A9'],
  ])('of the url https://h:8443%s', (path, sent) => {
    expect(placeOf({ url: `https://h:8443${path}` })).toEqual({
      ...{ authority: 'h:8443', host: 'h', port: 8443, path: sent, service: undefined },
    });
  });

  test.each([
    [undefined, '/'],
    ['/hook/', '/hook'],
    ['//hook', '/hook'],
    ['/../a', '/a'],
    ['/a%2Fb', '/a%252Fb'],
    ['/a?b#c', '/a%3Fb%23c'],
  ])('of the service path %j, which has no escapes', (path, sent) => {
    const service = { namespace: 'default', name: 'hook', ...(path === undefined ? {} : { path }) };
    const place = placeOf({ service });
    expect(place).toEqual({
      authority: 'hook.default.svc:443',
      host: 'hook.default.svc',
      port: 443,
      path: sent,
      service,
    });
    expect(shownUrl(place, '?timeout=1s')).toBe(`https://hook.default.svc:443${sent}?timeout=1s`);
  });
});

test.each([
  ['https://h/%zz', 'Unparsable URL: invalid URL escape "%zz"'],
  ['http://h/', "'https' is the only allowed URL scheme, not http:"],
  ['https://me@h/', 'user information is not permitted in the URL'],
  ['', 'webhook configuration must have either service or URL'],
])('placeOf refuses the url %j', (url, message) => {
  expect(() => placeOf({ url })).toThrow(new WebhookCallError(message, { code: 500 }));
});
