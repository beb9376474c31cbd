// CertificateSubjectRestriction: no certificate that clients can ask for makes its owner a master of the cluster.

import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { apiserverWord, groupName, labelKey } from '../../meta/dialect.ts';
import { mastersGroup } from '../../meta/user.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates, objectsOf, refusal } from '../plugin.ts';
import { askedCertificate } from './asked-certificate.ts';

export function certificateSubjectRestriction({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  const signer = labelKey(dialect, `${apiserverWord(dialect)}-client`);
  return {
    name: 'CertificateSubjectRestriction',
    operations: creates,
    covers: objectsOf(groupName(dialect, 'certificates'), 'certificatesigningrequests'),
    validate(request) {
      if ((request.object as CertificateSigningRequest).spec?.signerName !== signer) return;
      const { subject } = askedCertificate(request, 'failed to parse CSR');
      if (subject.organizations.includes(mastersGroup))
        throw refusal(request, `use of ${signer} signer with ${mastersGroup} group is not allowed`);
    },
  };
}
