import { describe, expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { ClientAnswer, Transport } from './client.ts';
import { TransportError } from './http/call.ts';
import { Webhook, WebhookError } from './webhook.ts';

const review = { kind: 'TokenReview', apiVersion: `authentication.${kubernetes.apiDomain}/v1` };
const good: ClientAnswer = { status: 200, body: { ...review, status: { authenticated: true } } };
const lost = (code: string) => new TransportError('POST x', Object.assign(new Error('secret detail'), { code }));

/** A webhook that answers from a script, and a clock that runs while it waits. */
function scripted(answers: (ClientAnswer | Error | 'silence')[]) {
  const clock = new FakeClock();
  const times: number[] = [];
  const start = clock.now();
  const results: string[] = [];
  const transport: Transport = {
    send({ signal }) {
      times.push(clock.now() - start);
      const next = answers.shift() ?? good;
      if (next === 'silence')
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new Error('given up'))),
        );
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    lines: () => {
      throw new Error('no streams here');
    },
  };
  const webhook = new Webhook({ transport, clock, timeoutMs: 30_000, onAttempt: (result) => results.push(result) });
  const ask = async () => {
    const answer = webhook.ask(review);
    let over = false;
    answer.then(
      () => (over = true),
      () => (over = true),
    );
    for (let i = 0; i < 400 && !over; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(100);
    }
    return answer;
  };
  return { ask, times, results };
}

describe('a webhook', () => {
  test('a failing webhook is called again with growing pauses', async () => {
    const { ask, times, results } = scripted([
      { status: 500, body: '' },
      lost('ECONNRESET'),
      { status: 429, body: '' },
      { status: 503, body: '' },
    ]);
    expect((await ask()).object('status')?.flag('authenticated')).toBe(true);
    expect(results).toEqual(['error', 'error', 'error', 'error', 'success']);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, least] of [500, 750, 1125, 1687].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(least);
      expect(pauses[index]).toBeLessThanOrEqual(least * 1.2 + 200);
    }
  });

  test('is given up after five attempts', async () => {
    const { ask, times } = scripted(Array.from({ length: 9 }, () => ({ status: 500, body: 'secret' })));
    await expect(ask()).rejects.toThrow(new WebhookError('the webhook answered with status 500', 'error', true));
    expect(times).toHaveLength(5);
  });

  test('is given up when its time is over', async () => {
    const { ask, times, results } = scripted([{ status: 500, body: '' }, 'silence']);
    await expect(ask()).rejects.toMatchObject({ message: 'the webhook did not answer in time', result: 'timeout' });
    expect([times.length, results]).toEqual([2, ['error', 'timeout']]);
  });

  test.each<[string, ClientAnswer | Error, string]>([
    ['refuses', { status: 403, body: 'secret' }, 'the webhook answered with status 403'],
    ['redirects', { status: 302, body: '' }, 'the webhook answered with status 302, a redirect, which is not followed'],
    ['shows a wrong certificate', lost('CERT_HAS_EXPIRED'), 'the webhook cannot be reached: CERT_HAS_EXPIRED'],
    [
      'answers another kind',
      { status: 200, body: { ...review, kind: 'Pod' } },
      'the webhook answered with another kind',
    ],
    [
      'answers another version',
      { status: 200, body: { ...review, apiVersion: 'v9' } },
      'the webhook answered with another version',
    ],
    [
      'answers text',
      { status: 200, body: 'secret' },
      'the webhook answered with something that is no object of the API',
    ],
    [
      'answers odd types',
      { status: 200, body: { kind: 5 } },
      'the webhook answered with something that is no object of the API',
    ],
  ])('that %s is not asked again, and its words are not repeated', async (_what, answer, message) => {
    const { ask, times } = scripted([answer]);
    await expect(ask()).rejects.toThrow(message);
    expect(times).toHaveLength(1);
  });

  test('need not say again what it was asked', async () => {
    const { ask } = scripted([{ status: 201, body: { status: { authenticated: false } } }]);
    expect((await ask()).has('status')).toBe(true);
  });
});
