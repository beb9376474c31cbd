// A collector of traces for tests: OTLP over gRPC, and as JSON over HTTP.

import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as GrpcServer, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import { readFields, type WireField } from '../../src/codec/protobuf/reader.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
  readonly isError: boolean;
}

export interface TestCollector extends AsyncDisposable {
  /** For the file of --tracing-config-file. */
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  /** Attributes of the server that sends. */
  readonly resource: Readonly<Record<string, unknown>>;
}

const hex = (value: unknown) => Buffer.from(value as Uint8Array).toString('hex');
const text = (value: unknown) => Buffer.from(value as Uint8Array).toString();

function partsOf(bytes: unknown, number: number): readonly WireField['value'][] {
  return [...readFields(bytes as Uint8Array)].filter((field) => field.number === number).map(({ value }) => value);
}
const partOf = (bytes: unknown, number: number) => partsOf(bytes, number)[0];

function attributeValue(bytes: unknown): unknown {
  const [field] = readFields(bytes as Uint8Array);
  if (field?.number === 1) return text(field.value);
  return field?.number === 2 ? field.value === 1n : Number(field?.value);
}

const attributesIn = (pairs: readonly unknown[]) =>
  Object.fromEntries(pairs.map((pair) => [text(partOf(pair, 1)), attributeValue(partOf(pair, 2))]));

function spanIn(span: unknown): CollectedSpan {
  const parent = partOf(span, 4);
  return {
    traceId: hex(partOf(span, 1)),
    spanId: hex(partOf(span, 2)),
    parentId: parent === undefined ? '' : hex(parent),
    name: text(partOf(span, 5)),
    kind: Number(partOf(span, 6)),
    attributes: attributesIn(partsOf(span, 9)),
    links: partsOf(span, 13).map((link) => hex(partOf(link, 1))),
    isError: partOf(span, 15) !== undefined,
  };
}

/** `refuses` makes every call fail. */
export async function grpcCollector({ refuses = false } = {}): Promise<TestCollector> {
  const spans: CollectedSpan[] = [];
  const resource = {};
  const same = (bytes: Buffer) => bytes;
  const server = new GrpcServer();
  const method = {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    ...{ requestStream: false, responseStream: false },
    ...{ requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same },
  };
  server.addService(
    { Export: method },
    {
      Export: (
        { request }: { request: Buffer },
        answer: (error: Partial<ServiceError> | null, value?: Buffer) => void,
      ) => {
        if (refuses) {
          answer({ code: 8, details: 'too many spans' });
          return;
        }
        const [about] = partsOf(request, 1);
        Object.assign(resource, attributesIn(partsOf(partOf(about, 1), 1)));
        spans.push(...partsOf(partOf(about, 2), 2).map(spanIn));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    ...{ spans, resource, endpoint: `127.0.0.1:${port}` },
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
    },
  };
}

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: string }[];
  readonly status?: object;
}

const jsonAttributes = (pairs: JsonSpan['attributes']) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function httpCollector(): Promise<TestCollector> {
  const spans: CollectedSpan[] = [];
  const resource = {};
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const [about] = JSON.parse(Buffer.concat(pieces).toString()).resourceSpans;
    Object.assign(resource, jsonAttributes(about.resource.attributes));
    for (const { traceId, spanId, parentSpanId = '', name, kind, attributes, links = [], status } of about.scopeSpans[0]
      .spans as JsonSpan[])
      spans.push({
        ...{ traceId, spanId, parentId: parentSpanId, name, kind },
        attributes: jsonAttributes(attributes),
        links: links.map((link) => link.traceId),
        isError: status !== undefined,
      });
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end('{}');
  };
  const server: HttpServer = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...{ spans, resource, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
