// A server with workload controllers and a clock that stands still, whose tests play the agents of nodes.

import { expect } from 'vitest';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

export const inDefault = (group: string, plural: string): string => `/apis/${group}/v1/namespaces/default/${plural}`;
export const pods = '/api/v1/namespaces/default/pods';
export const events = '/api/v1/namespaces/default/events';

export const template = (labels: object = { app: 'web' }, spec: object = {}): object => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

export interface FoundPod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
    readonly finalizers?: readonly string[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

export async function startWorkloads(options: object = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const server = await startTestServer({
    ...{ listen: false, clock, simulate: ['workloads'], disableAdmissionPlugins: ['ServiceAccount'] },
    ...options,
  });
  const api = apiOf(server);
  const create = async (path: string, object: object) => {
    const { status, body } = await api.post(path, object);
    expect([status, body.message]).toEqual([201, undefined]);
    return body;
  };
  const listPods = async (selector = ''): Promise<FoundPod[]> =>
    (await api.get(`${pods}?labelSelector=${encodeURIComponent(selector)}`)).body.items;
  const report = async (name: string, status: object) => {
    const answer = await api.patch('merge', `${pods}/${name}/status`, { status });
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  };
  const setReady = (name: string, isReady = true) =>
    report(name, {
      phase: 'Running',
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'False',
          lastTransitionTime: new Date(clock.now()).toISOString().replace('.000', ''),
        },
      ],
    });
  return {
    ...{ server, api, clock, create, listPods, report, setReady },
    /** Waits until there are so many pods. */
    podCount: (count: number, selector = '') =>
      eventually(async () => {
        const found = await listPods(selector);
        expect(found.map(({ metadata }) => metadata.name)).toHaveLength(count);
        return found;
      }),
    /** Waits until the object at a path has this. */
    settled: (path: string, expected: object) =>
      eventually(async () => {
        const { body } = await api.get(path);
        expect(body).toMatchObject(expected);
        return body;
      }),
    eventsOf: (kind: string) => eventsOf(api, kind),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Reason and message of each event about a kind. */
async function eventsOf(api: Api, kind: string): Promise<string[]> {
  const { body } = await api.get(`${events}?fieldSelector=involvedObject.kind=${kind}`);
  return body.items.map(({ reason, message }: { reason: string; message: string }) => `${reason} ${message}`);
}
