// The CAs of a data folder, and how one replaces another without a moment at which a client trusts neither:
// the next CA is trusted first, then it signs, and the old one is trusted until it is retired.
//
//   ca        signs now
//   ca-next   is trusted and will sign
//   ca-old    has signed and is trusted, without its key

import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { belongsTogether, createAuthority, type KeyPair } from './certificates.ts';
import { readIfThere, readPair, removePair, writeAtomically, writePair } from './pair-files.ts';

export interface AuthorityFiles {
  readonly current: KeyPair;
  readonly next: KeyPair | undefined;
  /** PEM of CAs that sign no more. */
  readonly old: string | undefined;
}

/** A step of the rotation that cannot be taken now. */
export class RotationError extends Error {}

const day = 24 * 60 * 60 * 1000;
/** Clients get to know the next CA this long before the end of the current one. */
const announceBeforeMs = 180 * day;
/** Certificates are renewed when they are valid for less than this. */
const renewBeforeMs = 30 * day;

export const authorityName = 'keelson-ca';

export function isLasting(certificate: string, now: number): boolean {
  return endOf(certificate) - now >= renewBeforeMs;
}

const endOf = (certificate: string) => Date.parse(new X509Certificate(certificate).validTo);

/** The CAs in `folder`; the first is made here, and one that is about to end is replaced step by step. */
export function openAuthorities(folder: string, now: number): AuthorityFiles {
  let files = readAuthorities(folder);
  if (files === undefined) {
    writePair(folder, 'ca', createAuthority(authorityName, now));
    files = existing(folder);
  }
  const { certificate } = files.current;
  if (files.next === undefined) removePair(folder, 'ca-next');
  if (files.next === undefined && endOf(certificate) - now < announceBeforeMs)
    files = addNext(folder, files.current, now);
  if (isLasting(certificate, now)) return withoutEnded(folder, files, now);
  switchAuthority(folder);
  return openAuthorities(folder, now);
}

/** Adds a CA that is trusted in addition to the current one. */
export function startRotation(folder: string, now: number): AuthorityFiles {
  const { current, next, old } = existing(folder);
  if (next !== undefined)
    throw new RotationError(`a rotation to ${nameOf(next)} has started; the next step is rotate-ca switch`);
  if (old !== undefined)
    throw new RotationError('a rotation is under way; the next step is rotate-ca finish, which retires the old CA');
  return addNext(folder, current, now);
}

/** The next CA signs from now on; the current one stays trusted. Every step may be the last of this process. */
export function switchAuthority(folder: string): AuthorityFiles {
  const { current, next, old } = existing(folder);
  if (next === undefined && old !== undefined)
    throw new RotationError(`${nameOf(current)} signs already; the next step is rotate-ca finish`);
  if (next === undefined) throw new RotationError('no rotation has started; the first step is rotate-ca start');
  const trusted = joined([current.certificate, ...(old === undefined ? [] : [old])]);
  writeAtomically(join(folder, oldFile), trusted, 0o644, true);
  writePair(folder, 'ca', next);
  removePair(folder, 'ca-next');
  return existing(folder);
}

/** Certificates of the old CA are no longer trusted. */
export function finishRotation(folder: string): AuthorityFiles {
  const { next, old } = existing(folder);
  if (next !== undefined)
    throw new RotationError(`${nameOf(next)} does not sign yet; the next step is rotate-ca switch`);
  if (old === undefined) throw new RotationError('no rotation is under way: there is no old CA to retire');
  rmSync(join(folder, oldFile), { force: true });
  return existing(folder);
}

/** PEM of every CA that is trusted, the one that signs first. */
export function trustedPem({ current, next, old }: AuthorityFiles): string {
  return joined([current.certificate, ...(next === undefined ? [] : [next.certificate]), ...(old ? [old] : [])]);
}

const oldFile = 'ca-old.crt';

function existing(folder: string): AuthorityFiles {
  const files = readAuthorities(folder);
  if (files === undefined)
    throw new RotationError(`there is no CA in ${folder}: the server makes it at its first start`);
  return files;
}

/** Undefined where there is no CA yet. Throws for one that cannot be used. */
export function readAuthorities(folder: string): AuthorityFiles | undefined {
  const current = readPair(folder, 'ca');
  if (current === undefined) return undefined;
  throwIfUnusable(folder, current);
  const next = readPair(folder, 'ca-next');
  const old = readIfThere(join(folder, oldFile));
  // a switch that ended half-way has left one of them behind
  const isAhead = next !== undefined && next.certificate !== current.certificate;
  const rest = certificatesIn(old ?? '').filter((pem) => pem.trim() !== current.certificate.trim());
  return { current, next: isAhead ? next : undefined, old: rest.length === 0 ? undefined : joined(rest) };
}

/** An unreadable CA is never replaced: every client would need the new one. */
function throwIfUnusable(folder: string, pair: KeyPair): void {
  const remedy = 'restore both from a backup, or remove both for a new CA that clients have to be told of';
  let fits: boolean;
  try {
    fits = belongsTogether(pair);
  } catch (error) {
    throw new Error(`ca.crt and ca.key in ${folder} cannot be read (${(error as Error).message}): ${remedy}`);
  }
  if (!fits) throw new Error(`ca.crt and ca.key in ${folder} do not belong together: ${remedy}`);
}

function addNext(folder: string, current: KeyPair, now: number): AuthorityFiles {
  writePair(folder, 'ca-next', createAuthority(nextName(current), now));
  return existing(folder);
}

/** Old CAs are trusted until their end at most. */
function withoutEnded(folder: string, files: AuthorityFiles, now: number): AuthorityFiles {
  if (files.old === undefined) return files;
  const lasting = certificatesIn(files.old).filter((pem) => endOf(pem) > now);
  if (lasting.length === certificatesIn(files.old).length) return files;
  if (lasting.length === 0) rmSync(join(folder, oldFile), { force: true });
  else writeAtomically(join(folder, oldFile), joined(lasting), 0o644, true);
  return existing(folder);
}

/** Each CA has its own name: verifiers look for the issuer by its name, and some try only one. */
function nextName(authority: KeyPair): string {
  const [, base = authorityName, number = '1'] = /^(.*?)(?:-(\d{1,9}))?$/.exec(nameOf(authority)) ?? [];
  return `${base}-${Number(number) + 1}`;
}

export function nameOf({ certificate }: Pick<KeyPair, 'certificate'>): string {
  return /(?:^|\n)CN=(.+)/.exec(new X509Certificate(certificate).subject)?.[1] ?? '';
}

const certificatesIn = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];

function joined(pems: readonly string[]): string {
  const blocks = pems.flatMap(certificatesIn).map((pem) => `${pem.trim()}\n`);
  return [...new Set(blocks)].join('');
}
