// Policies and their bindings as they are stored now, and which of them are about a kind of write. All of it is in memory and
// follows the store, so that a write pays for the policies that are about it, and for no others.

import type {
  BindingSpec,
  CommonPolicySpec,
  MatchResources,
} from '../../groups/admissionregistration/v1/policy-rules.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionEngines } from '../engines.ts';
import { alwaysMatches, type MatchCriteria, mayMatch } from '../matching/match-request.ts';
import type { Operation } from '../plugin.ts';

export type PolicyObject = ApiObject & { readonly spec?: CommonPolicySpec };
export type BindingObject = ApiObject & { readonly spec?: BindingSpec };

interface BoundHook<B extends BindingObject> {
  readonly binding: B;
  /** Undefined where it adds none to those of the policy. */
  readonly criteria: MatchCriteria | undefined;
}

/** A policy in force, as far as one kind of write is concerned. */
export interface Hook<P extends PolicyObject, B extends BindingObject> {
  readonly policy: P;
  readonly criteria: MatchCriteria;
  readonly bindings: readonly BoundHook<B>[];
  /** Stands in a file, not in the store. */
  readonly isStatic: boolean;
  /** What every such write means for it; undefined where that depends on the request. */
  readonly always: readonly Invocation<P, B>[] | undefined;
}

/** A policy that is to be evaluated, once for each of its parameters. */
export interface Invocation<P, B> {
  readonly policy: P;
  readonly binding: B;
  /** The resource in the version of the rule that matched. */
  readonly definition: ResourceDefinition;
  readonly params: ApiObject | null;
}

/** The same whatever is written. */
type InForce<P extends PolicyObject, B extends BindingObject> = Omit<Hook<P, B>, 'always'>;

type Engines = Pick<AdmissionEngines, 'dialect' | 'follow' | 'equivalents' | 'onServedChange' | 'manifests'>;

/** What stored policies decide about them could make them impossible to change; those in files stay the operator's own. */
const exempt = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

export class PolicySource<P extends PolicyObject, B extends BindingObject> {
  readonly #engines: Engines;
  readonly #group: string;
  readonly #plurals: { readonly policies: string; readonly bindings: string };
  readonly #policies = new Map<string, P>();
  readonly #bindings = new Map<string, B>();
  #listener: (() => void) | undefined;
  #inForce: readonly InForce<P, B>[] | undefined;
  #byTarget = new WeakMap<ResourceDefinition, Map<string, readonly Hook<P, B>[]>>();

  constructor(engines: Engines, policies: string, bindings: string) {
    this.#engines = engines;
    this.#group = groupName(engines.dialect, 'admissionregistration');
    this.#plurals = { policies, bindings };
    this.#follow(policies, this.#policies as Map<string, ApiObject>);
    this.#follow(bindings, this.#bindings as Map<string, ApiObject>);
    engines.onServedChange(() => this.#changed());
    engines.manifests.onChange(() => this.#changed());
  }

  /** Calls back after each change. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** The policies that may be about such writes, in the order of their names. */
  hooksFor(definition: ResourceDefinition, subresource: string, operation: Operation): readonly Hook<P, B>[] {
    let known = this.#byTarget.get(definition);
    if (known === undefined) {
      known = new Map();
      this.#byTarget.set(definition, known);
    }
    const key = `${operation} ${subresource}`;
    let hooks = known.get(key);
    if (hooks === undefined) {
      hooks = isReview(definition) ? [] : this.#find(definition, subresource, operation);
      known.set(key, hooks);
    }
    return hooks;
  }

  #find(definition: ResourceDefinition, subresource: string, operation: Operation): readonly Hook<P, B>[] {
    const isPossible = (criteria: MatchCriteria | undefined) =>
      criteria === undefined || mayMatch(criteria, { definition, subresource, operation }, this.#engines);
    const isExempt = definition.group === this.#group && exempt.has(definition.plural);
    return this.#current.flatMap((hook) => {
      if ((isExempt && !hook.isStatic) || !isPossible(hook.criteria)) return [];
      const bindings = hook.bindings.filter(({ criteria }) => isPossible(criteria));
      // what is wrong with its parameters counts whatever its bindings say
      if (bindings.length === 0 && !hook.policy.spec?.paramKind) return [];
      return [
        { ...hook, bindings, always: this.#always({ ...hook, bindings }, { definition, subresource, operation }) },
      ];
    });
  }

  #always(
    { policy, criteria, bindings }: InForce<P, B>,
    subject: { readonly definition: ResourceDefinition; readonly subresource: string; readonly operation: Operation },
  ): readonly Invocation<P, B>[] | undefined {
    const all = [criteria, ...bindings.flatMap((one) => one.criteria ?? [])];
    if (policy.spec?.paramKind || !all.every((one) => alwaysMatches(one, subject))) return undefined;
    const { definition } = subject;
    return bindings.map(({ binding }) => ({ policy, binding, definition, params: null }));
  }

  get #current() {
    const { policies, bindings } = this.#plurals;
    this.#inForce ??= [
      ...join<P, B>(this.#inFiles(policies), this.#inFiles(bindings), true),
      ...join(inOrder(this.#policies), inOrder(this.#bindings), false),
    ];
    return this.#inForce;
  }

  #inFiles<T extends ApiObject>(plural: string): readonly T[] {
    return this.#engines.manifests.objectsOf(plural) as readonly T[];
  }

  #follow(resource: string, objects: Map<string, ApiObject>): void {
    this.#engines.follow(
      { group: this.#group, version: 'v1', resource },
      {
        onReset: () => {
          objects.clear();
          this.#changed();
        },
        onPut: (object) => {
          objects.set(object.metadata.name ?? '', object);
          this.#changed();
        },
        onRemove: ({ metadata }) => {
          objects.delete(metadata.name ?? '');
          this.#changed();
        },
      },
    );
  }

  #changed(): void {
    this.#inForce = undefined;
    this.#byTarget = new WeakMap();
    this.#listener?.();
  }
}

/** compat: policies do not decide about policies, nor about reviews of identity and rights */
const isReview = ({ group, action, namespaced }: ResourceDefinition): boolean =>
  action !== undefined && !(namespaced && group === '');

function join<P extends PolicyObject, B extends BindingObject>(
  policies: readonly P[],
  bindings: readonly B[],
  isStatic: boolean,
): readonly InForce<P, B>[] {
  const bound = new Map<string, BoundHook<B>[]>();
  for (const binding of bindings) {
    const { policyName = '', matchResources } = binding.spec ?? {};
    const one = { binding, criteria: matchResources && criteriaOf(matchResources) };
    const others = bound.get(policyName);
    if (others === undefined) bound.set(policyName, [one]);
    else others.push(one);
  }
  return policies.flatMap((policy) => {
    const own = bound.get(policy.metadata.name ?? '');
    const criteria = criteriaOf(policy.spec?.matchConstraints);
    return own === undefined ? [] : [{ policy, criteria, bindings: own, isStatic }];
  });
}

const inOrder = <T>(objects: ReadonlyMap<string, T>): readonly T[] =>
  [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);

/** compat: no rules at all are about everything */
export function criteriaOf({ resourceRules = [], excludeResourceRules, ...rest }: MatchResources = {}): MatchCriteria {
  const rules = resourceRules.length === 0 ? undefined : resourceRules;
  return { ...rest, rules, ...(excludeResourceRules ? { excludeRules: excludeResourceRules } : {}) };
}
