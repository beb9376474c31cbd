// An OpenID Connect issuer on this machine, over TLS with its own CA. Tests change its keys and its manners.

import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { jsonWebKeys, type SigningKey, signingKey, signJwt } from '../src/authn/jwt.ts';
import { createAuthority, signLeaf } from '../src/pki/certificates.ts';

export const newKey = (type: 'rsa' | 'ec' = 'rsa'): SigningKey =>
  signingKey(
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
      : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  );

const authority = createAuthority('issuer CA', Date.now());

export class OidcIssuer implements AsyncDisposable {
  /** PEM certificate of who signs for it. */
  readonly ca = authority.certificate;
  /** The first signs. */
  keys: SigningKey[];
  /** Answered instead of the document, by path. */
  readonly answers = new Map<string, { status: number; headers?: Record<string, string>; body: string }>();
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  readonly #server: Server;
  #isClosed = false;

  private constructor(keys: SigningKey[]) {
    this.keys = keys;
    const pair = signLeaf(authority, { usage: 'server', commonName: 'issuer', hosts: ['127.0.0.1'] }, Date.now());
    this.#server = createServer({ cert: pair.certificate, key: pair.privateKey }, ({ url = '' }, out) => {
      this.asked.push(url);
      const { status, headers = {}, body } = this.answers.get(url) ?? this.#document(url);
      out.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  }

  static async start(port = 0, keys: SigningKey[] = [newKey()]): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(keys);
    await new Promise<void>((resolve, reject) => {
      issuer.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return issuer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** A token with the usual claims and those given; `undefined` takes one away. */
  token(claims: object = {}, key: SigningKey = this.keys[0] as SigningKey): string {
    const now = Math.floor(Date.now() / 1000);
    return signJwt({ iss: this.url, aud: 'keelson', sub: 'ann', iat: now, exp: now + 600, ...claims }, key);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #document(path: string): { status: number; headers?: Record<string, string>; body: string } {
    if (path.endsWith('/.well-known/openid-configuration'))
      return { status: 200, body: JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }) };
    if (path === '/keys') return { status: 200, body: JSON.stringify(jsonWebKeys(this.keys)) };
    return { status: 404, body: '{}' };
  }
}
