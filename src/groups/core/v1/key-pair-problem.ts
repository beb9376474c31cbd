// Why the certificate and the key of a TLS secret cannot be used together, in the words of Go's tls.X509KeyPair.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks } from '../../../codec/pem.ts';

const keyTypes: readonly string[] = ['rsa', 'ec', 'ed25519'];
const isKey = (type: string): boolean => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');

/** Undefined where the first certificate is for the key. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const leaf = firstBlock(certificate, (type) => type === 'CERTIFICATE');
  if (!('bytes' in leaf)) return missingCertificate(leaf.skipped);
  const secret = firstBlock(key, isKey);
  if (!('bytes' in secret)) return missingKey(secret.skipped);
  const read = readCertificate(leaf.bytes);
  if (read === undefined) return 'x509: malformed certificate';
  const privateKey = readKey(secret.bytes);
  if (privateKey === undefined) return 'tls: failed to parse private key';
  const type = publicKeyType(read);
  if (type === undefined || !keyTypes.includes(type)) return 'tls: unknown public key algorithm';
  if (type !== privateKey.asymmetricKeyType) return 'tls: private key type does not match public key type';
  return read.checkPrivateKey(privateKey) ? undefined : 'tls: private key does not match public key';
}

function missingCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (skipped.length === 1 && skipped[0]?.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${listOf(skipped)}`;
}

function missingKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input';
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${listOf(skipped)}`;
}

/** A warning is cut anyway. */
const maxTypes = 50;
const listOf = (types: readonly string[]): string => `[${types.slice(0, maxTypes).join(' ')}]`;

interface Skipped {
  /** Types of blocks that are of no use. */
  readonly skipped: readonly string[];
}

/** The first block of that type, or the types of all others. */
function firstBlock(pem: string, isWanted: (type: string) => boolean): PemBlock | Skipped {
  const skipped: string[] = [];
  for (const block of pemBlocks(pem)) {
    if (isWanted(block.type)) return block;
    skipped.push(block.type);
  }
  return { skipped };
}

function readCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

function publicKeyType(certificate: X509Certificate): string | undefined {
  try {
    return certificate.publicKey.asymmetricKeyType;
  } catch {
    return undefined;
  }
}

/** The form of a key is tried out, as the type of its block may be wrong. */
function readKey(key: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const)
    try {
      return createPrivateKey({ key, format: 'der', type });
    } catch {}
  return undefined;
}
