import { expect, test } from 'vitest';
import { BodyRooms } from './body-rooms.ts';

test('a user has half of what the others leave, and no more', () => {
  const rooms = new BodyRooms(1000);
  const [first, second] = [rooms.open('a'), rooms.open('a')];
  first.take(300);
  second.take(200);
  expect(() => second.take(1)).toThrow('Too many requests');
  const other = rooms.open('b');
  other.take(250);
  expect(() => other.take(1)).toThrow('Too many requests');
  rooms.open('c').take(125);
});

test('however many users there are, all of them together have what there is', () => {
  const rooms = new BodyRooms(1000);
  let taken = 0;
  for (let user = 0; user < 100; user++) {
    for (;;) {
      try {
        rooms.open(`user-${user}`).take(1);
      } catch {
        break;
      }
      taken++;
    }
  }
  expect(taken).toBeLessThanOrEqual(1000);
});

test('what a request held is there for the next, and a request that is over takes nothing', () => {
  const rooms = new BodyRooms(1000);
  const first = rooms.open('a');
  first.take(500);
  first.close();
  first.close();
  expect(() => first.take(1)).toThrow('Too many requests');
  rooms.open('a').take(500);
  expect(() => rooms.open('a').take(1)).toThrow('Too many requests');
});
