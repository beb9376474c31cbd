// Requests to the issuer of a client's tokens, over HTTPS only; nothing that is sent is in an error.

import { type RequestOptions, request } from 'node:https';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';

interface Asking {
  /** PEM of who signs the issuer's certificate; undefined for the CA certificates of the system. */
  readonly authority?: string | undefined;
  /** Posted as a form; a GET without it. */
  readonly sent?: { readonly form: Readonly<Record<string, string>>; readonly authorization?: string } | undefined;
}

export type Ask = (url: string, asking: Asking) => Promise<{ readonly status: number; readonly value: JsonObject }>;

const timeoutMs = 10_000;
const maxBytes = 1024 * 1024;

/** What the issuer answers, as far as it is a JSON object; redirects are not followed. */
export const askIssuer: Ask = async (url, { authority, sent }) => {
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new Error('auth-provider oidc: addresses of the issuer begin with https://');
  const body = sent && new URLSearchParams(sent.form).toString();
  const options: RequestOptions = {
    ...(authority === undefined ? {} : { ca: authority }),
    method: sent === undefined ? 'GET' : 'POST',
    agent: false,
    minVersion: 'TLSv1.2',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      accept: 'application/json',
      ...(sent === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(sent?.authorization === undefined ? {} : { authorization: sent.authorization }),
    },
  };
  const { status, text } = await exchange(url, options, body);
  return { status, value: objectOf(text) };
};

function exchange(url: string, options: RequestOptions, body: string | undefined) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`auth-provider oidc: the issuer cannot be asked: ${why}`));
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else sent.destroy(new Error(`the answer has more than ${maxBytes} bytes`));
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', (error) => fail(error.message));
    sent.end(body);
  });
}

function objectOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
