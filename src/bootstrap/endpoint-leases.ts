// Which API servers of the cluster are there: each keeps a record that ends by itself. The records are those of
// kube-apiserver, key and bytes, so that both can run on one etcd.

import { isEnvelope, openEnvelope, sealEnvelope } from '../codec/protobuf/envelope.ts';
import { decodeObjectMessage, encodeObjectMessage } from '../codec/protobuf/object-message.ts';
import { ProtobufWriter } from '../codec/protobuf/writer.ts';
import { type Endpoints, endpoints } from '../groups/core/v1/service/endpoints.ts';
import { type Revision, zeroRevision } from '../meta/revision.ts';
import type { Store } from '../storage/store.ts';

/** The addresses of the servers that are there. */
export interface Leases {
  list(): Promise<readonly string[]>;
  renew(address: string): Promise<void>;
  remove(address: string): Promise<void>;
}

const prefix = '/masterleases/';
/** Half as long again as the time between two renewals. */
const leaseSeconds = 15;
const maxAttempts = 10;

export function storedLeases(store: Store): Leases {
  return {
    async list() {
      const { entries } = await store.list({ prefix });
      return entries.map(({ value }) => addressIn(value)).filter((address) => address !== '');
    },
    async renew(address) {
      await change(store, prefix + address, (current) => recordOf(address, generationIn(current) + 1));
    },
    async remove(address) {
      await change(store, prefix + address, () => undefined);
    },
  };
}

/** Where no other server can use the store, nothing has to be kept. */
export function soleLease(): Leases {
  let own: readonly string[] = [];
  return {
    list: async () => own,
    async renew(address) {
      own = [address];
    },
    async remove() {
      own = [];
    },
  };
}

/** A server that was started twice writes the same record: the last one wins. */
async function change(
  store: Store,
  key: string,
  next: (current: Uint8Array | undefined) => Buffer | undefined,
): Promise<void> {
  let current = await store.get(key);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const expected: Revision = current?.revision ?? zeroRevision;
    const value = next(current?.value);
    const result = await store.commit({ key, value, expected, ...(value && { ttlSeconds: leaseSeconds }) });
    if (result.kind === 'committed') return;
    current = result.current;
  }
  throw new Error(`${key} is changed by too many servers at once`);
}

function recordOf(ip: string, generation: number): Buffer {
  const object = { metadata: { generation }, subsets: [{ addresses: [{ ip }] }] };
  const message = new ProtobufWriter();
  encodeObjectMessage(endpoints.type, object, message);
  return sealEnvelope({ apiVersion: 'v1', kind: 'Endpoints', raw: message.finish() });
}

/** Undefined for what cannot be read: other servers decide what they write there. */
function read(value: Uint8Array): Partial<Endpoints> | undefined {
  const bytes = Buffer.from(value);
  try {
    if (!isEnvelope(bytes)) return JSON.parse(bytes.toString()) as Partial<Endpoints>;
    return decodeObjectMessage(endpoints.type, openEnvelope(bytes).raw);
  } catch {
    return undefined;
  }
}

const addressIn = (value: Uint8Array) => read(value)?.subsets?.[0]?.addresses?.[0]?.ip ?? '';

const generationIn = (value: Uint8Array | undefined) => Number((value && read(value)?.metadata?.['generation']) ?? 0);
