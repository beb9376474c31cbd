// What is noted of a request on its way: spans, and the verdict of each stage. Only while a trace is taken or a client reads.

import type { UserInfo } from './user.ts';

/** Ids of a trace and of the span that calls, as the W3C headers `traceparent` and `tracestate` carry them. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the request; 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether collectors receive the trace. */
  readonly isSampled: boolean;
  /** Of the vendors on the way; passed on as it came. */
  readonly state: string | undefined;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** `client` where another server is called. */
export type SpanKind = 'internal' | 'server' | 'client';

/** One timed part of the work for a request. One that does not end is left out. */
export interface OpenSpan {
  /** W3C headers for a call of another server that is this part of the work; none where no collector receives the trace. */
  readonly headers: Readonly<Record<string, string>>;
  event(name: string, attributes?: SpanAttributes): void;
  /** `failure` marks the span as an error. */
  end(attributes?: SpanAttributes, failure?: string): void;
}

export interface AuthorizationVerdict {
  /** Type and name of the authorizer that decided; empty where none had an opinion. */
  readonly authorizer: string;
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** In the words of the authorizer: of RBAC these are the binding, the role and the subject. */
  readonly reason: string;
  /** The rule of the role that allows it, for RBAC. */
  readonly rule?: string;
}

export interface FlowVerdict {
  readonly flowSchema: string;
  readonly priorityLevel: string;
}

export interface AdmissionVerdict {
  readonly plugin: string;
  readonly phase: 'mutating' | 'validating';
  /** `ignored`: the call failed, and the request continued. */
  readonly outcome: 'allowed' | 'changed' | 'refused' | 'failed' | 'ignored';
  readonly durationMs: number;
  /** Name of the webhook, if the plugin called one. */
  readonly webhook?: string;
  /** Name of the policy, if the plugin evaluated one. */
  readonly policy?: string;
  readonly binding?: string;
  /** Why it was refused or failed. */
  readonly reason?: string;
  /** The changed fields, where they are kept. */
  readonly change?: string;
}

export interface StoreVerdict {
  readonly operation: 'create' | 'update' | 'delete';
  /** `conflict`: another writer was faster. */
  readonly outcome: 'committed' | 'conflict' | 'failed';
  readonly durationMs: number;
  readonly revision?: string;
}

/** A part of the work; those of a stage lie within its time. */
export interface StageTime {
  readonly name: string;
  /** After the request was received. */
  readonly startMs: number;
  readonly durationMs: number;
}

export interface Verdicts {
  /** The authenticator that recognised the user. */
  authentication?: string;
  flowControl?: FlowVerdict;
  authorization?: AuthorizationVerdict;
  /** Plugins that changed or refused something, and every call of a webhook or policy. */
  admission?: readonly AdmissionVerdict[];
  store?: readonly StoreVerdict[];
  /** Watches on the receiving thread that include the object, where something was written. */
  notifiedWatches?: number;
}

/** Sent along with a request that moves to another thread. */
export interface MovedNotes {
  readonly context: TraceContext;
  readonly beganAt: number;
  readonly keepsChanges: boolean;
}

/** Returned by the other thread. */
export interface NotedParts {
  readonly stages: readonly StageTime[];
  readonly verdicts: Verdicts;
}

/** Receives what happens to one request. */
export interface RequestNotes {
  /** Whether the changes of plugins are kept. */
  readonly keepsChanges: boolean;
  /** Begins a part of the work that is running now. */
  begin(name: string, attributes?: SpanAttributes, kind?: SpanKind): OpenSpan;
  /** As `begin`; spans that begin before its end belong to it. */
  enter(name: string, attributes?: SpanAttributes): OpenSpan;
  authenticated(authenticator: string, user: UserInfo): void;
  classified(flow: FlowVerdict): void;
  authorized(verdict: AuthorizationVerdict): void;
  admission(verdict: AdmissionVerdict): void;
  stored(verdict: StoreVerdict): void;
  /** For the thread that the request moves to. */
  readonly moved: MovedNotes;
  /** Adds the work of that thread. */
  include(parts: NotedParts): void;
}
