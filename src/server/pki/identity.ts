// The certificates a server lives with: its CA, its serving certificate and the administrator's.

import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { mastersGroup } from '../../meta/user.ts';
import type { Authority, KeyPair, LeafRequest } from './certificates.ts';

export interface Identity {
  /** PEM of the CA that signs client certificates. */
  readonly ca: string;
  /** PEM of whom clients have to trust to believe the serving certificate. */
  readonly servingCa: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
}

/** Certificates are made anew when they have less than this to live. */
const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;

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

/** An identity that lives in memory only. */
export async function createIdentity(hosts: readonly string[], now: number): Promise<Identity> {
  const { createAuthority } = await import('./certificates.ts');
  const authority = await createAuthority('keelson-ca', now);
  const [serving, admin] = await Promise.all([authority.sign(servingRequest(hosts)), authority.sign(adminRequest)]);
  return { ca: authority.certificate, servingCa: authority.certificate, serving, admin };
}

const servingRequest = (hosts: readonly string[]): LeafRequest => ({ usage: 'server', commonName: 'keelson', hosts });

/** The identity kept in `folder`; what is missing or about to expire is made. */
export async function openIdentity(folder: string, hosts: readonly string[], now: number): Promise<Identity> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lazyAuthority = once(() => openAuthority(folder, now));
  const ca = readPair(folder, 'ca') ?? (await lazyAuthority());
  const serving = await keepLeaf(folder, 'apiserver', servingRequest(hosts), lazyAuthority, now);
  const admin = await keepLeaf(folder, 'admin', adminRequest, lazyAuthority, now);
  return { ca: ca.certificate, servingCa: ca.certificate, serving, admin };
}

/** Making certificates loads a library that a restart does not need. */
async function openAuthority(folder: string, now: number): Promise<Authority> {
  const { createAuthority, loadAuthority } = await import('./certificates.ts');
  const kept = readPair(folder, 'ca');
  if (kept !== undefined) return loadAuthority(kept);
  const made = await createAuthority('keelson-ca', now);
  writePair(folder, 'ca', made);
  return made;
}

async function keepLeaf(
  folder: string,
  file: string,
  request: LeafRequest,
  authority: () => Promise<Authority>,
  now: number,
): Promise<KeyPair> {
  const kept = readPair(folder, file);
  if (kept !== undefined && isUsable(kept, request, now)) return kept;
  const made = await (await authority()).sign(request);
  writePair(folder, file, made);
  return made;
}

function isUsable({ certificate }: KeyPair, request: LeafRequest, now: number): boolean {
  const parsed = new X509Certificate(certificate);
  if (Date.parse(parsed.validTo) - now < renewBeforeMs) return false;
  return request.usage === 'client' || request.hosts.every((host) => parsed.checkHost(host) ?? parsed.checkIP(host));
}

function readPair(folder: string, file: string): KeyPair | undefined {
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

/** The key first: a pair is found by its certificate, so a crash in between leaves nothing half made. */
function writePair(folder: string, file: string, { certificate, privateKey }: KeyPair): void {
  writeAtomically(join(folder, `${file}.key`), privateKey, 0o600);
  writeAtomically(join(folder, `${file}.crt`), certificate, 0o644);
}

export function writeAtomically(path: string, content: string, mode: number): void {
  const draft = `${path}.new`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, path);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
