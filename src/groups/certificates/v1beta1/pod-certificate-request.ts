// PodCertificateRequest: asks a signer for a certificate for a pod; normally created by the kubelet.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { immutableStruct } from '../../rules.ts';
import { answerPart, outcomes } from './pod-certificate-answer-rules.ts';
import { specOf, validateNew } from './pod-certificate-key-rules.ts';
import { type PodCertificateRequest, podCertificateRequestType } from './pod-certificate-request-type.ts';

function stateOf({ status }: PodCertificateRequest): string {
  return outcomes.find((type) => status?.conditions?.some((one) => one.type === type)) ?? 'Pending';
}

export const podCertificateRequest = defineKind(podCertificateRequestType, {
  kind: 'PodCertificateRequest',
  plural: 'podcertificaterequests',
  featureGate: 'PodCertificateRequest',
  namespaced: true,
  verbs: allVerbs,
  deprecated: { since: 38, removed: 41 },
  checkName: checkSubdomain,
  quirks: { conditionalUpdateOnly: true },
  selectableFields: {
    'spec.signerName': (object) => specOf(object).signerName ?? '',
    'spec.podName': (object) => specOf(object).podName ?? '',
    'spec.nodeName': (object) => specOf(object).nodeName ?? '',
  },
  columns: [
    nameColumn,
    textColumn('PodName', 'Pod that the certificate is for.', (o) => specOf(o).podName ?? ''),
    textColumn('ServiceAccountName', 'Account that the pod runs as.', (o) => specOf(o).serviceAccountName ?? ''),
    textColumn('NodeName', 'Node that the pod is on.', (o) => specOf(o).nodeName ?? ''),
    textColumn('SignerName', 'Who is to sign it.', (o) => specOf(o).signerName ?? ''),
    textColumn('State', 'What became of it.', stateOf),
    ageColumn,
  ],
  subresources: [answerPart],
  strategy: {
    updateChecks: { meta: 0 },
    validateCreate: validateNew,
    validateUpdate: (next, old) => immutableStruct('spec', 'PodCertificateRequestSpec', specOf(next), specOf(old)),
  },
});
