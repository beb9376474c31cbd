// The certificates a server lives with: its CA, its serving certificate and the administrator's.

import { X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { mastersGroup, type UserInfo } from '../meta/user.ts';
import { isNoRoom } from '../storage/embedded/data-room.ts';
import { authorityName, isLasting, openAuthorities, readAuthorities, trustedPem } from './authority-files.ts';
import { hostsIn } from './certificate-list.ts';
import {
  belongsTogether,
  createAuthority,
  isAddress,
  type KeyPair,
  type LeafRequest,
  signLeaf,
} from './certificates.ts';
import { readPair, writePair } from './pair-files.ts';

export interface Identity {
  /** The CA that signs. */
  readonly authority: KeyPair;
  /** PEM of the CAs whose client certificates are trusted: the one that signs, and others while it is replaced. */
  readonly ca: string;
  /** PEM of the CAs that clients have to trust for the serving certificate. */
  readonly servingCa: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
}

/** The user that a kubeconfig of the server names. */
export const administrator: UserInfo = { name: 'keelson-admin', groups: [mastersGroup] };

const adminRequest: LeafRequest = {
  usage: 'client',
  commonName: administrator.name,
  organizations: administrator.groups,
};

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
  return signedBy(createAuthority(authorityName, now), hosts, now);
}

function signedBy(authority: KeyPair, hosts: readonly string[], now: number): Identity {
  const ca = authority.certificate;
  const serving = signLeaf(authority, servingRequest(hosts), now);
  return { authority, ca, servingCa: ca, serving, admin: signLeaf(authority, adminRequest, now) };
}

/** An identity in memory, with new certificates if the old ones are about to expire. */
export function renewedIdentity(before: Identity, hosts: readonly string[], now: number): Identity {
  const { authority, serving, admin } = before;
  if (!isLasting(authority.certificate, now)) return createIdentity(hosts, now);
  return [serving, admin].every(({ certificate }) => isLasting(certificate, now))
    ? before
    : signedBy(authority, hosts, now);
}

/** The identity in `folder`; missing or expiring files are made. */
export function openIdentity(folder: string, hosts: readonly string[], now: number): Identity {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authorities = openAuthorities(folder, now);
  const authority = authorities.current;
  const ca = trustedPem(authorities);
  const serving = keepLeaf(folder, 'apiserver', servingRequest(hosts), authority, now);
  const admin = keepLeaf(folder, 'admin', adminRequest, authority, now);
  return { authority, ca, servingCa: ca, serving, admin };
}

/**
 * Throws when a server cannot start with the files in `folder`, and returns the names of those that it will replace. Changes
 * nothing.
 */
export function checkIdentity(folder: string): readonly string[] {
  const authorities = readAuthorities(folder);
  if (authorities === undefined) return [];
  return ['apiserver', 'admin', 'front-proxy-ca', 'front-proxy-client'].filter((name) => {
    const pair = readPair(folder, name);
    return pair !== undefined && isBroken(pair);
  });
}

/** It cannot be read, or the key does not belong to the certificate. */
export function isBroken(pair: KeyPair): boolean {
  try {
    return !belongsTogether(pair);
  } catch {
    return true;
  }
}

/** Signs the leafs of `folder` again, however long they are valid; the serving certificate keeps its names. */
export function renewLeafs(folder: string, now: number): void {
  const authority = openAuthorities(folder, now).current;
  const serving = readPair(folder, 'apiserver');
  if (serving !== undefined) writePair(folder, 'apiserver', signLeaf(authority, servingRequest(hostsOf(serving)), now));
  writePair(folder, 'admin', signLeaf(authority, adminRequest, now));
}

const hostsOf = ({ certificate }: KeyPair) => hostsIn(new X509Certificate(certificate).subjectAltName ?? '');

export function keepLeaf(folder: string, file: string, request: LeafRequest, authority: KeyPair, now: number): KeyPair {
  const existing = readPair(folder, file);
  if (existing !== undefined && isUsable(existing, request, authority, now)) return existing;
  const pair = signLeaf(authority, request, now);
  try {
    return writePair(folder, file, pair);
  } catch (error) {
    // a full disk: this one lives as long as the process, and the next makes another
    if (isNoRoom(error)) return pair;
    throw error;
  }
}

/** An unreadable leaf is replaced: its CA can sign another. */
function isUsable(pair: KeyPair, request: LeafRequest, authority: KeyPair, now: number): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    if (!isLasting(pair.certificate, now) || !belongsTogether(pair)) return false;
    if (!certificate.verify(new X509Certificate(authority.certificate).publicKey)) return false;
    return request.usage === 'client' || request.hosts.every((host) => covers(certificate, host));
  } catch {
    return false;
  }
}

function covers(certificate: X509Certificate, host: string): boolean {
  return (isAddress(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}
