// A server with simulated nodes and a clock that stands still.

import { expect } from 'vitest';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually } from './eventually.ts';

export const pods = '/api/v1/namespaces/default/pods';
export const nodes = '/api/v1/nodes';

export async function startNodes(options: object = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const server = await startTestServer({
    ...{ listen: false, clock, simulate: ['nodes'], disableAdmissionPlugins: ['ServiceAccount'] },
    ...options,
  });
  const api = apiOf(server);
  const create = async (path: string, object: object) => {
    const { status, body } = await api.post(path, object);
    expect([status, body.message]).toEqual([201, undefined]);
    return body;
  };
  const createPod = (name: string, spec: object = {}, metadata: object = {}) =>
    create(pods, { metadata: { name, ...metadata }, spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec } });
  return {
    ...{ server, api, clock, create, createPod },
    pod: async (name: string) => (await api.get(`${pods}/${name}`)).body,
    /** Waits until the object at a path has this. */
    settled: (path: string, expected: object) =>
      eventually(async () => {
        const { status, body } = await api.get(path);
        expect(body).toMatchObject(expected);
        expect(status).toBe(200);
        return body;
      }),
    /** Waits until no object is at a path. */
    gone: (path: string) => eventually(async () => expect((await api.get(path)).status).toBe(404)),
    /** Waits until the reasons of the events about an object are these, in any order. */
    events: (name: string, ...reasons: readonly string[]) =>
      eventually(async () => {
        const { body } = await api.get(`/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`);
        expect(body.items.map(({ reason }: { reason: string }) => reason).sort()).toEqual([...reasons].sort());
        return body.items;
      }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
