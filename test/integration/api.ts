// A small client for tests: JSON in, JSON out, over any fetch-like function.

import type { InProcessFetch } from '../../src/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface Api {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  patch(kind: 'json' | 'merge' | 'strategic', path: string, body: unknown): Promise<Answer>;
  delete(path: string, body?: unknown): Promise<Answer>;
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

export function apiOf({ fetch }: { readonly fetch: InProcessFetch }): Api {
  const call: Api['call'] = async (method, path, body, headers = {}) => {
    const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const all = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
    const response = await fetch(path, { method, headers: all, ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') || path === '/openapi/v3';
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  };
  return {
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    patch: (kind, path, body) => call('PATCH', path, body, { 'content-type': patchTypes[kind] }),
    delete: (path, body) => call('DELETE', path, body),
  };
}

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const secrets = '/api/v1/namespaces/default/secrets';

export function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): object {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, ...metadata }, data };
}
