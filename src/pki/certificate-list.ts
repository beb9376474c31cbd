// The certificates of a data folder as people ask for them: whose they are, who signed them, how long they last.

import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CertificateSummary {
  /** File without its ending, such as `apiserver`. */
  readonly name: string;
  readonly subject: string;
  readonly issuer: string;
  readonly notAfter: string;
  /** Whole days; negative once it has ended. */
  readonly daysLeft: number;
  /** Names and addresses of servers. */
  readonly hosts: readonly string[];
}

const day = 24 * 60 * 60 * 1000;

/** Those of a folder by name; empty where there is no folder. Throws for a file that is no certificate. */
export function listCertificates(folder: string, now: number): readonly CertificateSummary[] {
  return certificateFiles(folder).flatMap((file) =>
    summariesOf(join(folder, file), file.slice(0, -'.crt'.length), now),
  );
}

/** Of each certificate in a PEM text. */
export function summarize(name: string, pem: string, now: number): readonly CertificateSummary[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => {
    const { subject, issuer, validTo, subjectAltName = '' } = new X509Certificate(block);
    const notAfter = Date.parse(validTo);
    return {
      name,
      subject: commonName(subject),
      issuer: commonName(issuer),
      notAfter: new Date(notAfter).toISOString().replace('.000Z', 'Z'),
      daysLeft: Math.floor((notAfter - now) / day),
      hosts: hostsIn(subjectAltName),
    };
  });
}

/** Names and addresses as a certificate lists them. */
export function hostsIn(subjectAltName: string): readonly string[] {
  return [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s"]+)/g)].map(([, name]) => name as string);
}

function certificateFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.crt'))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function summariesOf(path: string, name: string, now: number): readonly CertificateSummary[] {
  try {
    return summarize(name, readFileSync(path, 'utf8'), now);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

/** A name as OpenSSL writes it: one part a line. */
function commonName(name: string | undefined): string {
  return /(?:^|\n)CN=(.+)/.exec(name ?? '')?.[1] ?? (name ?? '').replaceAll('\n', ', ');
}
