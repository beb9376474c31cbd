// MutatingAdmissionPolicy: expressions that users write change what is written.

import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import { inTurns } from '../../../base/steps.ts';
import type { MutatingAdmissionPolicy as Policy } from '../../../groups/admissionregistration/v1/mutating-admission-policy.ts';
import type { MutatingAdmissionPolicyBinding as Binding } from '../../../groups/admissionregistration/v1/mutating-admission-policy-binding.ts';
import type { AdmissionEngines } from '../../engines.ts';
import type { AdmissionPlugin } from '../../plugin.ts';
import { PolicySource } from '../../policies/policy-source.ts';

type Dispatcher = typeof import('./dispatch.ts');

export function mutatingAdmissionPolicy(engines: AdmissionEngines): AdmissionPlugin {
  const source = new PolicySource<Policy, Binding>(
    engines,
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  );
  let dispatcher: MaybePromise<Dispatcher> | undefined;
  /** The language is loaded with the first policy that is about something. */
  const load = (): MaybePromise<Dispatcher> => {
    dispatcher ??= import('./dispatch.ts').then((loaded) => {
      dispatcher = loaded;
      return loaded;
    });
    return dispatcher;
  };
  return {
    name: 'MutatingAdmissionPolicy',
    // nothing of a delete can be changed
    operations: ['CREATE', 'UPDATE', 'CONNECT'],
    covers: (definition, subresource, operation) => source.hooksFor(definition, subresource, operation).length > 0,
    onCoverageChange: (changed) => source.onChange(changed),
    mutate(request) {
      const { definition, subresource, operation } = request;
      const hooks = source.hooksFor(definition, subresource, operation);
      if (hooks.length === 0) return request.object;
      return andThen(load(), ({ dispatch }) => inTurns(dispatch(engines, request, hooks)));
    },
  };
}
