// What the server shows itself with when it passes requests on to aggregated API servers, and the CA by which they
// recognise it: given by flags, or made and kept in the data folder. Made on first use, which the start does not wait for.

import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../base/time/clock.ts';
import { type FrontProxyConfig, ownProxyName } from '../config/front-proxy-options.ts';
import { OptionError } from '../config/option-error.ts';
import type { PairFiles } from '../config/tls-options.ts';
import { createAuthority, type KeyPair, type LeafRequest, signLeaf } from './certificates.ts';
import { isBroken, keepLeaf } from './identity.ts';
import { readPair, writePair } from './pair-files.ts';

interface FrontProxyParts {
  readonly config: FrontProxyConfig;
  /** Where the server's own certificates are; undefined where they live in memory. */
  readonly folder: string | undefined;
  readonly clock: Clock;
}

interface OwnProxy {
  readonly authority: KeyPair;
  readonly client: KeyPair;
  readonly renewAt: number;
}

/** Certificates are renewed when they are valid for less than this. */
const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;

const authorityFile = 'front-proxy-ca';
const clientFile = 'front-proxy-client';
/** No group: this certificate names a proxy, and makes no user of it. */
const clientRequest: LeafRequest = { usage: 'client', commonName: ownProxyName, organizations: [] };

export class FrontProxy {
  readonly #parts: FrontProxyParts;
  #given: KeyPair | undefined;
  #own: OwnProxy | undefined;
  /** Called with the PEM of a CA that the server has made or read. */
  onAuthority: (pem: string) => void = () => {};

  /** Throws an OptionError for files that cannot be used. */
  constructor(parts: FrontProxyParts) {
    this.#parts = parts;
    const { config } = parts;
    if (config.kind === 'files') this.#given = opened(config.files);
  }

  /** Whether there are files that may change. */
  get hasFiles(): boolean {
    return this.#parts.config.kind === 'files';
  }

  /** Shown to aggregated servers; undefined where only the CA of other proxies was configured. The same object until it changes. */
  get client(): KeyPair | undefined {
    return this.#parts.config.kind === 'own' ? this.#current().client : this.#given;
  }

  /** PEM of the server's own CA; undefined where flags name another. */
  get authority(): string | undefined {
    return this.#parts.config.kind === 'own' ? this.#current().authority.certificate : undefined;
  }

  /** Reads the files again; true when they are others now. Throws for files that cannot be used, and keeps the old. */
  reload(): boolean {
    const { config } = this.#parts;
    if (config.kind !== 'files') return false;
    const next = read(config.files);
    if (next.certificate === this.#given?.certificate && next.privateKey === this.#given.privateKey) return false;
    this.#given = next;
    return true;
  }

  #current(): OwnProxy {
    const now = this.#parts.clock.now();
    if (this.#own === undefined || now >= this.#own.renewAt) this.#renew(now);
    return this.#own as OwnProxy;
  }

  #renew(now: number): void {
    const { folder } = this.#parts;
    const before = this.#own;
    const { authority, client } = folder === undefined ? renewed(before, now) : keepPairs(folder, now);
    const renewAt = Math.min(endOf(authority), endOf(client)) - renewBeforeMs;
    this.#own = { authority, client, renewAt };
    if (authority.certificate !== before?.authority.certificate) this.onAuthority(authority.certificate);
  }
}

type Pairs = Pick<OwnProxy, 'authority' | 'client'>;

function renewed(before: OwnProxy | undefined, now: number): Pairs {
  const lasting = before !== undefined && isLasting(before.authority, now);
  const authority = lasting ? before.authority : createAuthority(authorityFile, now);
  return { authority, client: signLeaf(authority, clientRequest, now) };
}

/** Missing, expiring or mismatched files are made again. */
function keepPairs(folder: string, now: number): Pairs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authorityPair = readPair(folder, authorityFile);
  const isGood = authorityPair !== undefined && !isBroken(authorityPair) && isLasting(authorityPair, now);
  const authority = isGood ? authorityPair : writePair(folder, authorityFile, createAuthority(authorityFile, now));
  return { authority, client: keepLeaf(folder, clientFile, clientRequest, authority, now) };
}

const endOf = ({ certificate }: KeyPair) => Date.parse(new X509Certificate(certificate).validTo);
const isLasting = (pair: KeyPair, now: number) => endOf(pair) - now >= renewBeforeMs;

function opened(files: PairFiles): KeyPair {
  try {
    return read(files);
  } catch (error) {
    throw new OptionError(`proxyClientCertFile: ${files.certFile}: ${(error as Error).message}`);
  }
}

/** Throws unless the key belongs to the certificate. */
function read({ certFile, keyFile }: PairFiles): KeyPair {
  const certificate = readFileSync(certFile, 'utf8');
  const privateKey = readFileSync(keyFile, 'utf8');
  createSecureContext({ cert: certificate, key: privateKey });
  return { certificate, privateKey };
}
