// The way to a collector: OTLP over gRPC, or as JSON over HTTP where the endpoint has such a scheme.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { SpanAttributes } from '../meta/request-notes.ts';
import type { Collector } from './batching-exporter.ts';
import { encodeSpans, spansAsJson } from './otlp-message.ts';
import type { TraceSpans } from './tracer.ts';

const timeoutMs = 10_000;
const grpcMethod = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const httpPath = '/v1/traces';

export function openCollector(endpoint: string): Collector {
  return /^https?:\/\//i.test(endpoint) ? new HttpCollector(new URL(endpoint)) : new GrpcCollector(endpoint);
}

const same = (bytes: Buffer) => bytes;

/** Without TLS, as kube-apiserver's. */
class GrpcCollector implements Collector {
  readonly #client: Client;

  constructor(endpoint: string) {
    const target = endpoint.includes('//') ? endpoint.replace(/^dns:\/\/(?!\/)/i, 'dns:') : endpoint;
    this.#client = new Client(target, credentials.createInsecure());
  }

  send(resource: SpanAttributes, traces: readonly TraceSpans[]): Promise<void> {
    const message = encodeSpans(resource, traces);
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + timeoutMs };
      this.#client.makeUnaryRequest(grpcMethod, same, same, message, new Metadata(), options, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}

class HttpCollector implements Collector {
  readonly #url: URL;
  readonly #agent: HttpAgent;

  constructor(url: URL) {
    this.#url = url;
    if (url.pathname === '/') url.pathname = httpPath;
    this.#agent = url.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  send(resource: SpanAttributes, traces: readonly TraceSpans[]): Promise<void> {
    const body = Buffer.from(JSON.stringify(spansAsJson(resource, traces)));
    return new Promise((resolve, reject) => {
      const call = this.#request(body.length);
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error('the collector did not answer in time')));
      call.on('response', (response) => {
        response.resume();
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`the collector answered with status ${statusCode}`));
      });
      call.end(body);
    });
  }

  #request(length: number): ClientRequest {
    const headers = { 'content-type': 'application/json', 'content-length': length };
    const options = { method: 'POST', agent: this.#agent, headers, timeout: timeoutMs };
    return this.#url.protocol === 'https:' ? httpsRequest(this.#url, options) : httpRequest(this.#url, options);
  }

  close(): void {
    this.#agent.destroy();
  }
}
