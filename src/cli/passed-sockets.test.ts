import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { takePassedSockets } from './passed-sockets.ts';

const own = { LISTEN_PID: '7', LISTEN_FDS: '1' };

describe('sockets that systemd passes', () => {
  test('none without the variables, and none of zero', () => {
    expect(takePassedSockets({}, 7)).toEqual({ sockets: undefined, warning: undefined });
    expect(takePassedSockets({ ...own, LISTEN_FDS: '0' }, 7)).toEqual({ sockets: undefined, warning: undefined });
  });

  test('those of another process are ignored, with a warning; the variables are removed', () => {
    const env = { LISTEN_PID: '8', LISTEN_FDS: '1', LISTEN_FDNAMES: 'api', PATH: '/bin' };
    expect(takePassedSockets(env, 7)).toEqual({
      sockets: undefined,
      warning: 'LISTEN_PID is "8" and this process is 7: sockets that were passed to another process are not used',
    });
    expect(env).toEqual({ PATH: '/bin' });
    expect(takePassedSockets({ LISTEN_FDS: '1' }, 7).warning).toContain('LISTEN_PID is ""');
  });

  test.each([
    ['x', 'LISTEN_FDS: "x" is not a number of sockets up to 64'],
    ['-1', 'LISTEN_FDS: "-1" is not a number of sockets up to 64'],
    ['65', 'LISTEN_FDS: "65" is not a number of sockets up to 64'],
    ['', 'LISTEN_FDS: "" is not a number of sockets up to 64'],
  ])('a number of sockets that is %j is refused', (count, message) => {
    expect(() => takePassedSockets({ ...own, LISTEN_FDS: count }, 7)).toThrow(message);
  });

  test('as many names as sockets are required', () => {
    const env = { ...own, LISTEN_FDNAMES: 'one:two' };
    expect(() => takePassedSockets(env, 7)).toThrow('LISTEN_FDNAMES: has 2 names, and LISTEN_FDS passes 1 sockets');
  });

  test('a descriptor that is not a socket is refused by its number and name', async () => {
    // whatever descriptor 3 is in this process, one of the next ones is not a socket, or not open
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { ...own, LISTEN_FDS: '64', LISTEN_FDNAMES: Array.from({ length: 64 }, (_, at) => `n${at}`).join(':') };
    expect(() => takePassedSockets(env, 7)).toThrow(/^LISTEN_FDS: descriptor \d+ \(n\d+\) is not (open|a socket)$/);
    server.close();
  });
});
