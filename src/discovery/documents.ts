// Documents about the resources: built when a client first asks, kept while what they describe stays the same, with an ETag.

import { createHash } from 'node:crypto';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Resources } from '../registry/resources.ts';
import type { ShownVersion } from './shown-apis.ts';

export interface Document {
  readonly body: string | Uint8Array;
  /** Of the body, in hexadecimal. */
  readonly hash: string;
}

/** What a document describes: one group-version, or all of them. Neither is ever changed; a change makes new ones. */
export type Subject = ShownVersion | readonly ShownVersion[];

interface Built {
  readonly subject: Subject;
  readonly document: Document;
}

export class Documents {
  readonly #built = new Map<string, Built>();

  constructor(resources: Resources) {
    resources.onChange(() => this.#forgetOutdated(resources));
  }

  get(key: string, subject: Subject, build: () => string | Uint8Array): Document {
    const known = this.#built.get(key);
    if (known?.subject === subject) return known.document;
    const body = build();
    const document = { body, hash: createHash('sha256').update(body).digest('hex').toUpperCase() };
    this.#built.set(key, { subject, document });
    return document;
  }

  #forgetOutdated(resources: Resources): void {
    const current = new Set<Subject>([resources.groupVersions, ...resources.groupVersions]);
    for (const [key, { subject }] of this.#built) if (!current.has(subject)) this.#built.delete(key);
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
