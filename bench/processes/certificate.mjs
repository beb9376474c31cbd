// A self-signed EC P-256 certificate for 127.0.0.1, valid for a day: what the bare server presents.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { cryptoProvider, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

const DAY_MS = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function createCertificate() {
  cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=keelson-bench',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - DAY_MS / 24),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

async function exportKey(key) {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.match(/.{1,64}/g).join('\n')}\n-----END PRIVATE KEY-----\n`;
}
