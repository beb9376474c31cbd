// Answers about rights from the same index that decides: who can do something, why a user cannot, and all rules of a user.
// Each answer is bounded, and other requests are served while it is made.

import { yieldTurn } from '../../base/time/turns.ts';
import type { AccessAttributes, PolicyRule, RoleReference, RoleSubject } from '../../meta/access.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { Binding, RoleIndex } from './role-index.ts';
import type { RuleSet } from './rule-set.ts';
import { allows, missingPartsOf, type RulePart } from './rules.ts';

const reportLimits = { rows: 500, rules: 1000, hints: 20, listed: 20 } as const;

/** A binding, the role that it names, and a rule of that role. */
export interface GrantedRule {
  /** Empty for a binding of the cluster. */
  readonly namespace: string;
  readonly binding: string;
  readonly role: RoleReference;
  readonly rule: PolicyRule;
}

export interface Holder extends GrantedRule {
  readonly subject: RoleSubject;
}

interface NearRule extends GrantedRule {
  /** The only part of the question that the rule does not allow. */
  readonly lacks: RulePart;
}

/** Part of a list that may be longer. */
interface Bounded<T> {
  readonly items: readonly T[];
  readonly isCut: boolean;
}

export interface MissingRight {
  /** Rules of the user that allow all but one part of the question. */
  readonly near: readonly NearRule[];
  /** Bindings that allow it in another namespace. */
  readonly elsewhere: readonly GrantedRule[];
  /** Roles that would allow it if they were bound, the smallest first. */
  readonly roles: readonly RoleReference[];
}

export class RoleReport {
  readonly #index: RoleIndex;

  constructor(index: RoleIndex) {
    this.#index = index;
  }

  /** Subjects that are bound to a role that allows it: where the question is, and in each namespace for a question about all of them. */
  async holders(question: AccessAttributes): Promise<Bounded<Holder>> {
    const items: Holder[] = [];
    const ruleOf = allowingRule();
    const isEverywhere = question.isResource && question.namespace === '';
    for (const namespace of isEverywhere ? this.#scopes() : scopesOf(question.namespace)) {
      const here = { ...question, namespace };
      for (const binding of this.#index.bindingsIn(namespace)) {
        await yieldTurn();
        const rule = this.#ruleOf(binding, (role) => ruleOf(role, here));
        if (rule === undefined) continue;
        for (const subject of binding.subjects ?? []) {
          if (items.length === reportLimits.rows) return { items, isCut: true };
          items.push({ subject, ...granted(binding, rule) });
        }
      }
    }
    return { items, isCut: false };
  }

  /** The binding and the rule that allow it, where roles do. */
  grant(question: AccessAttributes): GrantedRule | undefined {
    for (const namespace of scopesOf(question.namespace)) {
      const ruleOf = (binding: Binding) => this.#ruleOf(binding, (role) => findRule(role, question));
      const match = this.#index.find(question.user, namespace, ({ binding }) => ruleOf(binding) !== undefined);
      if (match !== undefined) return granted(match.binding, ruleOf(match.binding) as PolicyRule);
    }
    return undefined;
  }

  async missing(question: AccessAttributes): Promise<MissingRight> {
    return {
      near: this.#near(question),
      elsewhere: await this.#elsewhere(question),
      roles: await this.#allowing(question),
    };
  }

  /** All rules that apply to a user in a namespace, with their bindings. */
  rules(user: UserInfo, namespace: string): Bounded<GrantedRule> {
    const items: GrantedRule[] = [];
    let isCut = false;
    this.#eachRule(user, namespace, (rule, binding) => {
      isCut = items.length === reportLimits.rules;
      if (!isCut) items.push(granted(binding, rule));
      return isCut;
    });
    return { items, isCut };
  }

  #near(question: AccessAttributes): readonly NearRule[] {
    const near: NearRule[] = [];
    this.#eachRule(question.user, question.namespace, (rule, binding) => {
      const [lacks, ...more] = missingPartsOf(rule, question);
      if (lacks !== undefined && more.length === 0) near.push({ ...granted(binding, rule), lacks });
      return near.length === reportLimits.hints;
    });
    return near;
  }

  async #elsewhere(question: AccessAttributes): Promise<readonly GrantedRule[]> {
    const elsewhere: GrantedRule[] = [];
    if (!question.isResource) return elsewhere;
    for (const namespace of this.#scopes()) {
      await yieldTurn();
      if (namespace === '' || namespace === question.namespace) continue;
      const ruleOf = ({ binding }: { readonly binding: Binding }) =>
        this.#ruleOf(binding, (role) => findRule(role, { ...question, namespace }));
      const grant = this.#index.find(question.user, namespace, (one) => ruleOf(one) !== undefined);
      if (grant !== undefined) elsewhere.push(granted(grant.binding, ruleOf(grant) as PolicyRule));
      if (elsewhere.length === reportLimits.hints) break;
    }
    return elsewhere;
  }

  async #allowing(question: AccessAttributes): Promise<readonly RoleReference[]> {
    const allowing: { readonly ref: RoleReference; readonly size: number }[] = [];
    for (const { ref, role } of this.#index.rolesIn(question.namespace)) {
      await yieldTurn();
      if (role.allows(question)) allowing.push({ ref, size: role.rules.length });
    }
    const bySize = allowing.sort((a, b) => a.size - b.size);
    return bySize.slice(0, reportLimits.hints).map(({ ref }) => ref);
  }

  /** Until `isEnough` returns true. */
  #eachRule(user: UserInfo, namespace: string, isEnough: (rule: PolicyRule, binding: Binding) => boolean): void {
    for (const scope of scopesOf(namespace)) {
      const last = this.#index.find(
        user,
        scope,
        ({ binding }) =>
          this.#ruleOf(binding, (role) => role.rules.find((rule) => isEnough(rule, binding))) !== undefined,
      );
      if (last !== undefined) return;
    }
  }

  #ruleOf(binding: Binding, find: (role: RuleSet) => PolicyRule | undefined): PolicyRule | undefined {
    const role = this.#index.role(binding.roleRef ?? {}, binding.metadata.namespace ?? '');
    return role && find(role);
  }

  #scopes(): readonly string[] {
    return [...this.#index.scopes];
  }
}

/** Bindings of the cluster apply everywhere. */
const scopesOf = (namespace: string): readonly string[] => (namespace === '' ? [''] : ['', namespace]);

const findRule = (role: RuleSet, question: AccessAttributes): PolicyRule | undefined =>
  role.allows(question) ? role.rules.find((rule) => allows(rule, question)) : undefined;

/** Many bindings name the same role, and the namespace decides nothing within it. */
function allowingRule(): typeof findRule {
  const rules = new Map<RuleSet, PolicyRule | undefined>();
  return (role, question) => {
    if (!rules.has(role)) rules.set(role, findRule(role, question));
    return rules.get(role);
  };
}

function granted({ metadata, roleRef = {} }: Binding, rule: PolicyRule): GrantedRule {
  const { kind = '', name = '' } = roleRef;
  return {
    namespace: metadata.namespace ?? '',
    binding: metadata.name ?? '',
    role: { kind, name },
    rule: shortened(rule),
  };
}

/** A rule may name thousands of objects. */
function shortened(rule: PolicyRule): PolicyRule {
  const entries = Object.entries(rule) as [string, readonly string[]][];
  return Object.fromEntries(
    entries.map(([name, values]) => {
      const more = values.length - reportLimits.listed;
      return [name, more > 0 ? [...values.slice(0, reportLimits.listed), `… and ${more} more`] : values];
    }),
  );
}
