// Audit events: the request of a user and its answer, at one stage.

import { stringifyJson } from '../base/json/json.ts';
import { memoized } from '../base/memoized.ts';
import type { Status } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Level, Stage } from './policy.ts';

export interface AuditObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

export type AuditStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/** Never changes once it was made: several backends may hold it for a while. */
export interface AuditEvent {
  readonly level: Level;
  readonly auditID: string;
  readonly stage: Stage;
  readonly requestURI: string;
  readonly verb: string;
  /** Undefined where no user could be recognised. */
  readonly user: UserInfo | undefined;
  readonly impersonatedUser: UserInfo | undefined;
  /** The right by which the user acts as another one, if it is limited to a purpose. */
  readonly impersonationConstraint: string | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string | undefined;
  readonly objectRef: AuditObjectReference | undefined;
  readonly responseStatus: AuditStatus | undefined;
  /** JSON text. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** Several backends may want the same text, and its length. */
/** One line of JSON, fields in the order in which Kubernetes has them. */
export const eventJson = memoized((event: AuditEvent): string => writeEvent(event));

/** The JSON of an event outside a list, with kind and apiVersion. */
export function standaloneJson(event: AuditEvent, apiVersion: string): string {
  return `{"kind":"Event","apiVersion":${JSON.stringify(apiVersion)},${eventJson(event).slice(1)}`;
}

function writeEvent(event: AuditEvent): string {
  const { user, impersonatedUser, impersonationConstraint, requestObject, responseObject, responseStatus } = event;
  const before = stringifyJson({
    level: event.level,
    auditID: event.auditID,
    stage: event.stage,
    requestURI: event.requestURI,
    verb: event.verb,
    user: userFields(user),
    impersonatedUser: impersonatedUser && userFields(impersonatedUser),
    authenticationMetadata: impersonationConstraint === undefined ? undefined : { impersonationConstraint },
    sourceIPs: event.sourceIPs.length === 0 ? undefined : event.sourceIPs,
    userAgent: event.userAgent || undefined,
    objectRef: event.objectRef,
    responseStatus: responseStatus && { metadata: {}, ...responseStatus },
  });
  const after = stringifyJson({
    requestReceivedTimestamp: event.requestReceivedTimestamp,
    stageTimestamp: event.stageTimestamp,
    annotations: event.annotations,
  });
  const bodies = [
    ...(requestObject === undefined ? [] : [`"requestObject":${requestObject}`]),
    ...(responseObject === undefined ? [] : [`"responseObject":${responseObject}`]),
  ];
  return [before.slice(0, -1), ...bodies, after.slice(1)].join(',');
}

function userFields(user: UserInfo | undefined): object {
  if (user === undefined) return {};
  const { name, uid, groups, extra } = user;
  return {
    username: name,
    uid: uid || undefined,
    groups: groups.length === 0 ? undefined : groups,
    extra: extra === undefined || Object.keys(extra).length === 0 ? undefined : extra,
  };
}

/** The old form of the log: the most important things in one line of text. */
export function eventText(event: AuditEvent): string {
  const { user, impersonatedUser: as, objectRef, responseStatus, sourceIPs } = event;
  const list = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(',');
  const parts: readonly (readonly [name: string, value: string])[] = [
    ['id', event.auditID],
    ['stage', event.stage],
    ['ip', sourceIPs[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user?.name || '<none>'],
    ['groups', user === undefined || user.groups.length === 0 ? '<none>' : list(user.groups)],
    ['as', as?.name ?? '<self>'],
    ['asgroups', as === undefined ? '<lookup>' : list(as.groups)],
    ['user-agent', event.userAgent ?? ''],
    ['namespace', objectRef?.namespace ?? '<none>'],
    ['uri', event.requestURI],
    ['response', responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0)],
  ];
  const words = parts.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${event.requestReceivedTimestamp} AUDIT: ${words.join(' ')}`;
}

const maxUserAgentLength = 1024;

export function shortened(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined || userAgent.length <= maxUserAgentLength) return userAgent;
  return `${userAgent.slice(0, maxUserAgentLength)}...TRUNCATED`;
}
