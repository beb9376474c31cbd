// ValidatingAdmissionPolicy: expressions that users write decide about writes.

import { loadedOnce } from '../../../base/loaded-once.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { ValidatingAdmissionPolicy as Policy } from '../../../groups/admissionregistration/v1/validating-admission-policy.ts';
import type { ValidatingAdmissionPolicyBinding as Binding } from '../../../groups/admissionregistration/v1/validating-admission-policy-binding.ts';
import type { AdmissionEngines } from '../../engines.ts';
import type { AdmissionPlugin } from '../../plugin.ts';
import { PolicySource } from '../../policies/policy-source.ts';
import { moveIfExpensive } from '../../policies/policy-work.ts';

export function validatingAdmissionPolicy(engines: AdmissionEngines): AdmissionPlugin {
  const source = new PolicySource<Policy, Binding>(
    engines,
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
  );
  /** The language is loaded with the first policy that is about something. */
  const load = loadedOnce(() => import('./dispatch.ts'));
  return {
    name: 'ValidatingAdmissionPolicy',
    notesItself: true,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    covers: (definition, subresource, operation) => source.hooksFor(definition, subresource, operation).length > 0,
    onCoverageChange: (changed) => source.onChange(changed),
    begin(request) {
      const { definition, subresource, operation } = request;
      return moveIfExpensive(engines, request, source.hooksFor(definition, subresource, operation));
    },
    validate(request) {
      const { definition, subresource, operation } = request;
      const hooks = source.hooksFor(definition, subresource, operation);
      if (hooks.length === 0) return;
      return andThen(load(), ({ dispatch }) => dispatch(engines, request, hooks));
    },
  };
}
