// The certificates a server lives with: its CA, its serving certificate and the administrator's.

import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { mastersGroup } from '../meta/user.ts';
import { isNoRoom } from '../storage/embedded/disk-reserve.ts';
import {
  belongsTogether,
  createAuthority,
  isAddress,
  type KeyPair,
  type LeafRequest,
  signLeaf,
} from './certificates.ts';

export interface Identity {
  /** PEM of the CA that signs client certificates. */
  readonly ca: string;
  /** PEM of the CA that clients have to trust for the serving certificate. */
  readonly servingCa: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
}

/** Certificates are made anew when they have less than this to live. */
const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;

const authorityName = 'keelson-ca';
const adminRequest: LeafRequest = { usage: 'client', commonName: 'keelson-admin', organizations: [mastersGroup] };

/** Names under which the server can be reached. */
export function servingHosts(bindAddress: string, serviceName: string): string[] {
  const service = [
    serviceName,
    `${serviceName}.default`,
    `${serviceName}.default.svc`,
    `${serviceName}.default.svc.cluster.local`,
  ];
  const bound = bindAddress === '0.0.0.0' || bindAddress === '::' ? [] : [bindAddress];
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...service, ...bound])];
}

const servingRequest = (hosts: readonly string[]): LeafRequest => ({ usage: 'server', commonName: 'keelson', hosts });

/** An identity that lives in memory only. */
export function createIdentity(hosts: readonly string[], now: number): Identity {
  const authority = createAuthority(authorityName, now);
  const ca = authority.certificate;
  return {
    ca,
    servingCa: ca,
    serving: signLeaf(authority, servingRequest(hosts), now),
    admin: signLeaf(authority, adminRequest, now),
  };
}

/** The identity kept in `folder`; what is missing or about to expire is made, all of it when the CA is. */
export function openIdentity(folder: string, hosts: readonly string[], now: number): Identity {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = readPair(folder, 'ca');
  const authority =
    kept !== undefined && isLasting(kept, now) ? kept : writePair(folder, 'ca', createAuthority(authorityName, now));
  const ca = authority.certificate;
  const serving = keepLeaf(folder, 'apiserver', servingRequest(hosts), authority, now);
  const admin = keepLeaf(folder, 'admin', adminRequest, authority, now);
  return { ca, servingCa: ca, serving, admin };
}

export function keepLeaf(folder: string, file: string, request: LeafRequest, authority: KeyPair, now: number): KeyPair {
  const kept = readPair(folder, file);
  if (kept !== undefined && isUsable(kept, request, authority, now)) return kept;
  const pair = signLeaf(authority, request, now);
  try {
    return writePair(folder, file, pair);
  } catch (error) {
    // a full disk: this one lives as long as the process, and the next makes another
    if (isNoRoom(error)) return pair;
    throw error;
  }
}

function isLasting({ certificate }: KeyPair, now: number): boolean {
  return Date.parse(new X509Certificate(certificate).validTo) - now >= renewBeforeMs;
}

function isUsable(pair: KeyPair, request: LeafRequest, authority: KeyPair, now: number): boolean {
  const certificate = new X509Certificate(pair.certificate);
  if (!isLasting(pair, now) || !belongsTogether(pair)) return false;
  if (!certificate.verify(new X509Certificate(authority.certificate).publicKey)) return false;
  return request.usage === 'client' || request.hosts.every((host) => covers(certificate, host));
}

function covers(certificate: X509Certificate, host: string): boolean {
  return (isAddress(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

export function readPair(folder: string, file: string): KeyPair | undefined {
  try {
    return {
      certificate: readFileSync(join(folder, `${file}.crt`), 'utf8'),
      privateKey: readFileSync(join(folder, `${file}.key`), 'utf8'),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function writePair(folder: string, file: string, pair: KeyPair): KeyPair {
  writeAtomically(join(folder, `${file}.key`), pair.privateKey, 0o600);
  writeAtomically(join(folder, `${file}.crt`), pair.certificate, 0o644);
  return pair;
}

export function writeAtomically(path: string, content: string, mode: number): void {
  const draft = `${path}.new`;
  // left over from a process that ended here, perhaps with other rights
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { mode });
  // whatever the umask says
  chmodSync(draft, mode);
  renameSync(draft, path);
}
