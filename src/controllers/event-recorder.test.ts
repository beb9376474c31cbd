import { expect, test } from 'vitest';
import { Client, type ClientRequest } from '../client/client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { ControllerContext } from './controller.ts';
import { EventRecorder } from './event-recorder.ts';

const about = (name: string, namespace?: string) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '7', ...(namespace ? { namespace } : {}) },
});
const occurrence = { type: 'Warning', reason: 'Odd', message: 'it is odd' } as const;

function start(answer: (request: ClientRequest) => number = () => 200) {
  const sent: ClientRequest[] = [];
  const failures: string[] = [];
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const client = new Client({
    async send(request) {
      sent.push(request);
      return { status: answer(request), body: request.body };
    },
    lines: () => {
      throw new Error('no events are watched');
    },
  });
  const onError = (_: object, message: string) => failures.push(message);
  const context = { client, clock, onError } as unknown as ControllerContext;
  return { sent, failures, clock, recorder: new EventRecorder(context, 'tester') };
}

test('an event that happens again is counted', async () => {
  const { sent, clock, recorder } = start();
  await recorder.tell(about('a', 'ns'), occurrence);
  clock.advance(5000);
  await recorder.tell(about('a', 'ns'), occurrence);
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  expect(sent[0]?.path).toBe('/api/v1/namespaces/ns/events');
  expect(sent[1]?.path).toMatch(/^\/api\/v1\/namespaces\/ns\/events\/a\.\w+$/);
  expect(sent[1]?.body).toEqual({ count: 2, lastTimestamp: '2030-01-01T00:00:05Z' });
});

test('one that was kept no longer is made again, with its count and its beginning', async () => {
  const { sent, recorder } = start(({ method }) => (method === 'PATCH' ? 404 : 201));
  await recorder.tell(about('a', 'ns'), occurrence);
  await recorder.tell(about('a', 'ns'), occurrence);
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
  expect(sent[2]?.body).toMatchObject({ count: 2, firstTimestamp: '2030-01-01T00:00:00Z' });
});

test('an object outside namespaces, whatever its name, has its events in the default one', async () => {
  const { sent, recorder } = start();
  await recorder.tell(about('system:odd'), occurrence);
  expect(sent[0]?.path).toBe('/api/v1/namespaces/default/events');
  const body = sent.map((request) => request.body as Record<string, { name: string }>)[0];
  expect(body?.['metadata']?.name).toMatch(/^event\.\w+$/);
  expect(body?.['involvedObject']).toMatchObject({ name: 'system:odd' });
  expect(body?.['involvedObject']).not.toHaveProperty('namespace');
});

test('an object has 25 events at once, and one more every five minutes', async () => {
  const { sent, clock, recorder } = start();
  const tellMany = async () => {
    const before = sent.length;
    for (let i = 0; i < 40; i++) await recorder.tell(about('a', 'ns'), { ...occurrence, message: `${i}` });
    return sent.length - before;
  };
  expect(await tellMany()).toBe(25);
  expect(await tellMany()).toBe(0);
  clock.advance(4 * 60_000);
  expect(await tellMany()).toBe(0);
  clock.advance(60_000);
  expect(await tellMany()).toBe(1);
  clock.advance(11 * 60_000);
  expect(await tellMany()).toBe(2);
  clock.advance(24 * 3_600_000);
  expect(await tellMany()).toBe(25);
});

test('what cannot be told is said once, and is no failure; a namespace that goes takes no events', async () => {
  let code = 500;
  const { failures, recorder } = start(() => code);
  await recorder.tell(about('a', 'ns'), occurrence);
  code = 403;
  await recorder.tell(about('a', 'ns'), occurrence);
  expect(failures).toEqual(['an event could not be told']);
});
