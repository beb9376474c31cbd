// Documents about the resources: built when somebody asks, kept until the set of resources changes, with an ETag.

import { createHash } from 'node:crypto';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Resources } from '../registry/resources.ts';

export interface Document {
  readonly body: string | Uint8Array;
  /** Of the body, in hexadecimal. */
  readonly hash: string;
}

export class Documents {
  readonly #resources: Resources;
  readonly #built = new Map<string, { readonly generation: number; readonly document: Document }>();

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  get(key: string, build: () => string | Uint8Array): Document {
    const { generation } = this.#resources;
    const known = this.#built.get(key);
    if (known?.generation === generation) return known.document;
    const body = build();
    const document = { body, hash: createHash('sha256').update(body).digest('hex').toUpperCase() };
    this.#built.set(key, { generation, document });
    return document;
  }
}

/** The document, unless the client says that it has it. */
export function answerDocument({ request }: Exchange, { body, hash }: Document, contentType: string): ApiResponse {
  const etag = `"${hash}"`;
  const headers = { 'content-type': contentType, etag, vary: 'Accept' };
  return request.header('if-none-match') === etag ? { status: 304, headers } : { status: 200, headers, body };
}
