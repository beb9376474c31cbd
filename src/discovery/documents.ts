// Documents about the resources: built when somebody asks, kept until the set of resources changes, with an ETag.

import { createHash } from 'node:crypto';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Resources } from '../registry/resources.ts';

export interface Document {
  readonly body: string | Uint8Array;
  /** Of the body, in hexadecimal. */
  readonly hash: string;
}

/** A value that is made again when the set of resources changes. */
export class PerGeneration<T> {
  readonly #resources: Resources;
  readonly #make: () => T;
  #made: { readonly generation: number; readonly value: T } | undefined;

  constructor(resources: Resources, make: () => T) {
    this.#resources = resources;
    this.#make = make;
  }

  get(): T {
    const { generation } = this.#resources;
    if (this.#made?.generation !== generation) this.#made = { generation, value: this.#make() };
    return this.#made.value;
  }
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
export function answerDocument(
  { request }: Exchange,
  { body, hash }: Document,
  contentType: string,
  more: Readonly<Record<string, string>> = {},
): ApiResponse {
  const headers = { 'content-type': contentType, etag: `"${hash}"`, vary: 'Accept', ...more };
  return isKnown(request.header('if-none-match'), hash) ? { status: 304, headers } : { status: 200, headers, body };
}

/** Tags may be weak, and several. */
function isKnown(known: string | undefined, hash: string): boolean {
  if (known === undefined) return false;
  return known.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === `"${hash}"`);
}
