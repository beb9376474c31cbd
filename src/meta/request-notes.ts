// What is noted of a request on its way: spans, and the verdict of each stage. Only while a trace is taken or a client reads.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** `client` where another server is called. */
export type SpanKind = 'internal' | 'server' | 'client';

/** One timed part of the work for a request. */
export interface OpenSpan {
  /** W3C headers for a call of another server that is this part of the work. */
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
  /** Watches that receive the change from this thread. */
  readonly notifiedWatches?: number;
}

/** Receives what happens to one request. */
export interface RequestNotes {
  /** Whether the changes of plugins are kept. */
  readonly keepsChanges: boolean;
  /** Begins a part of the work that is running now. */
  begin(name: string, attributes?: SpanAttributes, kind?: SpanKind): OpenSpan;
  authenticated(authenticator: string): void;
  classified(flow: FlowVerdict): void;
  authorized(verdict: AuthorizationVerdict): void;
  admission(verdict: AdmissionVerdict): void;
  stored(verdict: StoreVerdict): void;
}
