// Paths that are no API resources: discovery documents, health, version, metrics.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { requireTaken } from '../codec/accept.ts';
import type { AccessAttributes } from '../meta/access.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { methodNotAllowed } from '../meta/status.ts';

type RouteHandler = (exchange: Exchange) => MaybePromise<ApiResponse | undefined>;

/** The right that a request needs instead of the right to its path; undefined where it needs that. */
type RequiredRight = (exchange: Exchange) => AccessAttributes | undefined;

/** Documents that are only read. compat: HEAD is refused, too */
export function requireRead({ request }: Exchange): void {
  if (request.method !== 'GET') throw methodNotAllowed();
}

export class Routes {
  readonly #exact = new Map<string, RouteHandler>();
  readonly #documents = new Map<string, RouteHandler>();
  readonly #unlisted = new Map<string, RouteHandler>();
  readonly #rights = new Map<string, RequiredRight>();
  readonly #below: { readonly prefix: string; readonly handler: RouteHandler }[] = [];

  /** One path, spelled exactly so. compat: it answers every method. */
  add(path: string, handler: RouteHandler): this {
    this.#exact.set(path, handler);
    return this;
  }

  /** One document that is only read; a trailing slash makes no difference. `produces` is its type, where clients must take it. */
  addDocument(path: string, handler: RouteHandler, produces?: string): this {
    this.#documents.set(path, (exchange) => {
      requireRead(exchange);
      if (produces !== undefined) requireTaken(exchange.request.header('accept'), produces);
      return handler(exchange);
    });
    return this;
  }

  /** All paths below one; the handler answers undefined for those it does not have. */
  addBelow(prefix: string, handler: RouteHandler): this {
    this.#below.push({ prefix: `${prefix}/`, handler });
    return this;
  }

  /** One path that is not shown among the paths of the server; the handler answers every method. */
  addUnlisted(path: string, handler: RouteHandler): this {
    this.#unlisted.set(path, handler);
    return this;
  }

  /** As `addUnlisted`, for a page about resources: it needs rights to these, not to its path. */
  addAbout(path: string, right: RequiredRight, handler: RouteHandler): this {
    this.#rights.set(path, right);
    return this.addUnlisted(path, handler);
  }

  /** The right that a request needs instead of the right to its path, if its page is about resources. */
  requiredRight(exchange: Exchange): AccessAttributes | undefined {
    return this.#rights.get(trimSlash(exchange.info.path))?.(exchange);
  }

  get paths(): readonly string[] {
    return [...this.#exact.keys(), ...this.#documents.keys()];
  }

  answer(exchange: Exchange): MaybePromise<ApiResponse> {
    const handler = this.#find(exchange.info.path);
    return handler === undefined ? pageNotFound : andThen(handler(exchange), (found) => found ?? pageNotFound);
  }

  #find(path: string): RouteHandler | undefined {
    const trimmed = trimSlash(path);
    return (
      this.#unlisted.get(trimmed) ??
      this.#exact.get(path) ??
      this.#documents.get(trimmed) ??
      this.#below.find(({ prefix }) => path.startsWith(prefix))?.handler
    );
  }
}

/** compat: paths outside the API are answered in plain text. */
export const pageNotFound: ApiResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};

function trimSlash(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return end === 1 ? path : path.slice(0, end);
}

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}, indents = false): ApiResponse {
  const body = JSON.stringify(value, undefined, indents ? 2 : undefined);
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body };
}
