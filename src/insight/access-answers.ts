// What the pages below /debug/keelson/access answer.

import type { GrantedRule, Holder, MissingRight } from '../authz/rbac/role-report.ts';
import type { PolicyRule } from '../meta/access.ts';
import type { UserInfo } from '../meta/user.ts';

/** The question, with the resource as the server knows it. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
}

export interface AccessAnswer {
  readonly question: AccessQuestion;
  readonly user: UserInfo;
  readonly allowed: boolean;
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Type and name of the authorizer that decided; empty where none had an opinion. */
  readonly authorizer: string;
  readonly reason: string;
  readonly error?: string;
  /** Whether the caller may see roles and bindings. */
  readonly showsRoles: boolean;
  readonly grant?: GrantedRule | undefined;
  readonly missing?: MissingRight;
}

export interface HolderAnswer {
  readonly question: AccessQuestion;
  readonly holders: readonly Holder[];
  readonly isCut: boolean;
  /** Groups that may do everything. */
  readonly always: readonly string[];
  /** Authorizers in force whose rights cannot be listed. */
  readonly unlisted: readonly string[];
}

export interface RuleAnswer {
  readonly user: UserInfo;
  readonly namespace: string;
  /** Without bindings for callers who may not see those. */
  readonly rules: readonly (Partial<GrantedRule> & { readonly rule: PolicyRule })[];
  readonly isCut: boolean;
  readonly incomplete: boolean;
  readonly errors: readonly string[];
  /** The group by which the user may do everything. */
  readonly always?: string;
}
