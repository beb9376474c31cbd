import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { fitsScope, parseRequestInfo, type RequestInfo } from './request-info.ts';

const info = (method: string, url: string): RequestInfo => {
  const [path = '', query = ''] = url.split('?');
  return parseRequestInfo(method, path, () => query === 'watch');
};

/** A resource request in one line: verb, group/version, scope and namespace, what. */
function summary(method: string, url: string): string {
  const { isResource, verb, apiPrefix, group, version, scope, namespace, resource, name, subresource } = info(
    method,
    url,
  );
  if (!isResource) return `${verb} outside`;
  const what = [resource, name, subresource].join(':');
  return `${verb} ${apiPrefix}:${group}/${version} ${scope}=${namespace} ${what}`;
}

describe('resources', () => {
  test.each([
    // the core group
    ['GET', '/api/v1/nodes', 'list api:/v1 cluster= nodes::'],
    ['GET', '/api/v1/nodes/', 'list api:/v1 cluster= nodes::'],
    ['GET', '/api/v1/nodes?watch', 'watch api:/v1 cluster= nodes::'],
    ['GET', '/api/v1/nodes/a', 'get api:/v1 cluster= nodes:a:'],
    ['GET', '/api/v1/nodes/a?watch', 'get api:/v1 cluster= nodes:a:'],
    ['HEAD', '/api/v1/nodes/a', 'get api:/v1 cluster= nodes:a:'],
    ['HEAD', '/api/v1/nodes', 'list api:/v1 cluster= nodes::'],
    ['HEAD', '/api/v1/nodes?watch', 'watch api:/v1 cluster= nodes::'],
    ['GET', '/api/v1/nodes/a/status', 'get api:/v1 cluster= nodes:a:status'],
    ['GET', '/api/v1/pods', 'list api:/v1 cluster= pods::'],
    ['GET', '/api/v1/namespaces/n/pods', 'list api:/v1 namespace=n pods::'],
    ['GET', '/api/v1/namespaces/n/pods?watch', 'watch api:/v1 namespace=n pods::'],
    ['GET', '/api/v1/namespaces/n/pods/p', 'get api:/v1 namespace=n pods:p:'],
    ['GET', '/api/v1/namespaces/n/pods/p/log', 'get api:/v1 namespace=n pods:p:log'],
    ['POST', '/api/v1/namespaces/n/pods', 'create api:/v1 namespace=n pods::'],
    ['PUT', '/api/v1/namespaces/n/pods/p', 'update api:/v1 namespace=n pods:p:'],
    ['PATCH', '/api/v1/namespaces/n/pods/p', 'patch api:/v1 namespace=n pods:p:'],
    ['DELETE', '/api/v1/namespaces/n/pods/p', 'delete api:/v1 namespace=n pods:p:'],
    ['DELETE', '/api/v1/namespaces/n/pods', 'deletecollection api:/v1 namespace=n pods::'],
    ['DELETE', '/api/v1/nodes', 'deletecollection api:/v1 cluster= nodes::'],
    // namespaces themselves
    ['GET', '/api/v1/namespaces', 'list api:/v1 cluster= namespaces::'],
    ['POST', '/api/v1/namespaces', 'create api:/v1 cluster= namespaces::'],
    ['GET', '/api/v1/namespaces/n', 'get api:/v1 cluster=n namespaces:n:'],
    ['DELETE', '/api/v1/namespaces/n', 'delete api:/v1 cluster=n namespaces:n:'],
    ['PUT', '/api/v1/namespaces/n/finalize', 'update api:/v1 cluster=n namespaces:n:finalize'],
    ['PATCH', '/api/v1/namespaces/n/status', 'patch api:/v1 cluster=n namespaces:n:status'],
    // named groups
    ['GET', '/apis/apps/v1/deployments', 'list apis:apps/v1 cluster= deployments::'],
    ['GET', '/apis/apps/v1/namespaces/n/deployments/d', 'get apis:apps/v1 namespace=n deployments:d:'],
    ['PUT', '/apis/apps/v1/namespaces/n/deployments/d/scale', 'update apis:apps/v1 namespace=n deployments:d:scale'],
    ['GET', '/apis/a.example.com/v1beta1/things', 'list apis:a.example.com/v1beta1 cluster= things::'],
    // watch paths of old
    ['GET', '/api/v1/watch/pods', 'watch api:/v1 cluster= pods::'],
    ['GET', '/api/v1/watch/namespaces/n/pods', 'watch api:/v1 namespace=n pods::'],
    ['GET', '/api/v1/watch/namespaces/n/pods/p', 'watch api:/v1 namespace=n pods:p:'],
    ['GET', '/api/v1/watch/namespaces/n', 'watch api:/v1 cluster=n namespaces:n:'],
    ['GET', '/apis/apps/v1/watch/deployments', 'watch apis:apps/v1 cluster= deployments::'],
    ['GET', '/api/v1/namespaces/watch/pods', 'list api:/v1 namespace=watch pods::'],
  ])('%s %s is %s', (method, url, expected) => {
    expect(summary(method, url)).toBe(expected);
  });

  test('other methods are no verb, also those that spell one', () => {
    for (const method of ['OPTIONS', 'TRACE', 'LIST', 'list', 'get', 'delete', 'watch', 'deletecollection', 'toString'])
      expect(info(method, '/api/v1/nodes/n')).toMatchObject({ isResource: true, verb: '' });
  });

  test.each(['watch', 'proxy'])('the old paths that begin with %s have that verb by every method', (verb) => {
    for (const method of ['GET', 'DELETE', 'PATCH', 'POST', 'PUT', 'LIST'])
      expect(info(method, `/api/v1/${verb}/nodes/n`)).toMatchObject({ verb, verbInPath: verb, resource: 'nodes' });
    expect(info('GET', `/api/v1/${verb}`)).toMatchObject({ verb: 'list', verbInPath: '', resource: verb });
  });

  // RequestInfo takes Parts[2] alone; the rest of the path belongs to the server that is proxied to
  test.each([
    ['GET', '/api/v1/namespaces/n/pods/p/proxy/a/b', 'get api:/v1 namespace=n pods:p:proxy'],
    ['GET', '/api/v1/nodes/a/proxy/healthz', 'get api:/v1 cluster= nodes:a:proxy'],
  ])('the subresource of %s %s is one segment', (method, url, expected) => {
    expect(summary(method, url)).toBe(expected);
  });
});

describe('paths outside the resources', () => {
  test.each([
    '/',
    '',
    '/healthz',
    '/version',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/apps/v1/',
    '/openapi/v3/apis/apps/v1',
    '/apix/v1/pods',
    '/API/v1/pods',
  ])('%s has only a verb and a path', (path) => {
    expect(info('GET', path)).toEqual({
      isResource: false,
      path,
      verb: 'get',
      apiPrefix: '',
      group: '',
      version: '',
      scope: 'cluster',
      namespace: '',
      resource: '',
      subresource: '',
      rest: '',
      name: '',
      verbInPath: '',
    });
  });

  test('the verb is the method in lower case', () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const path of ['/healthz', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1', '/openapi/v3'])
        expect([path, summary(method, path)]).toEqual([path, `${method.toLowerCase()} outside`]);
  });
});

describe('percent-encoding', () => {
  test.each([
    ['/api/v1/namespaces/n/roles/system%3Anode', 'system:node'],
    ['/api/v1/namespaces/n/roles/caf%C3%A9', 'café'],
    ['/api/v1/namespaces/n/roles/a%252Fb', 'a%2Fb'],
    ['/api/v1/namespaces/n/roles/%2e%2e', '..'],
    ['/api/v1/namespaces/n/roles/100%', '100%'],
    ['/api/v1/namespaces/n/roles/%C3', '\ufffd'],
  ])('%s names %s', (path, name) => {
    expect(info('GET', path)).toMatchObject({ resource: 'roles', name, subresource: '', namespace: 'n' });
  });

  test('an encoded slash parts segments', () => {
    expect(summary('GET', '/api/v1/namespaces/n%2Fpods/p%2flog')).toBe('get api:/v1 namespace=n pods:p:log');
  });

  test('applies to every segment', () => {
    expect(summary('GET', '/%61pi/v1/n%61mespaces/%6E/pods')).toBe('list api:/v1 namespace=n pods::');
  });

  test('the path itself is decoded too: rights to it and what is found there are about the same', () => {
    expect(info('GET', '/%61pi/v1/nodes/%61').path).toBe('/api/v1/nodes/a');
    expect(info('GET', '/metrics%2fslis').path).toBe('/metrics/slis');
  });
});

describe('laws', () => {
  test('any path can be read', () => {
    const segment = fc.oneof(
      fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'watch', 'status', '', '%'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const path = `/${segments.join('/')}`;
        const { isResource, resource } = info('GET', path);
        if (isResource && !/[^/]\/\/+[^/]/.test(path)) expect(resource).not.toBe('');
      }),
      fuzzRuns(500),
    );
  });

  test('a namespaced object is found where it is written to', () => {
    const name = fc.stringMatching(/^[a-z0-9-]{1,10}$/);
    fc.assert(
      fc.property(name, name, name, (namespace, resource, object) => {
        fc.pre(resource !== 'status' && resource !== 'finalize');
        const path = `/apis/g/v1/namespaces/${namespace}/${resource}/${object}`;
        expect(info('PUT', path)).toMatchObject({ scope: 'namespace', namespace, resource, name: object, group: 'g' });
      }),
    );
  });
});

describe('the scope of a path', () => {
  test.each([
    ['/api/v1/namespaces/a/pods/p', true, true],
    ['/api/v1/namespaces/a/pods', true, true],
    ['/api/v1/pods', true, true],
    ['/api/v1/pods/p', true, false],
    ['/api/v1/nodes/n', false, true],
    ['/api/v1/namespaces/a/nodes/n', false, false],
    ['/api/v1/namespaces/a/nodes', false, false],
  ])('%s, where resources with a namespace is %s, fits: %s', (path, namespaced, fits) => {
    expect(fitsScope(info('GET', path), { namespaced })).toBe(fits);
  });
});
