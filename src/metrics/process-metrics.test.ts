import { expect, test } from 'vitest';
import { networkOctets, virtualMemoryLimit } from './process-metrics.ts';

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax address space         ${soft}            unlimited            bytes     \n`;

test.each([
  ['unlimited', 2 ** 64],
  ['4096', 4096],
])('an address space of %s', (soft, expected) => {
  expect(virtualMemoryLimit(limits(soft))).toBe(expected);
});

test('bytes of the network stand below their names', () => {
  const netstat = 'TcpExt: SyncookiesSent\nTcpExt: 7\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 1 22 333\n';
  expect([networkOctets(netstat, 'InOctets'), networkOctets(netstat, 'OutOctets')]).toEqual([22, 333]);
});

test('a kernel without process data causes no error', () => {
  expect([virtualMemoryLimit(''), networkOctets('', 'InOctets')]).toEqual([undefined, undefined]);
});
