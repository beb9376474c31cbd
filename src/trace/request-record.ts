// A request as clients read it.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { preciseNow, type RequestRecord, type RequestTrace, rounded } from './request-trace.ts';
import { userAgentOf } from './span-names.ts';

const maxGroups = 20;
const maxNameLength = 256;
const maxPathLength = 1000;

const cut = (text: string, length = maxNameLength) => (text.length <= length ? text : `${text.slice(0, length)}…`);

/** Without what the main thread adds. */
export function requestRecord(
  { id, info, user, impersonator, request }: Exchange,
  { status, body, expectedLength }: ApiResponse,
  trace: RequestTrace,
): Omit<RequestRecord, 'sequence' | 'thread'> {
  const { context, beganAt, wasInLane, stages, verdicts } = trace;
  const { verb = request.method.toLowerCase(), group = '', version = '', resource = '' } = info ?? {};
  const { subresource = '', namespace = '', name = '' } = info ?? {};
  const answerBytes = typeof body === 'function' ? expectedLength : (body?.length ?? 0);
  return {
    auditId: id,
    ...(context.isSampled ? { traceId: context.traceId } : {}),
    ...(wasInLane ? { inLane: true } : {}),
    time: new Date(beganAt).toISOString(),
    durationMs: rounded(preciseNow() - beganAt),
    client: request.peer.address,
    userAgent: userAgentOf(request),
    user: cut(user.name),
    groups: user.groups.slice(0, maxGroups).map((group) => cut(group)),
    ...(impersonator === undefined ? {} : { impersonatedBy: cut(impersonator.name) }),
    method: request.method,
    path: cut(request.path, maxPathLength),
    ...{ verb, group: cut(group), version: cut(version), resource: cut(resource), subresource: cut(subresource) },
    ...{ namespace: cut(namespace), name: cut(name) },
    status,
    ...(answerBytes === undefined ? {} : { answerBytes }),
    stages,
    verdicts,
  };
}
