// Signing requests as controllers see them: those without a certificate are worked on, by name.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { groupName } from '../../meta/dialect.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { only, pathOf } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

const signingRequestsPlural = 'certificatesigningrequests';

/** Many requests may wait for an answer of the API at the same time. */
const workers = 5;

/** A controller that looks at requests which have no certificate yet. */
export function signingRequestController(
  context: ControllerContext,
  queueName: string,
  handle: (request: CertificateSigningRequest, path: string) => Promise<WorkOutcome>,
): Controller {
  const queue = context.queue({ name: queueName, workers, work: (path) => work(context, path, handle) });
  context.feed.subscribe({
    wants: only(groupName(context.dialect, 'certificates'), signingRequestsPlural),
    onChange({ resource, json, ...ref }) {
      if (json !== undefined) queue.add(pathOf(resource, ref));
    },
  });
  return { close: () => queue.close() };
}

/** Another client may be faster: what it wrote is looked at again. */
async function work(
  { client }: ControllerContext,
  path: string,
  handle: (request: CertificateSigningRequest, path: string) => Promise<WorkOutcome>,
): Promise<WorkOutcome> {
  const request = await client.find<CertificateSigningRequest>(path);
  if (request === undefined || request.status?.certificate) return 'done';
  try {
    return await handle(request, path);
  } catch (error) {
    if (isConflict(error)) return 'again';
    if (isNotFound(error)) return 'done';
    throw error;
  }
}

export const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type) ?? false;

export function withCondition(request: CertificateSigningRequest, condition: Condition): CertificateSigningRequest {
  const { status } = request;
  return { ...request, status: { ...status, conditions: [...(status?.conditions ?? []), condition] } };
}
