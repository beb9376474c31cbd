import { describe, expect, test } from 'vitest';
import { PortMap, parsePortRange, releasePorts, reservePorts } from './node-ports.ts';

/** One record in memory. */
function memory() {
  let value: unknown;
  return {
    get value() {
      return value as { range: string; data: string } | undefined;
    },
    update: async (_: unknown, change: (current: unknown) => object | undefined) => {
      const next = change(value);
      if (next !== undefined) value = JSON.parse(JSON.stringify(next));
    },
  };
}

describe('a map of ports', () => {
  const range = { from: 30000, to: 30099 };

  test('is stored as the number whose bits are the ports that are taken', () => {
    const map = new PortMap(range);
    for (const port of [30000, 30009]) map.set(port);
    const record = map.write();
    expect(record).toEqual({
      kind: 'RangeAllocation',
      apiVersion: 'v1',
      metadata: {},
      range: '30000-30099',
      data: Buffer.from([0x02, 0x01]).toString('base64'),
    });
    const read = PortMap.read(record);
    expect([30000, 30001, 30009].map((port) => read.has(port))).toEqual([true, false, true]);
  });

  test('gives the upper part first, then the lower, then nothing', () => {
    const map = new PortMap(range);
    const given = Array.from({ length: 100 }, () => {
      const port = map.free() as number;
      map.set(port);
      return port;
    });
    expect(Math.min(...given.slice(0, 84))).toBe(30016);
    expect(new Set(given).size).toBe(100);
    expect(map.free()).toBeUndefined();
  });
});

describe('reserving', () => {
  test('keeps what was taken, and nothing of what failed', async () => {
    const records = memory();
    const { taken } = await reservePorts({ records, dryRun: false }, (ports) => ports.take(30005));
    expect(taken).toEqual([30005]);
    const both = reservePorts({ records, dryRun: false }, (ports) => {
      ports.take(30006);
      ports.take(30005);
    });
    await expect(both).rejects.toThrow('provided port is already allocated');
    await expect(reservePorts({ records, dryRun: false }, (ports) => ports.take(30006))).resolves.toBeDefined();
    await releasePorts(records, [30005, 30006, 1]);
    expect(records.value?.data).toBe('');
  });

  test('tells what was taken and what could not be, of a turn that was too late nothing', async () => {
    const records = memory();
    const twice = {
      update: async (...given: Parameters<typeof records.update>) => {
        given[1](undefined);
        await records.update(...given);
      },
    };
    const told: unknown[] = [];
    const call = { records: twice, dryRun: false, onAllocation: (tried: unknown) => told.push(tried) };
    await reservePorts(call, (ports) => [ports.take(30005), ports.takeAny()]);
    await expect(reservePorts({ ...call, records }, (ports) => ports.take(30005))).rejects.toThrow('already allocated');
    expect(told).toEqual([
      { of: 'port', scope: 'static', failed: false },
      { of: 'port', scope: 'dynamic', failed: false },
      { of: 'port', scope: 'static', failed: true },
    ]);
  });

  test('for a dry run writes nothing', async () => {
    const records = memory();
    const { result } = await reservePorts({ records, dryRun: true }, (ports) => [ports.takeAny(), ports.takeAny()]);
    expect(result).toEqual([32769, 32770]);
    expect(records.value).toBeUndefined();
  });
});

test.each([
  ['30000-32767', { from: 30000, to: 32767 }],
  ['5-5', { from: 5, to: 5 }],
  ['0-5', undefined],
  ['6-5', undefined],
  ['1-65536', undefined],
  ['x', undefined],
])('%s is the range %j', (text, expected) => {
  expect(parsePortRange(text)).toEqual(expected);
});
