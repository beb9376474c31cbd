// Every request that a test server got, who sent it, what it said and how it was answered.

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
/** So many are told of where an assertion fails. */
const mostTold = 20;

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

  /** Throws unless there was such a write, or as many as `times` says. Gives back those there were. */
  assertWrote(filter: RequestFilter, options: { readonly times?: number } = {}): readonly JournalEntry[] {
    checkGiven('options', options, countTypes);
    const { times } = options;
    const found = this.writes(filter);
    if (times === undefined ? found.length > 0 : found.length === times) return found;
    const wanted = times === undefined ? 'a write' : `${times} writes`;
    throw new Error(`expected ${wanted} with ${describeFilter(filter)}, found ${found.length}. ${this.#told()}`);
  }

  /** Throws if there was such a write. */
  assertDidNotWrite(filter: RequestFilter): void {
    const found = this.writes(filter);
    if (found.length === 0) return;
    const told = found.slice(0, mostTold).map(lineOf).join('\n');
    throw new Error(`expected no write with ${describeFilter(filter)}, found ${found.length}:\n${told}`);
  }

  clear(): void {
    this.#entries = [];
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    // by the half, so that forgetting stays cheap
    if (this.#entries.length > mostEntries) this.#entries = this.#entries.slice(mostEntries / 2);
  }

  #told(): string {
    const writes = this.writes().slice(-mostTold);
    return writes.length === 0 ? 'Nothing was written.' : `Written were:\n${writes.map(lineOf).join('\n')}`;
  }
}

function lineOf({ user, verb, resource, subresource, namespace, name, status }: JournalEntry): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  return `  ${user} ${verb} ${what} ${namespace === '' ? name : `${namespace}/${name}`} (${status})`;
}

/** Keeps what a request said, beside what audit keeps. */
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

  failed(...told: Parameters<AuditTrail['failed']>): void {
    this.#other?.failed(...told);
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
