// The verdict of a policy in the trace of a request.

import type { ApiObject } from '../../meta/object.ts';
import type { AdmissionVerdict } from '../../meta/request-notes.ts';
import { changeIn, reasonIn } from '../admission-notes.ts';
import type { AdmissionRequest } from '../plugin.ts';

/** The object before and after a policy. */
export interface PolicyChange {
  readonly before: ApiObject;
  readonly after: ApiObject | undefined;
}

interface PolicyVerdict extends Pick<AdmissionVerdict, 'outcome' | 'durationMs'> {
  readonly policy: ApiObject;
  readonly binding: ApiObject | undefined;
  readonly reason?: string | undefined;
  readonly change?: PolicyChange;
}

export function notePolicy(
  request: AdmissionRequest,
  phase: AdmissionVerdict['phase'],
  { policy, binding, reason, change, outcome, durationMs }: PolicyVerdict,
): void {
  request.notes?.admission({
    plugin: phase === 'mutating' ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
    phase,
    outcome,
    durationMs: Math.round(durationMs * 1000) / 1000,
    policy: policy.metadata.name ?? '',
    ...(binding === undefined ? {} : { binding: binding.metadata.name ?? '' }),
    ...reasonIn(request, reason),
    ...(change === undefined ? {} : changeIn(request, change.before, change.after)),
  });
}
