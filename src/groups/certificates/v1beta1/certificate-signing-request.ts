// CertificateSigningRequest before v1: the signer could be left out, and is then one that v1 does not take.

import { labelKey } from '../../../meta/dialect.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { defaultedFirst, sameShape, withHooks } from '../../same-shape.ts';
import { type CertificateSigningRequest, certificateSigningRequest } from '../v1/certificate-signing-request.ts';

export const certificateSigningRequestV1beta1: KindDefinition = defaultedFirst(
  withHooks<CertificateSigningRequest>(
    sameShape(certificateSigningRequest, 'certificates/v1beta1', {
      since: 19,
      removed: 22,
      replacement: { group: 'certificates', version: 'v1', kind: 'CertificateSigningRequest' },
    }),
    { validateCreate: () => [] },
  ),
  (object: CertificateSigningRequest, { dialect }) => {
    const { spec } = object;
    return spec?.signerName
      ? object
      : { ...object, spec: { ...spec, signerName: labelKey(dialect, 'legacy-unknown') } };
  },
);
