// CertificateSigningRequest before v1: the signer could be left out.

import { labelKey } from '../../../meta/dialect.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { defaultedFirst, sameShape } from '../../same-shape.ts';
import { type CertificateSigningRequest, certificateSigningRequest } from '../v1/certificate-signing-request.ts';

export const certificateSigningRequestV1beta1: KindDefinition = defaultedFirst(
  sameShape(certificateSigningRequest, 'certificates/v1beta1', {
    since: 19,
    removed: 22,
    replacement: { group: 'certificates', version: 'v1', kind: 'CertificateSigningRequest' },
  }),
  (object: CertificateSigningRequest, { dialect }) => {
    const { spec } = object;
    return spec?.signerName
      ? object
      : { ...object, spec: { ...spec, signerName: labelKey(dialect, 'legacy-unknown') } };
  },
);
