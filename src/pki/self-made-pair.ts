// A serving certificate that the server makes for itself where a folder is given for one and holds none.

import { mkdirSync } from 'node:fs';
import { createAuthority, signLeaf } from './certificates.ts';
import { writePair } from './pair-files.ts';

/** The file of the certificate has the CA that signed it as well, so that clients can be given it to trust. */
export function makePair(folder: string, hosts: readonly string[], now: number): void {
  const authority = createAuthority('keelson-self-made', now);
  const { certificate, privateKey } = signLeaf(authority, { usage: 'server', commonName: 'keelson', hosts }, now);
  mkdirSync(folder, { recursive: true });
  writePair(folder, 'apiserver', { certificate: `${certificate.trimEnd()}\n${authority.certificate}`, privateKey });
}
