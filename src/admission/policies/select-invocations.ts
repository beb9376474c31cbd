// From the policies that may be about a request to those that are, with their parameters.

import type { ApiObject } from '../../meta/object.ts';
import { ApiError, notFound } from '../../meta/status.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type MatchCriteria, matchRequest } from '../matching/match-request.ts';
import type { AdmissionRequest } from '../plugin.ts';
import { namespaceOf } from '../request-namespace.ts';
import { ConfigError } from './config-error.ts';
import { collectParams, paramResource } from './policy-params.ts';
import type { BindingObject, Hook, Invocation, PolicyObject } from './policy-source.ts';

/** A policy that is about the request and cannot be evaluated. */
export interface Failure<P, B> {
  readonly policy: P;
  readonly binding: B | undefined;
  readonly failure: string;
}

type Selected<P, B> = Invocation<P, B> | Failure<P, B>;
export type SelectionEngines = Pick<AdmissionEngines, 'dialect' | 'objects' | 'resourceOf' | 'equivalents'>;

export class Selection<P extends PolicyObject, B extends BindingObject> {
  readonly #engines: SelectionEngines;
  readonly #request: AdmissionRequest;
  readonly #selected: Selected<P, B>[] = [];
  #namespace: { readonly object: ApiObject | undefined } | undefined;

  constructor(engines: SelectionEngines, request: AdmissionRequest) {
    this.#engines = engines;
    this.#request = request;
  }

  async of(hooks: readonly Hook<P, B>[]): Promise<readonly Selected<P, B>[]> {
    const known = alwaysSelected(hooks);
    if (known !== undefined) return known;
    for (const hook of hooks) {
      if (hook.always !== undefined) this.#selected.push(...hook.always);
      else await this.#hook(hook);
    }
    return this.#selected;
  }

  /** The namespace of the request; undefined for what is in none. */
  async namespaceObject(): Promise<ApiObject | undefined> {
    const { namespace: name } = this.#request;
    if (name === '') return undefined;
    if (this.#namespace === undefined) {
      const object = await namespaceOf(this.#request, this.#engines.objects);
      this.#namespace = { object };
    }
    if (this.#namespace.object === undefined) throw notFound({ group: '', resource: 'namespaces', name });
    return this.#namespace.object;
  }

  async #hook(hook: Hook<P, B>): Promise<void> {
    const { policy, criteria } = hook;
    try {
      const definition = await this.#match(criteria);
      if (definition === undefined) return;
      const { paramKind } = policy.spec ?? {};
      const resource = paramKind && paramResource(paramKind, this.#engines.resourceOf);
      for (const one of hook.bindings) await this.#binding(policy, one, definition, resource);
    } catch (error) {
      this.#selected.push({ policy, binding: undefined, failure: `failed to configure policy: ${why(error)}` });
    }
  }

  async #binding(
    policy: P,
    { binding, criteria }: Hook<P, B>['bindings'][number],
    definition: ResourceDefinition,
    resource: ResourceDefinition | undefined,
  ): Promise<void> {
    const { paramRef } = binding.spec ?? {};
    try {
      if (criteria !== undefined && (await this.#match(criteria)) === undefined) return;
      const found = await collectParams(this.#engines, resource, paramRef, this.#request.namespace);
      for (const params of found) this.#selected.push({ policy, binding, definition, params });
    } catch (error) {
      this.#selected.push({ policy, binding, failure: `failed to configure binding: ${why(error)}` });
    }
  }

  async #match(criteria: MatchCriteria): Promise<ResourceDefinition | undefined> {
    return (await matchRequest(criteria, this.#request, this.#engines))?.definition;
  }
}

const always = new WeakMap<object, readonly object[] | 'unknown'>();

/** What every request selects; undefined where that depends on the request. Found out once for each list. */
function alwaysSelected<P extends PolicyObject, B extends BindingObject>(
  hooks: readonly Hook<P, B>[],
): readonly Invocation<P, B>[] | undefined {
  let known = always.get(hooks);
  if (known === undefined) {
    const isKnown = hooks.every((hook) => hook.always !== undefined);
    known = isKnown ? hooks.flatMap((hook) => hook.always ?? []) : 'unknown';
    always.set(hooks, known);
  }
  return known === 'unknown' ? undefined : (known as readonly Invocation<P, B>[]);
}

function why(error: unknown): string {
  if (error instanceof ConfigError || error instanceof ApiError) return error.message;
  throw error;
}
