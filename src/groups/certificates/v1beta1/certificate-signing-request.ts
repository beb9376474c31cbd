// CertificateSigningRequest before v1: signer, usages and the status of a condition may be left out.

import { type Dialect, signerNames } from '../../../meta/dialect.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { defaultedFirst, sameShape, withHooks } from '../../same-shape.ts';
import { certificateSigningRequest } from '../v1/certificate-signing-request.ts';
import type { CertificateSigningRequest } from '../v1/certificate-signing-request-type.ts';
import { requestedCertificate } from '../v1/requested-certificate.ts';
import { signerRules } from '../v1/signer-rules.ts';

type Spec = NonNullable<CertificateSigningRequest['spec']>;
type Status = NonNullable<CertificateSigningRequest['status']>;

const defaultUsages = ['digital signature', 'key encipherment'];

function completeSpec(given: Spec, dialect: Dialect): Spec {
  const spec = { ...given, usages: given.usages ?? defaultUsages };
  return spec.signerName ? spec : { ...spec, signerName: defaultSigner(spec, dialect) };
}

/** A signer of node agents where it signs such a request, else the one that only this version accepts. */
function defaultSigner(spec: Spec, dialect: Dialect): string {
  const requested = requestedCertificate({ spec });
  const names = signerNames(dialect);
  if (requested.problem !== undefined) return names.legacyUnknown;
  const certificate = { request: requested.certificate, usages: spec.usages ?? [] };
  const role = (['agentClient', 'agentServing'] as const).find(
    (one) => signerRules[one](certificate, dialect) === undefined,
  );
  return names[role ?? 'legacyUnknown'];
}

const completeStatus = (status: Status): Status =>
  status.conditions
    ? { ...status, conditions: status.conditions.map((one) => (one.status ? one : { ...one, status: 'True' })) }
    : status;

export const certificateSigningRequestV1beta1: KindDefinition = defaultedFirst(
  withHooks<CertificateSigningRequest>(
    sameShape(certificateSigningRequest, 'certificates/v1beta1', {
      since: 19,
      removed: 22,
      replacement: { group: 'certificates', version: 'v1', kind: 'CertificateSigningRequest' },
    }),
    { validateCreate: () => [] },
  ),
  (object: CertificateSigningRequest, { dialect }) => ({
    ...object,
    spec: completeSpec(object.spec ?? {}, dialect),
    ...(object.status ? { status: completeStatus(object.status) } : {}),
  }),
);
