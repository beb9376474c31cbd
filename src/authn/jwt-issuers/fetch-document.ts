// Documents of an issuer: fetched over HTTPS from the address that was configured and from nowhere else.

import { readFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import type { JsonValue } from '../../base/json/json.ts';
import { timeLimited } from '../../base/time/time-limit.ts';

interface FetchOptions {
  /** PEM certificates of the CA of the server; undefined for the CA certificates of the system. */
  readonly authorities: string | undefined;
  /** The token that is shown. */
  readonly bearer?: string | undefined;
  readonly signal: AbortSignal;
}

interface FetchedDocument {
  /** Undefined for a text that is no JSON. */
  readonly value: JsonValue | undefined;
  readonly text: string;
  /** How long the server lets others keep it, in seconds. */
  readonly maxAgeSeconds: number | undefined;
}

export type FetchDocument = (url: string, options: FetchOptions) => Promise<FetchedDocument>;

const timeoutMs = 10_000;
const maxBytes = 1024 * 1024;

/** Fails for anything but a good answer of a sensible size; the body is in no error. */
export const fetchDocument: FetchDocument = (url, { authorities, bearer, signal }) =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => {
      sent.destroy();
      reject(new Error(`GET ${url}: ${why}`));
    };
    const ca = authorities ?? hostAuthorities();
    const options: RequestOptions = {
      ...(ca === undefined ? {} : { ca }),
      agent: false,
      signal: timeLimited(signal, timeoutMs),
      minVersion: 'TLSv1.2',
      headers: bearer === undefined ? { accept: 'application/json' } : { authorization: `Bearer ${bearer}` },
    };
    const sent = request(url, options, (response) => {
      // a redirect is not followed: it would lead to another server
      const { statusCode = 0 } = response;
      if (statusCode < 200 || statusCode >= 300) return fail(`answered with ${statusCode}`);
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) fail(`the answer has more than ${maxBytes} bytes`);
        else chunks.push(chunk);
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ value: parse(text), text, maxAgeSeconds: maxAge(response.headers['cache-control']) });
      });
    });
    sent.on('error', (error) => reject(new Error(`GET ${url}: ${error.message}`)));
    sent.end();
  });

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function maxAge(cacheControl = ''): number | undefined {
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(cacheControl) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Where distributions keep the CA certificates of the system. */
const hostFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Read every time: the machine's trust changes, and this happens rarely. Undefined for what Node brings along. */
function hostAuthorities(): string | undefined {
  for (const path of hostFiles) {
    try {
      return readFileSync(path, 'utf8');
    } catch {}
  }
  return undefined;
}
