// Paths that are no API resources: discovery documents, health, version, metrics.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { methodNotAllowed } from '../meta/status.ts';

type RouteHandler = (exchange: Exchange) => MaybePromise<ApiResponse | undefined>;

const readMethods = new Set(['GET', 'HEAD']);

export class Routes {
  readonly #exact = new Map<string, RouteHandler>();
  readonly #anyMethod = new Set<string>();
  readonly #unlisted = new Map<string, RouteHandler>();
  readonly #below: { readonly prefix: string; readonly handler: RouteHandler }[] = [];

  /** One path; a trailing slash makes no difference. */
  add(path: string, handler: RouteHandler): this {
    this.#exact.set(path, handler);
    return this;
  }

  /** One path that answers every method. compat: checks of health do not look at it. */
  addAnyMethod(path: string, handler: RouteHandler): this {
    this.#anyMethod.add(path);
    return this.add(path, handler);
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

  get paths(): readonly string[] {
    return [...this.#exact.keys()];
  }

  answer(exchange: Exchange): MaybePromise<ApiResponse> {
    const path = trimSlash(exchange.request.path);
    const unlisted = this.#unlisted.get(path);
    if (unlisted !== undefined) return andThen(unlisted(exchange), (found) => found ?? pageNotFound);
    const handler = this.#exact.get(path) ?? this.#below.find(({ prefix }) => path.startsWith(prefix))?.handler;
    if (handler === undefined) return pageNotFound;
    return andThen(handler(exchange), (found) => {
      if (found === undefined) return pageNotFound;
      if (!readMethods.has(exchange.request.method) && !this.#anyMethod.has(path)) throw methodNotAllowed();
      return found;
    });
  }
}

/** compat: paths outside the API are answered in plain text. */
const pageNotFound: ApiResponse = {
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
