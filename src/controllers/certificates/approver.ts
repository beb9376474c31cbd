// Approves certificates by which node agents are clients, after asking whether the user who wants one may have it.

import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { requestedCertificate } from '../../groups/certificates/v1/requested-certificate.ts';
import { signerRules } from '../../groups/certificates/v1/signer-rules.ts';
import { groupName, inOwnWords, signerNames } from '../../meta/dialect.ts';
import type { ControllerContext, ControllerFactory } from '../controller.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { hasCondition, signingRequestController, withCondition } from './signing-requests.ts';

/** What a user may be allowed to create, as a subresource that exists for this question only. */
interface Recognized {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

const renewal: Recognized = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const first: Recognized = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

export const certificateApprover: ControllerFactory = (context) =>
  signingRequestController(context, 'certificate_approving', async (request, path) => {
    if (hasCondition(request, 'Approved') || hasCondition(request, 'Denied')) return 'done';
    const recognized = recognize(context, request);
    return recognized.length === 0 ? 'done' : approve(context, request, path, recognized);
  });

/** A node that renews its own certificate may be allowed that, or what others may as well. */
function recognize({ dialect }: ControllerContext, request: CertificateSigningRequest): readonly Recognized[] {
  const { signerName, usages = [], username = '' } = request.spec ?? {};
  if (signerName !== signerNames(dialect).agentClient) return [];
  const requested = requestedCertificate(request);
  if (requested.problem !== undefined) return [];
  const { certificate } = requested;
  if (signerRules.agentClient({ request: certificate, usages }, dialect) !== undefined) return [];
  return certificate.subject.commonName === username ? [renewal, first] : [first];
}

/** The right may be given later: a request that is not approved is looked at again. */
async function approve(
  context: ControllerContext,
  request: CertificateSigningRequest,
  path: string,
  recognized: readonly Recognized[],
): Promise<WorkOutcome> {
  for (const { subresource, message } of recognized) {
    if (!(await isAllowed(context, request, subresource))) continue;
    const approved = {
      type: 'Approved',
      status: 'True',
      reason: 'AutoApproved',
      message: inOwnWords(context.dialect, message),
    } as const;
    await context.client.replace(`${path}/approval`, withCondition(request, approved));
    return 'done';
  }
  return 'again';
}

async function isAllowed(
  { client, dialect }: ControllerContext,
  { spec }: CertificateSigningRequest,
  subresource: Recognized['subresource'],
): Promise<boolean> {
  const { username: user, uid, groups, extra } = spec ?? {};
  const group = groupName(dialect, 'certificates');
  const asked = { group, version: '*', resource: 'certificatesigningrequests', subresource, verb: 'create' };
  const review = await client.create(`/apis/${groupName(dialect, 'authorization')}/v1/subjectaccessreviews`, {
    spec: { user, uid, groups, extra, resourceAttributes: asked },
  });
  return (review['status'] as { readonly allowed?: boolean } | undefined)?.allowed === true;
}
