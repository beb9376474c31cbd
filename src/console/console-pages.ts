// What is served below /ui: the files of the console, and its sessions.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import { badRequest, forbidden, methodNotAllowed, notFound, serviceUnavailable } from '../meta/status.ts';
import { secretsIn } from './console-session.ts';
import { isFromOwnPage, isLocal } from './page-origin.ts';
import { type Sessions, sessionMs } from './sessions.ts';
import { indexName, readStaticFiles, type StaticFile } from './static-files.ts';

const root = '/ui';
const sessionPath = `${root}/session`;
const assets = 'assets/';

/** Everything comes from this server, no script or style stands in a page, and no other page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const safeHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Accept-Encoding',
} as const;

/** The code of a link and some JSON around it. */
const maxSignInBytes = 1024;

export class ConsolePages {
  readonly #sessions: Sessions;
  #files: ReadonlyMap<string, StaticFile> | undefined;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Undefined for paths of the API. Runs before authentication: the page is how users sign in. */
  answer(exchange: Exchange): MaybePromise<ApiResponse | undefined> {
    const { path } = exchange.info;
    if (path !== root && !path.startsWith(`${root}/`)) return undefined;
    const { method } = exchange.request;
    if (path === sessionPath && method === 'POST') return this.#signIn(exchange);
    if (path === sessionPath && method === 'DELETE') return this.#signOut(exchange.request);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
    return this.#file(exchange.request, path.slice(root.length + 1));
  }

  /** A link is used by the person at this machine who read it from the terminal. */
  async #signIn(exchange: Exchange): Promise<ApiResponse> {
    const { request } = exchange;
    requireOwnPage(request);
    // forms of other pages cannot send this type
    if (request.header('content-type') !== 'application/json') throw badRequest('the body must be JSON');
    if (!isLocal(request)) throw refused('links to sign in work on the machine of the server only');
    const code = codeIn(await exchange.readBody(maxSignInBytes));
    const secrets = this.#sessions.open(code);
    if (secrets === undefined) throw refused('the link was used before or has expired');
    const body = JSON.stringify({ pageToken: secrets.pageToken, seconds: sessionMs / 1000 });
    return {
      status: 201,
      headers: { ...noStore, 'set-cookie': this.#cookie(secrets.cookie, sessionMs / 1000) },
      body,
    };
  }

  #signOut(request: ApiRequest): ApiResponse {
    requireOwnPage(request);
    const secrets = secretsIn(request, this.#sessions.cookieName);
    if (secrets !== undefined) this.#sessions.close(secrets);
    return { status: 200, headers: { ...noStore, 'set-cookie': this.#cookie('', 0) }, body: '{}' };
  }

  /** The prefix of the name makes browsers insist on Secure, this host only, and the whole host. */
  #cookie(value: string, seconds: number): string {
    return `${this.#sessions.cookieName}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
  }

  #file(request: ApiRequest, name: string): ApiResponse {
    this.#files ??= readStaticFiles();
    if (this.#files === undefined) throw serviceUnavailable('the console is not built; run npm run build');
    // paths of the page itself are known to the page only
    const file = this.#files.get(name) ?? (name.startsWith(assets) ? undefined : this.#files.get(indexName));
    if (file === undefined) throw notFound({ group: '', resource: 'files', name: 'console' });
    const { encoding, bytes } = smallest(file, request.header('accept-encoding') ?? '');
    const headers = {
      ...safeHeaders,
      'content-type': file.type,
      'content-length': String(bytes.length),
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    };
    return { status: 200, headers, ...(request.method === 'HEAD' ? {} : { body: bytes }) };
  }
}

const noStore = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const refused = (why: string) => forbidden({ group: '', resource: '', name: '' }, why);

function requireOwnPage(request: ApiRequest): void {
  if (!isFromOwnPage(request)) throw refused('the request comes from a page of another origin');
}

function smallest(file: StaticFile, accepted: string): { readonly encoding?: string; readonly bytes: Buffer } {
  const names = accepted.split(',').map((part) => part.trim().toLowerCase());
  if (names.includes('br')) return { encoding: 'br', bytes: file.brotli };
  if (names.includes('gzip')) return { encoding: 'gzip', bytes: file.gzip };
  return { bytes: file.plain };
}

function codeIn(body: Uint8Array): string {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    const link: unknown = typeof value === 'object' && value !== null && 'link' in value ? value.link : undefined;
    if (typeof link === 'string') return link;
  } catch {
    // invalid JSON is answered like any other body without a link
  }
  throw badRequest('the body must be an object with the text "link"');
}
