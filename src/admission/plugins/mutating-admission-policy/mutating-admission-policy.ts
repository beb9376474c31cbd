// MutatingAdmissionPolicy: expressions that users write change what is written.

import { loadedOnce } from '../../../base/loaded-once.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { MutatingAdmissionPolicyBinding as Binding } from '../../../groups/admissionregistration/v1/mutating-admission-policy-binding.ts';
import type { MutatingAdmissionPolicy as Policy } from '../../../groups/admissionregistration/v1/mutating-admission-policy-type.ts';
import type { AdmissionEngines } from '../../engines.ts';
import type { AdmissionPlugin } from '../../plugin.ts';
import { PolicySource } from '../../policies/policy-source.ts';
import { moveIfExpensive } from '../../policies/policy-work.ts';

export function mutatingAdmissionPolicy(engines: AdmissionEngines): AdmissionPlugin {
  const source = new PolicySource<Policy, Binding>(
    engines,
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  );
  /** The language is loaded with the first policy that is about something. */
  const load = loadedOnce(() => import('./dispatch.ts'));
  return {
    name: 'MutatingAdmissionPolicy',
    notesItself: true,
    // nothing of a delete can be changed
    operations: ['CREATE', 'UPDATE', 'CONNECT'],
    covers: (definition, subresource, operation) =>
      engines.gates.MutatingAdmissionPolicy && source.hooksFor(definition, subresource, operation).length > 0,
    onCoverageChange: (changed) => source.onChange(changed),
    begin(request) {
      const { definition, subresource, operation } = request;
      return moveIfExpensive(engines, request, source.hooksFor(definition, subresource, operation));
    },
    mutate(request) {
      const { definition, subresource, operation } = request;
      const hooks = source.hooksFor(definition, subresource, operation);
      if (hooks.length === 0) return request.object;
      return andThen(load(), ({ dispatch }) => dispatch(engines, request, hooks));
    },
  };
}
