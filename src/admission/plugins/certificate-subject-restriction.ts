// CertificateSubjectRestriction: no certificate that clients can ask for makes its owner a master of the cluster.

import { parseCertificateRequest } from '../../codec/pkcs10.ts';
import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request.ts';
import { apiserverWord, groupName, labelKey } from '../../meta/dialect.ts';
import { mastersGroup } from '../../meta/user.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates, objectsOf, refusal } from '../plugin.ts';

export function certificateSubjectRestriction({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  const signer = labelKey(dialect, `${apiserverWord(dialect)}-client`);
  return {
    name: 'CertificateSubjectRestriction',
    operations: creates,
    covers: objectsOf(groupName(dialect, 'certificates'), 'certificatesigningrequests'),
    validate(request) {
      const { signerName, request: encoded = '' } = (request.object as CertificateSigningRequest).spec ?? {};
      if (signerName !== signer) return;
      const asked = parseCertificateRequest(Buffer.from(encoded, 'base64').toString());
      if (asked === undefined)
        throw refusal(request, 'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST');
      if (asked.organizations.includes(mastersGroup))
        throw refusal(request, `use of ${signer} signer with ${mastersGroup} group is not allowed`);
    },
  };
}
