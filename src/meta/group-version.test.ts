import { expect, test } from 'vitest';
import { apiPath, formatApiVersion, formatGroupResource } from './group-version.ts';

test.each([
  [{ group: '', version: 'v1' }, 'v1', '/api/v1'],
  [{ group: 'apps', version: 'v1' }, 'apps/v1', '/apis/apps/v1'],
  [{ group: 'a.example.com', version: 'v2beta1' }, 'a.example.com/v2beta1', '/apis/a.example.com/v2beta1'],
])('%o is written %s and served at %s', (groupVersion, apiVersion, path) => {
  expect(formatApiVersion(groupVersion)).toBe(apiVersion);
  expect(apiPath(groupVersion)).toBe(path);
});

test.each([
  [{ group: '', resource: 'configmaps' }, 'configmaps'],
  [{ group: 'apps', resource: 'deployments' }, 'deployments.apps'],
])('%o is written %s', (groupResource, text) => {
  expect(formatGroupResource(groupResource)).toBe(text);
});
