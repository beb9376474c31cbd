// CertificateSigningRequest: asks a signer for an X.509 certificate, subject to approval.

import { formatAge } from '../../../meta/time.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { type CertificateSigningRequest, certificateSigningRequestType } from './certificate-signing-request-type.ts';
import { approvalPart, signingRequestRules, signingStatusPart } from './signing-request-rules.ts';

const specOf = (object: CertificateSigningRequest) => object.spec ?? {};

const durationText = (seconds: number | undefined) => (seconds === undefined ? '<none>' : formatAge(seconds * 1000));

function stateOf({ status = {} }: CertificateSigningRequest): string {
  const has = (type: string) => status.conditions?.some((condition) => condition.type === type) ?? false;
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decided}${has('Failed') ? ',Failed' : ''}${status.certificate ? ',Issued' : ''}`;
}

export const certificateSigningRequest = defineKind(certificateSigningRequestType, {
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
  shortNames: ['csr'],
  verbs: allVerbs,
  // what no path can hold is refused for every kind
  checkName: () => [],
  selectableFields: { 'spec.signerName': (object) => specOf(object).signerName ?? '' },
  columns: [
    nameColumn,
    ageColumn,
    textColumn('SignerName', 'Who is to sign it.', (o) => specOf(o).signerName || '<none>'),
    textColumn('Requestor', 'Who asked for it.', (o) => specOf(o).username ?? ''),
    textColumn('RequestedDuration', 'How long it should be valid.', (o) => durationText(specOf(o).expirationSeconds)),
    textColumn('Condition', 'What became of it.', stateOf),
  ],
  subresources: [approvalPart, signingStatusPart],
  resetFields: ['spec', 'status'],
  strategy: signingRequestRules,
});
