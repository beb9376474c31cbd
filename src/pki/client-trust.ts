// The CAs of client certificates: trusted for users or for proxies; files are read again when they change.

import { readFileSync } from 'node:fs';
import { Authorities } from '../authn/certificate-path.ts';
import type { Certificate } from '../codec/certificate.ts';
import { blocksOf, parseCertificates } from '../config/authentication-options.ts';

interface Bundle {
  readonly path: string;
  text: string;
  certificates: readonly Certificate[];
}

export class ClientTrust {
  readonly #users: Bundle | undefined;
  readonly #proxies: Bundle | undefined;
  #own: readonly string[] = [];
  #ownProxy: readonly string[] = [];
  #cluster: { readonly users: readonly string[]; readonly proxies: readonly string[] } = { users: [], proxies: [] };
  #userAuthorities = new Authorities([]);
  #proxyAuthorities = new Authorities([]);

  constructor(files: { readonly users: string | undefined; readonly proxies: string | undefined }) {
    this.#users = open(files.users);
    this.#proxies = open(files.proxies);
    this.#renew();
  }

  /** Trusts the server's own CAs as well, and no longer its previous ones. */
  addOwn(pem: string): void {
    const own = blocksOf(pem);
    if (own.join() === this.#own.join()) return;
    this.#own = own;
    this.#renew();
  }

  /** Trusts the CA of the server's own front proxy, for proxies only. */
  addOwnProxy(pem: string): void {
    this.#ownProxy = blocksOf(pem);
    this.#renew();
  }

  /** Trusts the CAs of the cluster of this server. Throws for an invalid certificate, and keeps the old CAs. */
  believeCluster({ users, proxies }: { readonly users: string; readonly proxies: string }): void {
    const blocks = (pem: string) => (pem === '' ? [] : blocksOf(pem));
    const next = { users: blocks(users), proxies: blocks(proxies) };
    for (const pem of [...next.users, ...next.proxies]) parseCertificates(pem);
    this.#cluster = next;
    this.#renew();
  }

  /** CAs that are sent to clients in the handshake. The list decides nothing: the properties below decide about trust. */
  get pems(): readonly string[] {
    return [
      ...this.#own,
      ...this.#ownProxy,
      ...[this.#users, this.#proxies].flatMap((bundle) => (bundle ? blocksOf(bundle.text) : [])),
    ];
  }

  /** PEM of the CAs of users that a file names. */
  get usersPem(): string {
    return this.#users?.text ?? '';
  }

  /** PEM of the CAs of proxies that a file names. */
  get proxiesPem(): string {
    return this.#proxies?.text ?? '';
  }

  /** CAs of users; the same object until they change. */
  get userAuthorities(): Authorities {
    return this.#userAuthorities;
  }

  /** CAs of proxies; the same object until they change. */
  get proxyAuthorities(): Authorities {
    return this.#proxyAuthorities;
  }

  /**
   * Reads the files again; true when something is different. Throws for a file that cannot be used, and keeps the old; the
   * other file counts all the same, since a CA may be missing from it now.
   */
  reload(): boolean {
    const outcomes = [this.#users, this.#proxies].map((bundle) => (bundle === undefined ? false : refreshed(bundle)));
    if (outcomes.includes(true)) this.#renew();
    const failure = outcomes.find((outcome) => typeof outcome === 'object');
    if (failure !== undefined) throw failure;
    return outcomes.includes(true);
  }

  #renew(): void {
    const own = [...this.#own, ...this.#cluster.users].flatMap(parseCertificates);
    this.#userAuthorities = new Authorities([...own, ...(this.#users?.certificates ?? [])]);
    const proxy = [...this.#ownProxy, ...this.#cluster.proxies].flatMap(parseCertificates);
    this.#proxyAuthorities = new Authorities([...proxy, ...(this.#proxies?.certificates ?? [])]);
  }
}

function open(path: string | undefined): Bundle | undefined {
  if (path === undefined) return undefined;
  const bundle: Bundle = { path, text: '', certificates: [] };
  refresh(bundle);
  return bundle;
}

/** Whether the file is another now, or why it cannot be used. */
function refreshed(bundle: Bundle): boolean | Error {
  try {
    return refresh(bundle);
  } catch (error) {
    return error as Error;
  }
}

function refresh(bundle: Bundle): boolean {
  const text = readFileSync(bundle.path, 'utf8');
  if (text === bundle.text) return false;
  bundle.certificates = parseCertificates(text);
  bundle.text = text;
  return true;
}
