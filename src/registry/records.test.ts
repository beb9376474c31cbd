import { expect, test } from 'vitest';
import { sealEnvelope } from '../codec/protobuf/envelope.ts';
import { ProtobufWriter } from '../codec/protobuf/writer.ts';
import { nodePortsRecord, PortMap } from '../groups/core/v1/service/node-ports.ts';
import { zeroRevision } from '../meta/revision.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { storedRecords } from './records.ts';

/** Ports 30000 and 30009, as kube-apiserver writes them. */
const inProtobuf = sealEnvelope({
  apiVersion: 'v1',
  kind: 'RangeAllocation',
  raw: new ProtobufWriter()
    .message(1, (meta) => meta.string(1, ''))
    .string(2, '30000-30099')
    .bytes(3, Buffer.from([0x02, 0x01]))
    .finish(),
});

async function recordsWith(value: Uint8Array) {
  const store = openMemoryStore();
  await store.commit({ key: nodePortsRecord.key, value, expected: zeroRevision });
  return storedRecords(store);
}

test('a record that another server wrote in protobuf is read, and written so that it can be read again', async () => {
  const records = await recordsWith(inProtobuf);
  const seen: boolean[][] = [];
  const take = (port: number) =>
    records.update(nodePortsRecord, (record) => {
      const map = PortMap.read(record);
      seen.push([30000, 30001, 30009].map((one) => map.has(one)));
      map.set(port);
      return map.write();
    });
  await take(30001);
  await take(30002);
  expect(seen).toEqual([
    [true, false, true],
    [true, true, true],
  ]);
});

test.each([
  ['text', Buffer.from('kaputt')],
  ['protobuf that is cut off', inProtobuf.subarray(0, 40)],
])('an unreadable record (%s) is named, or made again', async (_, value) => {
  const records = await recordsWith(value);
  await expect(records.update(nodePortsRecord, () => undefined)).rejects.toThrow(
    'the record /ranges/servicenodeports cannot be read',
  );
  let found: unknown = 'nothing was asked';
  const remake = (record: unknown) => {
    found = record;
    return new PortMap({ from: 30000, to: 30099 }).write();
  };
  await records.update(nodePortsRecord, remake, 'is replaced');
  expect(found).toBeUndefined();
  await records.update(nodePortsRecord, (record) => {
    expect(PortMap.read(record).range).toEqual({ from: 30000, to: 30099 });
    return undefined;
  });
});
