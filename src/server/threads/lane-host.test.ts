import { MessageChannel, MessagePort } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { PortCalls } from '../../threads/port-calls.ts';
import type { MainCalls, ServingCalls } from '../../threads/protocol.ts';
import type { LoggedConfig } from '../server-log.ts';
import { LaneHost } from './lane-host.ts';
import type { ThreadGroup } from './thread-group.ts';

/** Lanes that serve nothing; the first one ends before it gets a port. */
function lanes() {
  const served: MessagePort[] = [];
  let started = 0;
  const start = async (index: number) => {
    const number = ++started;
    const { port1, port2 } = new MessageChannel();
    const calls = new PortCalls<MainCalls, ServingCalls>(port1, {} as never);
    const lane = new PortCalls<ServingCalls, MainCalls>(port2, {
      serveLane: (port: MessagePort) => void served.push(port),
    } as never);
    const exited = new Promise<undefined>((resolve) => {
      port1.on('close', () => setImmediate(resolve, undefined));
    });
    if (number === 1) lane.close();
    return { index, calls, exited, startedAt: 0, end: () => lane.close() };
  };
  return { served, start, end: async () => {} };
}

const config = { log: { error: () => {} } } as unknown as LoggedConfig;

test('a lane that ends before it has the port is none, however it ends', async () => {
  const group = lanes();
  const host = new LaneHost(group as unknown as ThreadGroup, config, 1);
  await expect(host.connect()).rejects.toThrow('is started again later');
  expect(group.served).toEqual([]);
  await expect.poll(() => host.connect()).toBeInstanceOf(MessagePort);
  expect(group.served).toHaveLength(1);
  host.close();
  await expect(host.connect()).rejects.toThrow('the server stops');
  for (const port of group.served) port.close();
});
