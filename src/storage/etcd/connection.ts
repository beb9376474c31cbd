// The way to etcd: one gRPC client per endpoint, the next one when the present one cannot be reached.

import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { CallCounts } from '../call-counts.ts';
import { codeName } from '../grpc-code.ts';
import { StoreUnavailableError, UncertainWriteError } from '../store.ts';
import { decodeToken, encodeAuthenticate } from './messages.ts';

interface EtcdTls {
  /** The system's authorities when absent. */
  readonly ca?: Buffer;
  readonly certificate?: Buffer;
  readonly privateKey?: Buffer;
}

interface EtcdUser {
  readonly name: string;
  readonly password: string;
}

export interface EtcdEndpoints {
  /** `http://host:port` or `https://host:port`. */
  readonly servers: readonly string[];
  readonly tls?: EtcdTls;
  readonly user?: EtcdUser;
}

/** Headers of one call, such as those of a trace. */
type CallHeaders = Readonly<Record<string, string>>;

/** A request is answered quickly even when no endpoint is there to take it. */
const deadlineMs = 5000;
/** How long to wait for a connection before the next endpoint is tried. */
const connectMs = 1000;
const failedMs = 200;
/** Lists of everything can be large. */
const maxMessageBytes = 512 * 1024 * 1024;

const same = (bytes: Buffer) => bytes;

/** etcd understood the request and refused it. */
export class EtcdError extends StoreUnavailableError {
  readonly code: number;
  constructor(error: ServiceError) {
    super(`etcd refused the request: ${error.details}`, { cause: error });
    this.code = error.code;
  }
}

export class EtcdConnection {
  readonly #clients: readonly Client[];
  readonly #user: EtcdUser | undefined;
  readonly calls = new CallCounts();
  #present = 0;
  #token: Promise<string> | undefined;

  constructor({ servers, tls, user }: EtcdEndpoints) {
    this.#clients = servers.map((server) => openClient(new URL(server), tls));
    this.#user = user;
  }

  /**
   * For requests that may be sent twice: tries each endpoint once. Fails with a StoreUnavailableError, or an
   * EtcdError for a refusal.
   */
  async read(method: string, request: Buffer): Promise<Buffer> {
    let failure: ServiceError | undefined;
    for (let attempt = 0; attempt < this.#clients.length; attempt++) {
      const used = this.#present;
      try {
        return await this.#send(method, request);
      } catch (error) {
        failure = error as ServiceError;
        if (!isOutage(failure)) throw refusal(failure);
        this.#leave(used);
        if (failure.code === status.DEADLINE_EXCEEDED) break;
      }
    }
    throw unavailable(failure);
  }

  /**
   * For requests that must not be sent twice: waits for a connection, then sends once. Fails with an
   * UncertainWriteError when the request was sent and no answer came.
   */
  async write(method: string, request: Buffer, headers?: CallHeaders): Promise<Buffer> {
    await this.#connected();
    const used = this.#present;
    try {
      return await this.#send(method, request, headers);
    } catch (error) {
      const failure = error as ServiceError;
      if (failure instanceof StoreUnavailableError) throw failure;
      if (!isOutage(failure)) throw refusal(failure);
      this.#leave(used);
      throw new UncertainWriteError(`etcd was lost and whether the write happened is not known: ${failure.details}`, {
        cause: failure,
      });
    }
  }

  async stream(method: string): Promise<ClientDuplexStream<Buffer, Buffer>> {
    const metadata = await this.#metadata();
    // a member that has lost the others would stay silent instead of ending the watch
    metadata.set('hasleader', 'true');
    return counted(this.#client().makeBidiStreamRequest(method, same, same, metadata), this.calls, method);
  }

  /** The endpoint of a stream that begins now, as the argument of `rotate`. */
  get present(): number {
    return this.#present;
  }

  /** A stream to the endpoint `used` broke: the next one uses another endpoint and new credentials. */
  rotate(used: number): void {
    this.#leave(used);
    this.#token = undefined;
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  /** Once more with a fresh token when the old one is refused: a refused request was not carried out. */
  async #send(method: string, request: Buffer, headers?: CallHeaders): Promise<Buffer> {
    const token = this.#token;
    try {
      return await this.#call(method, request, await this.#metadata(headers));
    } catch (error) {
      if (this.#user === undefined || !isStaleToken(error as ServiceError)) throw error;
      if (this.#token === token) this.#token = undefined;
      return this.#call(method, request, await this.#metadata(headers));
    }
  }

  async #call(method: string, request: Buffer, metadata: Metadata): Promise<Buffer> {
    const { calls } = this;
    const row = calls.row(method, 'unary');
    row.started++;
    row.sent++;
    try {
      const answer = await unary(this.#client(), method, request, metadata);
      row.received++;
      calls.ended(row, codeName(status.OK));
      return answer;
    } catch (error) {
      calls.ended(row, codeName((error as ServiceError).code));
      throw error;
    }
  }

  async #metadata(headers?: CallHeaders): Promise<Metadata> {
    const metadata = new Metadata();
    for (const name in headers) metadata.set(name, headers[name] as string);
    if (this.#user === undefined) return metadata;
    this.#token ??= this.#authenticate(this.#user);
    try {
      metadata.set('token', await this.#token);
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
    return metadata;
  }

  async #authenticate(user: EtcdUser): Promise<string> {
    const request = encodeAuthenticate(user.name, user.password);
    try {
      return decodeToken(await this.#call('/etcdserverpb.Auth/Authenticate', request, new Metadata()));
    } catch (error) {
      const failure = error as ServiceError;
      if (isOutage(failure)) throw error;
      throw new StoreUnavailableError(`etcd does not accept the user: ${failure.details}`, { cause: failure });
    }
  }

  /** Switches to a reachable endpoint. */
  async #connected(): Promise<void> {
    for (let attempt = 0; attempt < this.#clients.length; attempt++) {
      const used = this.#present;
      if (await isConnected(this.#client())) return;
      this.#leave(used);
    }
    throw unavailable(undefined);
  }

  /** Switches to the next endpoint, unless another caller that used this one has done so. */
  #leave(used: number): void {
    if (this.#present === used) this.#present++;
  }

  #client(): Client {
    return this.#clients[this.#present % this.#clients.length] as Client;
  }
}

/** Counts the messages and the end of a stream. */
function counted(stream: ClientDuplexStream<Buffer, Buffer>, calls: CallCounts, method: string) {
  const row = calls.row(method, 'bidi_stream');
  row.started++;
  const write = stream.write.bind(stream);
  stream.write = ((...given: Parameters<typeof write>) => {
    row.sent++;
    return write(...given);
  }) as typeof stream.write;
  // an extra listener would start the stream before its reader is there
  const emit = stream.emit.bind(stream);
  stream.emit = ((event: string, ...given: unknown[]) => {
    if (event === 'data') row.received++;
    return emit(event, ...given);
  }) as typeof stream.emit;
  stream.on('status', ({ code }: { readonly code: number }) => calls.ended(row, codeName(code)));
  return stream;
}

function openClient(server: URL, tls: EtcdTls | undefined): Client {
  const secure = server.protocol === 'https:';
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port || (secure ? '443' : '80');
  return new Client(`${server.hostname}:${port}`, secure ? secured(host, tls) : credentials.createInsecure(), {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    ...(secure && isIP(host) !== 0 ? serverNameForAddress : {}),
  });
}

/** TLS has server names for hosts only, and Node warns of addresses; the certificate is checked for the address. */
const serverNameForAddress: ChannelOptions = { 'grpc.ssl_target_name_override': 'etcd' };

function secured(host: string, tls: EtcdTls | undefined): ChannelCredentials {
  const { ca = null, privateKey = null, certificate = null } = tls ?? {};
  return credentials.createSsl(ca, privateKey, certificate, {
    checkServerIdentity: (_, found) => checkServerIdentity(host, found),
  });
}

/**
 * Whether a request to this endpoint would be sent; gives a connection that is being made a moment, and one that has
 * failed a shorter one.
 */
async function isConnected(client: Client): Promise<boolean> {
  const channel = client.getChannel();
  const start = Date.now();
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return true;
    if (state === connectivityState.SHUTDOWN) return false;
    const deadline = start + (state === connectivityState.TRANSIENT_FAILURE ? failedMs : connectMs);
    const changed = await new Promise<boolean>((resolve) =>
      channel.watchConnectivityState(state, deadline, (error) => resolve(!error)),
    );
    if (!changed) return false;
  }
}

function unary(client: Client, method: string, request: Buffer, metadata: Metadata): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + deadlineMs };
    client.makeUnaryRequest(method, same, same, request, metadata, options, (error, response) => {
      if (error !== null) reject(error);
      else resolve(response ?? Buffer.alloc(0));
    });
  });
}

const outages: readonly number[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

/** The request was not answered. */
export const isOutage = (error: unknown): boolean => outages.includes((error as ServiceError).code);

function isStaleToken({ code, details = '' }: ServiceError): boolean {
  return code === status.UNAUTHENTICATED || details.includes('revision of auth store is old');
}

function refusal(failure: ServiceError): Error {
  return failure instanceof StoreUnavailableError ? failure : new EtcdError(failure);
}

function unavailable(failure: ServiceError | undefined): StoreUnavailableError {
  const reason = failure === undefined ? 'no endpoint can be reached' : causeIn(failure.details);
  return new StoreUnavailableError(`etcd is not available: ${reason}`, { cause: failure });
}

/** The client wraps the error of the connection in notes about itself. */
function causeIn(details: string): string {
  const [, cause = details] = /Last error: (?:Error: )?(.*?)\.? ?Resolution note:/s.exec(details) ?? [];
  return cause;
}
