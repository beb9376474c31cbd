// A client of the API by path, over any transport: controllers use it inside the process.

import { parseJsonText } from '../base/json/json-scan.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Status, StatusDetails } from '../meta/status.ts';

export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON; over HTTP a Buffer is sent as it is. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** Set when only the outcome matters: the body of a success is not decoded. */
  readonly discards?: true;
  /** Gives the request up where the transport can. */
  readonly signal?: AbortSignal;
}

export interface ClientAnswer {
  readonly status: number;
  /** The decoded JSON. */
  readonly body: unknown;
}

export interface Transport {
  send(request: ClientRequest): Promise<ClientAnswer>;
  /** Lines of a streamed answer, until it ends or `signal` is aborted; fails with a RequestError unless it is a 200. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>;
}

/** An answer that is no success. */
export class RequestError extends Error {
  readonly code: number;
  readonly reason: string;
  /** The message of the server, without the request. */
  readonly told: string;
  readonly details: StatusDetails | undefined;

  constructor(request: string, status: number, body: unknown) {
    const { message = '', reason = '', details } = (body ?? {}) as Partial<Status>;
    super(`${request}: ${status} ${message}`);
    this.told = message;
    this.code = status;
    this.reason = reason;
    this.details = details;
  }
}

export interface ObjectList {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ApiObject[];
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

export class Client {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get<T = ApiObject>(path: string): Promise<T> {
    return (await this.#send({ method: 'GET', path })) as T;
  }

  list(path: string): Promise<ObjectList> {
    return this.get<ObjectList>(path);
  }

  /** The whole list, a part at a time; `path` may have a query. */
  async *pages(path: string, limit = 500): AsyncIterable<ObjectList> {
    let next = '';
    do {
      const page = await this.list(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`);
      yield page;
      next = page.metadata.continue ? `&continue=${encodeURIComponent(page.metadata.continue)}` : '';
    } while (next !== '');
  }

  /** Undefined when there is no such object. */
  async find<T = ApiObject>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async create(path: string, object: object): Promise<ApiObject> {
    return (await this.#send({ method: 'POST', path, body: object })) as ApiObject;
  }

  async replace(path: string, object: object): Promise<ApiObject> {
    return (await this.#send({ method: 'PUT', path, body: object })) as ApiObject;
  }

  async delete(path: string, options?: object): Promise<void> {
    await this.#send({ method: 'DELETE', path, discards: true, ...(options ? { body: options } : {}) });
  }

  /** A merge patch; fields of `change` replace those of the object, null removes them. */
  async merge(path: string, change: object): Promise<void> {
    const contentType = 'application/merge-patch+json';
    await this.#send({ method: 'PATCH', path, body: change, contentType, discards: true });
  }

  /**
   * What `fieldManager` wants of an object, which is made when it is missing; a field of another manager is a conflict, unless
   * it is taken over by `force`.
   */
  async apply(path: string, object: object, fieldManager: string, { force = false } = {}): Promise<void> {
    const contentType = 'application/apply-patch+yaml';
    const query = `fieldManager=${encodeURIComponent(fieldManager)}${force ? '&force=true' : ''}`;
    await this.#send({ method: 'PATCH', path: `${path}?${query}`, body: object, contentType, discards: true });
  }

  async *watch(path: string, resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(resourceVersion)}`;
    const separator = path.includes('?') ? '&' : '?';
    for await (const line of this.#transport.lines(`${path}${separator}${query}`, signal)) {
      const event = parseJsonText(line) as unknown as WatchEvent;
      yield event;
    }
  }

  async #send(request: ClientRequest): Promise<unknown> {
    const { status, body } = await this.#transport.send(request);
    if (status >= 200 && status < 300) return body;
    throw new RequestError(`${request.method} ${request.path}`, status, body);
  }
}

/** Whether an error means that the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RequestError && error.code === 404;
}

/** Whether an error means that the server refuses the request, also if it is repeated. */
export function isForbidden(error: unknown): boolean {
  return error instanceof RequestError && error.code === 403;
}

/** Whether an error means that the object is invalid. */
export function isInvalid(error: unknown): boolean {
  return error instanceof RequestError && error.code === 422;
}

/** Whether an error means that another client was faster. */
export function isConflict(error: unknown): boolean {
  return error instanceof RequestError && error.code === 409;
}
