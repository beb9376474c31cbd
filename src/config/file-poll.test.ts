import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { FilePoll } from './file-poll.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('file poll: polls that begin at different times look at the files at the same moments', async () => {
  const clock = new FakeClock('2030-01-01T00:00:01.200Z');
  const looks: [string, string][] = [];
  const poll = (name: string) =>
    new FilePoll(clock, () => {
      looks.push([name, new Date(clock.now()).toISOString().slice(17, 23)]);
    });
  const first = poll('first');
  clock.advance(2700);
  const second = poll('second');
  clock.advance(1100);
  await settled();
  clock.advance(5000);
  await settled();
  expect(looks).toEqual([
    ['first', '05.000'],
    ['second', '05.000'],
    ['first', '10.000'],
    ['second', '10.000'],
  ]);
  first.stop();
  second.stop();
  clock.advance(10_000);
  expect(looks).toHaveLength(4);
});

test('file poll: a look that takes long is followed by the next one at a later moment, not by two at once', async () => {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  let looks = 0;
  let end = () => {};
  const poll = new FilePoll(clock, () => {
    looks++;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  clock.advance(12_000);
  expect(looks).toBe(1);
  end();
  await settled();
  clock.advance(3000);
  expect(looks).toBe(2);
  poll.stop();
  end();
});
