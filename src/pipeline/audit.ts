// Begins the audit trail of a request, where the policy wants one.

import type { AuditedResource, Auditor } from '../audit/auditor.ts';
import type { RequestTrail } from '../audit/trail.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import { isLongRunning, type RequestInfo } from '../meta/request-info.ts';
import { askedOf } from '../meta/require-access.ts';
import { ApiError, internalError } from '../meta/status.ts';
import type { Resources } from '../registry/resources.ts';
import type { Stage } from './stage.ts';

interface AuditConfig {
  readonly audit: Auditor | undefined;
  readonly resources: Resources;
}

/** No stage at all where nothing is recorded. */
export function auditStages({ audit: auditor, resources }: AuditConfig): readonly Stage[] {
  return auditor === undefined ? [] : [audit(auditor, resources)];
}

/** Goes on with the trail of a request that another thread has moved. */
export function resumedAudit({ audit: auditor, resources }: AuditConfig): readonly Stage[] {
  if (auditor === undefined) return [];
  return [
    (exchange) => {
      beginTrail(auditor, resources, exchange);
      return undefined;
    },
  ];
}

function beginTrail(auditor: Auditor, resources: Resources, exchange: Exchange): RequestTrail | undefined {
  const { user, impersonator, info } = exchange;
  const trail = auditor.begin(exchange, askedOf(impersonator ?? user, info), traitsOf(resources, info));
  exchange.audit = trail;
  for (const [key, value] of Object.entries(exchange.earlyNotes ?? {})) trail?.annotate(key, value);
  return trail;
}

function audit(auditor: Auditor, resources: Resources): Stage {
  return function audit(exchange) {
    const trail = beginTrail(auditor, resources, exchange);
    if (trail === undefined) return undefined;
    const recorded = trail.received();
    if (isPromise(recorded)) return recorded.then((isRecorded) => demandRecord(auditor, isRecorded));
    return demandRecord(auditor, recorded);
  };
}

function demandRecord(auditor: Auditor, isRecorded: boolean): undefined {
  if (isRecorded) return undefined;
  auditor.counts.rejected++;
  throw internalError('failed to store audit event');
}

/** Callers who could not be recognised are recorded too: they may be trying out credentials. */
export function auditedAuthentication(stage: Stage, { audit: auditor, resources }: AuditConfig): Stage {
  if (auditor === undefined) return stage;
  const fail = (exchange: Exchange, error: unknown): never => {
    if (error instanceof ApiError && error.code === 401) recordFailure(auditor, resources, exchange);
    throw error;
  };
  return function authenticate(exchange): MaybePromise<ApiResponse | undefined> {
    try {
      const answer = stage(exchange);
      return isPromise(answer) ? answer.catch((error: unknown) => fail(exchange, error)) : answer;
    } catch (error) {
      return fail(exchange, error);
    }
  };
}

function recordFailure(auditor: Auditor, resources: Resources, exchange: Exchange): void {
  const { user: _, ...asked } = askedOf(exchange.user, exchange.info);
  const trail = auditor.begin(exchange, asked, traitsOf(resources, exchange.info));
  trail?.unrecognised(attempts(exchange.request, exchange));
  exchange.audit = trail;
}

/** How the caller tried, never with what. */
function attempts(request: ApiRequest, { query }: Exchange): string {
  const [scheme = '', credentials = ''] = (request.header('authorization') ?? '').trim().split(' ', 2);
  const given = (name: string) => credentials !== '' && scheme.toLowerCase() === name;
  const { certificate } = request.peer;
  const methods = [
    ...(given('basic') ? ['basic'] : []),
    ...(given('bearer') ? ['bearer'] : []),
    ...(query.get('access_token')?.trim() ? ['access_token'] : []),
    ...(certificate === undefined ? [] : ['x509']),
  ];
  if (methods.length === 0) return 'Authentication failed, no credentials provided';
  return `Authentication failed, attempted: ${methods.join(', ')}`;
}

function traitsOf(resources: Resources, info: RequestInfo): AuditedResource {
  const resource = info.isResource ? resources.find(info.group, info.version, info.resource) : undefined;
  const subresource = info.subresource === '' ? undefined : resource?.subresource(info.subresource);
  return {
    isConfidential:
      resource?.definition.confidential === true || (subresource?.is === 'action' && subresource.confidential === true),
    isLongRunning: isLongRunning(info),
  };
}
