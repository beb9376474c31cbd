import { describe, expect, test } from 'vitest';
import { Client, type Transport } from '../client/client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { LeaderElection } from './leader-election.ts';

interface Lease {
  metadata: { name: string; resourceVersion: string };
  spec: { holderIdentity: string; leaseTransitions: number };
}

/** A server that knows one lease and checks its version. */
function leaseServer() {
  const server: { lease: Lease | undefined; isDown: boolean } = { lease: undefined, isDown: false };
  let version = 0;
  const transport: Transport = {
    async send({ method, body }) {
      if (server.isDown) return { status: 503, body: {} };
      const sent = body as Lease;
      if (method === 'GET')
        return server.lease ? { status: 200, body: structuredClone(server.lease) } : { status: 404, body: {} };
      const stale = method === 'POST' ? server.lease !== undefined : sent.metadata.resourceVersion !== String(version);
      if (stale) return { status: 409, body: {} };
      server.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(++version) } };
      return { status: 200, body: server.lease };
    },
    lines: () => {
      throw new Error('no watch here');
    },
  };
  return { server, client: new Client(transport) };
}

const settle = async () => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

function candidate(client: Client, clock: FakeClock, identity: string, events: string[]) {
  const election = new LeaderElection({
    ...{ client, clock, identity, leases: '/leases', name: 'l' },
    ...{ leaseMs: 15_000, renewWithinMs: 10_000, retryMs: 2000 },
    onElected: () => events.push(`+${identity}`),
    onDeposed: async () => void events.push(`-${identity}`),
    onError: () => {},
  });
  election.start();
  return election;
}

async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    await settle();
  }
}

describe('of two candidates', () => {
  test('one leads, and the other follows at once when it steps down', async () => {
    const { client, server } = leaseServer();
    const clock = new FakeClock();
    const events: string[] = [];
    const a = candidate(client, clock, 'a', events);
    await settle();
    const b = candidate(client, clock, 'b', events);
    await pass(clock, 60);
    expect(events).toEqual(['+a']);
    await a.close();
    await pass(clock, 3);
    expect(events).toEqual(['+a', '-a', '+b']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await b.close();
    expect(server.lease?.spec.holderIdentity).toBe('');
  });

  test('the other takes over from one that vanished, after the lease has run out', async () => {
    const { client, server } = leaseServer();
    const clock = new FakeClock();
    const events: string[] = [];
    server.lease = {
      metadata: { name: 'l', resourceVersion: '0' },
      spec: { holderIdentity: 'gone', leaseTransitions: 0 },
    };
    const b = candidate(client, clock, 'b', events);
    await pass(clock, 14);
    expect(events).toEqual([]);
    await pass(clock, 4);
    expect(events).toEqual(['+b']);
    await b.close();
  });
});

test('a leader that cannot renew steps down before another server may lead', async () => {
  const { client, server } = leaseServer();
  const clock = new FakeClock();
  const events: string[] = [];
  const a = candidate(client, clock, 'a', events);
  await settle();
  server.isDown = true;
  await pass(clock, 14);
  expect(events).toEqual(['+a', '-a']);
  server.isDown = false;
  await pass(clock, 2);
  expect(events).toEqual(['+a', '-a', '+a']);
  await a.close();
});
