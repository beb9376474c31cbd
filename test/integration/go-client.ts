// A client that sends what client-go sends: HTTP/2, protobuf both ways, its headers, and its way to wait for an object.

import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { JsonObject } from '../../src/base/json/json.ts';
import { openEnvelope, sealEnvelope } from '../../src/codec/protobuf/envelope.ts';
import { decodeMessage, encodeMessage } from '../../src/codec/protobuf/message.ts';
import { asBytes, asText, readFields } from '../../src/codec/protobuf/reader.ts';
import { ProtobufWriter } from '../../src/codec/protobuf/writer.ts';
import { builtInGroups } from '../../src/groups/catalog.ts';
import { listOfType, status as statusType } from '../../src/groups/meta/v1/types.ts';
import type { Server } from '../../src/index.ts';
import { kubernetes } from '../../src/meta/dialect.ts';
import type { KeyPair } from '../../src/pki/certificates.ts';
import type { StructType } from '../../src/schema/types.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

export interface GoCredentials {
  /** Undefined: the certificate of the server is not looked at. */
  readonly ca?: string | Buffer;
  readonly token?: string;
  readonly pair?: KeyPair;
}

export interface GoAnswer {
  readonly status: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export class GoClient implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url }: Pick<Server, 'url'>, program: string, { ca, token, pair }: GoCredentials = {}) {
    const identity = pair === undefined ? {} : { cert: pair.certificate, key: pair.privateKey };
    this.#session = connect(url, { ...(ca === undefined ? { rejectUnauthorized: false } : { ca }), ...identity });
    this.#headers = {
      'user-agent': `${program}/v1.36.4 (linux/amd64) kubernetes/0000000`,
      accept: `${protobuf},application/json`,
      'accept-encoding': 'gzip',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  get(path: string): Promise<GoAnswer> {
    return this.#answer('GET', path);
  }

  create(path: string, object: JsonObject & { kind: string; apiVersion: string }): Promise<GoAnswer> {
    return this.#answer('POST', path, encode(object), protobuf);
  }

  /** Patches stay JSON. */
  patch(path: string, patch: object): Promise<GoAnswer> {
    return this.#answer('PATCH', path, Buffer.from(JSON.stringify(patch)), 'application/strategic-merge-patch+json');
  }

  /** Events as they come, until the caller has seen enough. */
  async *watch(path: string): AsyncGenerator<{ readonly type: string; readonly object: GoAnswer['body'] }> {
    const stream = this.#send('GET', path, undefined, '');
    try {
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      if (headers['content-type'] !== `${protobuf};stream=watch`) throw new Error(`${headers['content-type']}`);
      for await (const frame of framesOf(stream)) yield eventIn(frame);
    } finally {
      stream.close();
    }
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }

  async #answer(method: string, path: string, body?: Buffer, type = ''): Promise<GoAnswer> {
    const stream = this.#send(method, path, body, type);
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }];
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const contentType = headers['content-type'] ?? '';
    const read = contentType === protobuf ? decode(bytes) : bytes.toString();
    return { status: headers[':status'] ?? 0, type: contentType, body: read };
  }

  #send(method: string, path: string, body: Buffer | undefined, type: string): ClientHttp2Stream {
    const content = body === undefined ? {} : { 'content-type': type, 'content-length': body.length };
    const stream = this.#session.request({ ':method': method, ':path': path, ...this.#headers, ...content });
    stream.end(body);
    return stream;
  }
}

const groups = builtInGroups(kubernetes);

function typeOf(apiVersion: string, kind: string): StructType {
  if (kind === 'Status') return statusType;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const resources = groups.find((one) => one.group === group && one.version === version)?.resources ?? [];
  const single = resources.find((one) => one.kind === kind);
  const listed = resources.find((one) => `${one.kind}List` === kind);
  const found = single?.type ?? (listed === undefined ? undefined : listOfType(listed.type));
  if (found?.is !== 'struct') throw new Error(`${apiVersion} ${kind} has no message`);
  return found;
}

function encode({ kind, apiVersion, ...object }: JsonObject & { kind: string; apiVersion: string }): Buffer {
  const out = new ProtobufWriter();
  encodeMessage(typeOf(apiVersion, kind), object, out);
  return sealEnvelope({ apiVersion, kind, raw: out.finish() });
}

function decode(bytes: Uint8Array): object {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  return { kind, apiVersion, ...decodeMessage(typeOf(apiVersion, kind), raw) };
}

/** Each begins with its length. */
async function* framesOf(stream: ClientHttp2Stream): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const part of stream) {
    rest = Buffer.concat([rest, part as Buffer]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0);
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
  }
}

function eventIn(frame: Buffer) {
  const fields = [...readFields(frame)];
  const type = asText(fields.find(({ number }) => number === 1)?.value ?? Buffer.alloc(0));
  const [inner] = readFields(asBytes(fields.find(({ number }) => number === 2)?.value ?? Buffer.alloc(0)));
  return { type, object: decode(asBytes(inner?.value ?? Buffer.alloc(0))) };
}
