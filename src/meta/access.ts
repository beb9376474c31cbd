// The vocabulary of authorization: requests, decisions, and the rules of roles.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { FieldSelector } from './field-selector.ts';
import type { LabelSelector } from './label-selector.ts';
import type { UserInfo } from './user.ts';

/** One question to the authorizers: may this user do that? */
export interface AccessAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** Whether it is about a resource of the API; otherwise only `path` and `verb` mean something. */
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  /** What the request narrows itself to, where it could be understood. */
  readonly fieldSelector?: FieldSelector;
  readonly labelSelector?: LabelSelector;
  /** Set while a trace is taken. */
  readonly notes?: AccessNotes;
}

/** Receives how a question is decided. */
export interface AccessNotes {
  decidedBy(authorizer: string): void;
  /** The rule of a role that allows it. */
  allowedBy(rule: PolicyRule): void;
}

export type Decision =
  | { readonly kind: 'allow' | 'noOpinion'; readonly reason?: string; readonly error?: string }
  | { readonly kind: 'deny'; readonly reason: string; readonly error?: string };

/** Verbs allowed on resources or on paths. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface RoleSubject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The rights that an object gives to users: its own rules, or those of a role. */
export type Grant =
  | { readonly is: 'rules'; readonly rules: readonly PolicyRule[]; readonly aggregates: boolean }
  | { readonly is: 'role'; readonly role: RoleReference };

export interface SubjectRules {
  readonly rules: readonly PolicyRule[];
  /** Whether one of the authorizers cannot say what its rules are. */
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** Decides, and lists the rights of a user. */
export interface AccessControl {
  decide(attributes: AccessAttributes): MaybePromise<Decision>;
  rulesFor(user: UserInfo, namespace: string): MaybePromise<SubjectRules>;
}

const nothing = {
  isResource: false,
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  path: '',
} as const;

/** The attributes of a request for a resource of the API; fields default to empty. */
export function resourceAccess(
  attributes: Partial<AccessAttributes> & Pick<AccessAttributes, 'user' | 'verb' | 'resource'>,
): AccessAttributes {
  return { ...nothing, ...attributes, isResource: true };
}

/** A question about a path outside the API. */
export function pathAccess(user: UserInfo, verb: string, path: string): AccessAttributes {
  return { ...nothing, user, verb, path };
}
