// The expressions of a policy, compiled once for each text and what it may use: policies that say the same share it.
// Loads the language: import it when there is a policy.

import { RecentMap } from '../../base/maps/recent-map.ts';
import type { WorkMeter } from '../../base/time/work-meter.ts';
import { type CompiledTo, compileTo } from '../../cel/compile-to.ts';
import type { Environment } from '../../cel/environment.ts';
import { partialObjectType, patchStepType } from '../../cel/library/json-patch.ts';
import { bool, type CelType, list, nullType, string } from '../../cel/types.ts';
import {
  type AdmissionScope,
  admissionEnvironment,
  PolicyVariables,
} from '../../groups/admissionregistration/v1/expression-environment.ts';

/** A named expression as a policy writes it. */
export interface Variable {
  readonly name?: string;
  readonly expression?: string;
}

export interface Compiled {
  readonly source: string;
  readonly compiled: CompiledTo;
}

export interface Composed {
  readonly types: PolicyVariables;
  readonly programs: ReadonlyMap<string, CompiledTo>;
}

/** What an expression is for: that says what it may use and what it gives. */
type Purpose = 'condition' | 'validation' | 'message' | 'annotation' | 'apply' | 'jsonPatch';

const resultTypes: Readonly<Record<Purpose, readonly CelType[]>> = {
  condition: [bool],
  validation: [bool],
  message: [string],
  annotation: [string, nullType],
  apply: [partialObjectType],
  jsonPatch: [list(patchStepType)],
};

const scopesOf: Readonly<Record<Purpose, Omit<AdmissionScope, 'params'> & { readonly composed: boolean }>> = {
  // they are asked before anything of a policy is computed
  condition: { authorizer: true, composed: false },
  validation: { authorizer: true, composed: true },
  annotation: { authorizer: true, composed: true },
  // compat: messages cannot ask for rights
  message: { authorizer: false, composed: true },
  apply: { authorizer: true, composed: true, changes: true },
  jsonPatch: { authorizer: true, composed: true, changes: true },
};

const mostPrograms = 4096;
const mostScopes = 1024;

/** What the expressions of policies with the same variables have in common. */
export class PolicyExpressions {
  readonly #params: boolean;
  readonly #variables: readonly Variable[];
  readonly #programs = new RecentMap<Compiled>(mostPrograms);
  readonly #environments = new Map<Purpose, Environment>();
  readonly #composed = { types: new PolicyVariables(), programs: new Map<string, CompiledTo>() };
  /** Variables that were compiled. */
  #composedVariables = 0;

  constructor(params: boolean, variables: readonly Variable[]) {
    this.#params = params;
    this.#variables = variables;
  }

  /** What was compiled before is remembered, also where `meter` ends the work. */
  compile(source: string, purpose: Purpose, meter?: WorkMeter): Compiled {
    const key = `${purpose} ${source}`;
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    if (scopesOf[purpose].composed) this.compose(meter);
    const compiled = compileTo(source, this.#environment(purpose), resultTypes[purpose], meter);
    const made = { source, compiled };
    this.#programs.set(key, made);
    return made;
  }

  /** The variables by name, and the type of all of them together. */
  compose(meter?: WorkMeter): Composed {
    const { types, programs } = this.#composed;
    if (this.#composedVariables === this.#variables.length) return this.#composed;
    const environment = admissionEnvironment({ params: this.#params, authorizer: true, variables: types });
    for (const { name = '', expression = '' } of this.#variables.slice(this.#composedVariables)) {
      const compiled = compileTo(expression, environment, [], meter);
      types.add(name, 'program' in compiled ? compiled.program.type : undefined);
      programs.set(name, compiled);
      this.#composedVariables++;
    }
    return this.#composed;
  }

  #environment(purpose: Purpose): Environment {
    let environment = this.#environments.get(purpose);
    if (environment === undefined) {
      const { composed, ...scope } = scopesOf[purpose];
      const variables = composed ? { variables: this.#composed.types } : {};
      environment = admissionEnvironment({ params: this.#params, ...scope, ...variables });
      this.#environments.set(purpose, environment);
    }
    return environment;
  }
}

const known = new RecentMap<PolicyExpressions>(mostScopes);

/** The same for the same variables. */
export function policyExpressions(params: boolean, variables: readonly Variable[]): PolicyExpressions {
  const key = JSON.stringify([params, variables.map(({ name, expression }) => [name, expression])]);
  let found = known.get(key);
  if (found === undefined) {
    found = new PolicyExpressions(params, variables);
    known.set(key, found);
  }
  return found;
}
