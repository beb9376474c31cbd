// Every request to a test server, with its user, its body and its answer.

import type { ApiResponse, AuditedMeta, AuditTrail, Exchange } from '../meta/exchange.ts';
import { checkGiven, number } from './given-options.ts';
import {
  checkFilter,
  describeFilter,
  matches,
  type RequestFilter,
  type SeenRequest,
  seenRequest,
} from './request-filter.ts';

export interface JournalEntry extends SeenRequest {
  /** When it came, in milliseconds since the epoch by the clock of the server. */
  readonly at: number;
  /** How it was answered; 0 for requests that were dropped. */
  readonly status: number;
  /** The object or the patch that was sent, once the server has read it. */
  readonly sent: unknown;
}

const countTypes = { times: number };

/** The oldest are forgotten beyond this many. */
const mostEntries = 20_000;
/** The number of requests in the message of a failed assertion. */
const maxLines = 20;

export class Journal {
  #entries: JournalEntry[] = [];

  /** Requests in the order in which they were answered; the server's own are not among them. */
  requests(filter: RequestFilter = {}): readonly JournalEntry[] {
    checkFilter(filter);
    return this.#entries.filter((entry) => matches(filter, entry));
  }

  /** Requests that changed something, or would have without `dryRun`. */
  writes(filter: RequestFilter = {}): readonly JournalEntry[] {
    return this.requests({ verb: 'write', ...filter }).filter(({ status }) => status >= 200 && status < 300);
  }

  /** Throws unless there was such a write, or exactly `times` of them. Returns the writes. */
  assertWrote(filter: RequestFilter, options: { readonly times?: number } = {}): readonly JournalEntry[] {
    checkGiven('options', options, countTypes);
    const { times } = options;
    const writes = this.writes(filter);
    if (times === undefined ? writes.length > 0 : writes.length === times) return writes;
    const expectation = times === undefined ? 'a write' : `${times} writes`;
    throw new Error(`expected ${expectation} with ${describeFilter(filter)}, found ${writes.length}. ${this.#lines()}`);
  }

  /** Throws if there was such a write. */
  assertDidNotWrite(filter: RequestFilter): void {
    const writes = this.writes(filter);
    if (writes.length === 0) return;
    const lines = writes.slice(0, maxLines).map(lineOf).join('\n');
    throw new Error(`expected no write with ${describeFilter(filter)}, found ${writes.length}:\n${lines}`);
  }

  /** The last requests as lines, also those that only read. */
  text(maxRequests = maxLines): string {
    return this.#entries.slice(-maxRequests).map(lineOf).join('\n');
  }

  clear(): void {
    this.#entries = [];
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    // by the half, so that forgetting stays cheap
    if (this.#entries.length > mostEntries) this.#entries = this.#entries.slice(mostEntries / 2);
  }

  #lines(): string {
    const writes = this.writes().slice(-maxLines);
    return writes.length === 0 ? 'Nothing was written.' : `Written were:\n${writes.map(lineOf).join('\n')}`;
  }
}

function lineOf({ user, verb, resource, subresource, namespace, name, status }: JournalEntry): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  return `  ${user} ${verb} ${what} ${namespace === '' ? name : `${namespace}/${name}`} (${status})`;
}

/** Keeps the body of a request, in addition to audit. */
export class SentObject implements AuditTrail {
  readonly #other: AuditTrail | undefined;
  sent: unknown;
  about: AuditedMeta | undefined;

  constructor(other: AuditTrail | undefined) {
    this.#other = other;
  }

  get annotations(): AuditTrail['annotations'] {
    return this.#other?.annotations;
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    this.#other?.annotate(key, value, level);
  }

  captureRequest(body: unknown, about?: AuditedMeta): void {
    this.sent = body;
    this.about ??= about;
    this.#other?.captureRequest(body, about);
  }

  captureResponse(response: ApiResponse): ApiResponse {
    return this.#other?.captureResponse(response) ?? response;
  }

  failed(...describeRequests: Parameters<AuditTrail['failed']>): void {
    this.#other?.failed(...describeRequests);
  }

  finished(response: ApiResponse): ReturnType<AuditTrail['finished']> {
    return this.#other?.finished(response) ?? response;
  }
}

/** What there is to write down about a request that was answered. */
export function entryOf(exchange: Exchange, { status, isDropped }: ApiResponse): JournalEntry {
  const trail = exchange.audit instanceof SentObject ? exchange.audit : undefined;
  const seen = seenRequest(exchange);
  return {
    ...seen,
    name: seen.name === '' ? (trail?.about?.name ?? '') : seen.name,
    at: exchange.startedAt,
    status: isDropped ? 0 : status,
    sent: trail?.sent,
  };
}
