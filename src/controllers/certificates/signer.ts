// Signs approved requests of the built-in signers; what a signer does not sign is marked as failed, or logged.

import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { requestedCertificate } from '../../groups/certificates/v1/requested-certificate.ts';
import { signerRules } from '../../groups/certificates/v1/signer-rules.ts';
import { type SignerRole, signerNames } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { hasCondition, signingRequestController, withCondition } from './signing-requests.ts';

/** Has the keys of the signers. */
export interface CertificateSigner {
  /** Whether a signer has a CA here. */
  signs(role: SignerRole): boolean;
  /** The certificate in PEM. */
  sign(role: SignerRole, request: CertificateSigningRequest): Promise<string>;
}

export function certificateSigningController(context: ControllerContext, signer: CertificateSigner): Controller {
  const roles = new Map(
    Object.entries(signerNames(context.dialect))
      .map(([role, name]) => [name, role as SignerRole] as const)
      .filter(([, role]) => signer.signs(role)),
  );
  return signingRequestController(context, 'certificate_signing', async (request, path) => {
    const role = roles.get(request.spec?.signerName ?? '');
    if (role === undefined || !isWaiting(request)) return 'done';
    return work(context, signer, role, request, path);
  });
}

/** Approved, and neither denied nor failed. */
const isWaiting = (request: CertificateSigningRequest) =>
  hasCondition(request, 'Approved') && !hasCondition(request, 'Denied') && !hasCondition(request, 'Failed');

async function work(
  context: ControllerContext,
  signer: CertificateSigner,
  role: SignerRole,
  request: CertificateSigningRequest,
  path: string,
): Promise<WorkOutcome> {
  const requested = requestedCertificate(request);
  // only what was stored before there were rules for it
  if (requested.problem !== undefined) return tell(context, request, requested.problem);
  const asked = { request: requested.certificate, usages: request.spec?.usages ?? [] };
  const problem = signerRules[role](asked, context.dialect);
  if (problem !== undefined) return refuse(context, request, path, problem);
  const pem = await signer.sign(role, request);
  const certificate = Buffer.from(pem).toString('base64');
  await context.client.replace(`${path}/status`, { ...request, status: { ...request.status, certificate } });
  return 'done';
}

function tell({ onError }: ControllerContext, { metadata }: CertificateSigningRequest, why: string): WorkOutcome {
  onError({ request: metadata.name, why }, 'a certificate signing request cannot be signed');
  return 'done';
}

async function refuse(
  context: ControllerContext,
  request: CertificateSigningRequest,
  path: string,
  message: string,
): Promise<WorkOutcome> {
  const { client, clock, dialect } = context;
  if (dialect.rules.unsignableRequest === 'logged') return tell(context, request, message);
  const lastUpdateTime = formatTime(clock.now());
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime,
  } as const;
  await client.replace(`${path}/status`, withCondition(request, failed));
  return 'done';
}
