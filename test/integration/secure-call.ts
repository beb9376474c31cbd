// Calls over the port of a server, with credentials of every kind.

import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { Server } from '../../src/index.ts';
import type { KeyPair } from '../../src/pki/certificates.ts';
import { credentialsOf } from './credentials.ts';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export type Headers = Record<string, string | string[]>;

export interface CallOptions {
  readonly headers?: Headers;
  readonly pair?: KeyPair;
  readonly body?: object;
  /** Hears the headers of the answer. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
}

/** One request over its own connection. */
export function secureCall(server: Server, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const { ca } = credentialsOf(server.kubeconfig);
  const pair = options.pair === undefined ? {} : { cert: options.pair.certificate, key: options.pair.privateKey };
  const headers = { 'content-type': 'application/json', ...options.headers };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { method, ca, ...pair, headers, agent: false }, (response) => {
      options.onHeaders?.(response.headers);
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text }),
      );
    });
    sent.on('error', reject);
    sent.end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}

export const bearer = (token: string, more: Headers = {}): Headers => ({ authorization: `Bearer ${token}`, ...more });

export const authentication = '/apis/authentication.k8s.io/v1';

/** The user that a server takes the caller for, or why there is none. */
export async function whoIs(server: Server, options: CallOptions): Promise<unknown> {
  const { status, body } = await secureCall(server, 'POST', `${authentication}/selfsubjectreviews`, {
    ...options,
    body: {},
  });
  return status === 201 ? body.status.userInfo : `${status} ${body.reason}`;
}
