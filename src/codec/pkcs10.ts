// Certificate requests (PKCS#10): read, and checked that its author has the key. Also PEM.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { MalformedDer, oidOf, readElement, sequenceOf, wholeBitsOf } from './der.ts';
import { readSubject } from './distinguished-name.ts';
import { isSignedWith } from './signatures.ts';

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const pemForm = /-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n([^-]*)-----END \1-----/g;

/** All blocks of a PEM text; what stands between them is ignored. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(pemForm)].map(([, type = '', body = '']) => {
    const lines = body.split(/\r?\n/);
    const content = lines.filter((line) => !line.includes(':')).join('');
    return { type, hasHeaders: lines.some((line) => line.includes(':')), bytes: Buffer.from(content, 'base64') };
  });
}

interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly publicKey: KeyObject;
  /** Whether the request was signed with the key it is about. */
  readonly isSigned: boolean;
}

const requestBlockType = 'CERTIFICATE REQUEST';

/** Undefined when the bytes are no certificate request. */
export function parseCertificateRequest(pem: string): CertificateRequest | undefined {
  const [block] = pemBlocks(pem);
  return block?.type === requestBlockType ? parseRequestBytes(block.bytes) : undefined;
}

/** The same without PEM around it. */
export function parseRequestBytes(der: Buffer): CertificateRequest | undefined {
  try {
    return readRequest(der);
  } catch {
    // whatever is wrong with it: it is none
    return undefined;
  }
}

function readRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature] = sequenceOf(readElement(der));
  const [, subject, key] = sequenceOf(info);
  if (info === undefined || key === undefined) throw new MalformedDer('a part is missing');
  const publicKey = createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
  const { commonName, organizations } = readSubject(subject);
  const signed = { algorithm: oidOf(sequenceOf(algorithm)[0]), data: info.whole, signature: wholeBitsOf(signature) };
  return { commonName, organizations, publicKey, isSigned: isSignedWith(publicKey, signed) };
}
