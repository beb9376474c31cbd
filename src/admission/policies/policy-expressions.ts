// The expressions of a policy, compiled once for each text and what it may use: policies that say the same share it.
// Loads the language: import it when there is a policy.

import { RecentMap } from '../../base/recent-map.ts';
import type { Steps } from '../../base/steps.ts';
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

interface Composed {
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
  #composed: { readonly types: PolicyVariables; readonly programs: Map<string, CompiledTo> } | undefined;
  #ofVariables: Environment | undefined;
  /** How many variables have been read. */
  #read = 0;

  constructor(params: boolean, variables: readonly Variable[]) {
    this.#params = params;
    this.#variables = variables;
  }

  compile(source: string, purpose: Purpose): Compiled {
    const key = `${purpose} ${source}`;
    let known = this.#programs.get(key);
    if (known === undefined) {
      known = { source, compiled: compileTo(source, this.#environment(purpose), resultTypes[purpose]) };
      this.#programs.set(key, known);
    }
    return known;
  }

  /** Reads the variables, one a step; those who come in between go on where others are. Needed before anything is compiled. */
  *prepare(): Steps<void> {
    while (this.#compose()) yield;
  }

  /** The variables by name, and the type of all of them together. */
  get composed(): Composed {
    while (this.#compose());
    return this.#composed as Composed;
  }

  /** Reads the next variable; false when there is none left. */
  #compose(): boolean {
    this.#composed ??= { types: new PolicyVariables(), programs: new Map() };
    const { types, programs } = this.#composed;
    const next = this.#variables[this.#read];
    if (next === undefined) return false;
    this.#read++;
    const { name = '', expression = '' } = next;
    this.#ofVariables ??= admissionEnvironment({ params: this.#params, authorizer: true, variables: types });
    const compiled = compileTo(expression, this.#ofVariables);
    types.add(name, 'program' in compiled ? compiled.program.type : undefined);
    programs.set(name, compiled);
    return true;
  }

  #environment(purpose: Purpose): Environment {
    let environment = this.#environments.get(purpose);
    if (environment === undefined) {
      const { composed, ...scope } = scopesOf[purpose];
      const variables = composed ? { variables: this.composed.types } : {};
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
