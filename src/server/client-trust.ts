// Whose client certificates are believed, and for what; files are read again when they change.

import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { blocksOf, parseCertificates } from './authentication-options.ts';

interface Bundle {
  readonly path: string;
  text: string;
  certificates: readonly X509Certificate[];
}

export class ClientTrust {
  readonly #users: Bundle | undefined;
  readonly #proxies: Bundle | undefined;
  #own: readonly string[] = [];

  constructor(files: { readonly users: string | undefined; readonly proxies: string | undefined }) {
    this.#users = open(files.users);
    this.#proxies = open(files.proxies);
  }

  /** Whether there are files that may change. */
  get hasFiles(): boolean {
    return this.#users !== undefined || this.#proxies !== undefined;
  }

  /** Believes the server's own CA as well. */
  addOwn(pem: string): void {
    this.#own = blocksOf(pem);
  }

  /** Everybody whose certificates the transport may accept. */
  get pems(): readonly string[] {
    return [...this.#own, ...[this.#users, this.#proxies].flatMap((bundle) => (bundle ? blocksOf(bundle.text) : []))];
  }

  /** CAs of users; undefined where there are no others to tell them from. */
  get userAuthorities(): readonly X509Certificate[] | undefined {
    if (this.#proxies === undefined) return undefined;
    return [...this.#own.flatMap(parseCertificates), ...(this.#users?.certificates ?? [])];
  }

  get proxyAuthorities(): readonly X509Certificate[] {
    return this.#proxies?.certificates ?? [];
  }

  /** Reads the files again; true when something is different. Throws for a file that cannot be used, and keeps the old. */
  reload(): boolean {
    const changed = [this.#users, this.#proxies].map((bundle) => bundle !== undefined && refresh(bundle));
    return changed.includes(true);
  }
}

function open(path: string | undefined): Bundle | undefined {
  if (path === undefined) return undefined;
  const bundle: Bundle = { path, text: '', certificates: [] };
  refresh(bundle);
  return bundle;
}

function refresh(bundle: Bundle): boolean {
  const text = readFileSync(bundle.path, 'utf8');
  if (text === bundle.text) return false;
  bundle.certificates = parseCertificates(text);
  bundle.text = text;
  return true;
}
