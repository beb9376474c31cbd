// Making certificates: a CA of our own, and what it signs.

import 'reflect-metadata';
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface Authority extends KeyPair {
  sign(request: LeafRequest): Promise<KeyPair>;
}

export type LeafRequest =
  | { readonly usage: 'server'; readonly commonName: string; readonly hosts: readonly string[] }
  | { readonly usage: 'client'; readonly commonName: string; readonly organizations: readonly string[] };

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 24 * 60 * 60 * 1000;
/** Clocks differ: certificates are valid from a little before they are made. */
const backdate = 60 * 60 * 1000;
const caDays = 3650;
const leafDays = 365;

export async function createAuthority(commonName: string, now: number): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: name({ CN: [commonName] }),
    ...validity(now, caDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authority(certificate, keys.privateKey);
}

export async function loadAuthority({ certificate, privateKey }: KeyPair): Promise<Authority> {
  const der = x509.PemConverter.decodeFirst(privateKey);
  const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  return authority(new x509.X509Certificate(certificate), key);
}

function authority(issuer: x509.X509Certificate, signingKey: webcrypto.CryptoKey): Authority {
  return {
    certificate: `${issuer.toString('pem')}\n`,
    privateKey: toPem(signingKey),
    sign: (request) => signLeaf(request, issuer, signingKey),
  };
}

async function signLeaf(
  request: LeafRequest,
  issuer: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
): Promise<KeyPair> {
  const keys = await newKeys();
  const isServer = request.usage === 'server';
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: name({ CN: [request.commonName], ...(isServer ? {} : { O: [...request.organizations] }) }),
    issuer: issuer.subject,
    ...validity(Date.now(), leafDays),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        isServer ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(isServer ? [new x509.SubjectAlternativeNameExtension(request.hosts.map(alternativeName))] : []),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, privateKey: toPem(keys.privateKey) };
}

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

const name = (parts: Record<string, string[]>) => new x509.Name([parts]).toString();

function validity(now: number, days: number) {
  return { notBefore: new Date(now - backdate), notAfter: new Date(now + days * day) };
}

/** Positive, as the standard asks. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] as number) & 0x7f;
  return bytes.toString('hex');
}

function alternativeName(host: string): { type: 'ip' | 'dns'; value: string } {
  return { type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host };
}

function toPem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }) as string;
}
