// Signs certificate requests with the CA of their signer, or with the server's own.

import { parseCertificateRequest } from '../../codec/pkcs10.ts';
import type { ServerConfig } from '../../config/options.ts';
import type { CertificateSigner } from '../../controllers/certificates/signer.ts';
import type { KeyPair } from '../../pki/certificates.ts';
import type { SigningAuthorities } from '../../pki/signing-authorities.ts';

export function certificateSigner(
  { clock, log }: Pick<ServerConfig, 'clock' | 'log'>,
  signing: SigningAuthorities,
  own: () => KeyPair,
): CertificateSigner {
  const surroundings = {
    own,
    onProblem: (error: unknown) =>
      log.warn({ err: error }, 'the CA that signs certificates could not be read again, the old one stays'),
  };
  return {
    signs: (role) => signing.has(role),
    sign(role, { spec: { request = '', usages = [], expirationSeconds } = {} }) {
      const terms = { usages, expirationSeconds: expirationSeconds ?? undefined, now: clock.now() };
      return signing.sign(role, parseCertificateRequest(request), terms, surroundings);
    },
  };
}
