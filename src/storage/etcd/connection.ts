// The way to etcd: one gRPC client per endpoint, the next one when the present one cannot be reached.

import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { StoreUnavailableError } from '../store.ts';

export interface EtcdTls {
  /** The system's authorities when absent. */
  readonly ca?: Buffer;
  readonly certificate?: Buffer;
  readonly privateKey?: Buffer;
}

export interface EtcdEndpoints {
  /** `http://host:port` or `https://host:port`. */
  readonly servers: readonly string[];
  readonly tls?: EtcdTls;
}

/** A write is answered quickly even when nobody is there to take it. */
const deadlineMs = 5000;
/** Lists of everything can be large. */
const maxMessageBytes = 512 * 1024 * 1024;

const same = (bytes: Buffer) => bytes;

/** etcd understood the request and refused it. */
export class EtcdError extends Error {
  readonly code: number;
  constructor(error: ServiceError) {
    super(error.details, { cause: error });
    this.code = error.code;
  }
}

export class EtcdConnection {
  readonly #clients: readonly Client[];
  #present = 0;

  constructor({ servers, tls }: EtcdEndpoints) {
    this.#clients = servers.map((server) => openClient(new URL(server), tls));
  }

  /** Tries each endpoint once; fails with a StoreUnavailableError, or an EtcdError for a refusal. */
  async call(method: string, request: Buffer): Promise<Buffer> {
    let failure: ServiceError | undefined;
    for (let attempt = 0; attempt < this.#clients.length; attempt++) {
      try {
        return await unary(this.#client(), method, request);
      } catch (error) {
        failure = error as ServiceError;
        if (failure.code !== status.UNAVAILABLE) break;
        this.#present++;
      }
    }
    if (failure === undefined || isOutage(failure)) {
      throw new StoreUnavailableError(`etcd is not available: ${failure?.details ?? 'no endpoint'}`, {
        cause: failure,
      });
    }
    throw new EtcdError(failure);
  }

  stream(method: string): ClientDuplexStream<Buffer, Buffer> {
    return this.#client().makeBidiStreamRequest(method, same, same);
  }

  /** A stream broke: the next one goes elsewhere. */
  rotate(): void {
    this.#present++;
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  #client(): Client {
    return this.#clients[this.#present % this.#clients.length] as Client;
  }
}

function openClient(server: URL, tls: EtcdTls | undefined): Client {
  const secure = server.protocol === 'https:';
  const channel: ChannelCredentials = secure
    ? credentials.createSsl(tls?.ca ?? null, tls?.privateKey ?? null, tls?.certificate ?? null)
    : credentials.createInsecure();
  return new Client(server.host, channel, {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  });
}

function unary(client: Client, method: string, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + deadlineMs };
    client.makeUnaryRequest(method, same, same, request, options, (error, response) => {
      if (error !== null) reject(error);
      else resolve(response ?? Buffer.alloc(0));
    });
  });
}

const outages: readonly number[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

const isOutage = ({ code }: ServiceError) => outages.includes(code);
