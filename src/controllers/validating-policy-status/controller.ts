// Says in the status of validating policies what their expressions mean for the types that they are about.

import { isNotFound } from '../../client/client.ts';
import type { KindTypes } from '../../groups/admissionregistration/v1/type-check.ts';
import type { ValidatingAdmissionPolicy } from '../../groups/admissionregistration/v1/validating-admission-policy.ts';
import { groupName } from '../../meta/dialect.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { only } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

const managerName = 'validatingadmissionpolicy-status';
const plural = 'validatingadmissionpolicies';

export function validatingPolicyStatus(context: ControllerContext, types: KindTypes): Controller {
  const group = groupName(context.dialect, 'admissionregistration');
  const queue = context.queue({ name: managerName, work });

  async function work(name: string): Promise<WorkOutcome> {
    try {
      await report(name);
      return 'done';
    } catch (error) {
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }

  async function report(name: string): Promise<void> {
    const path = `/apis/${group}/v1/${plural}/${encodeURIComponent(name)}`;
    const policy = await context.client.find<ValidatingAdmissionPolicy>(path);
    if (policy === undefined || !isUnseen(policy)) return;
    const { checkPolicyTypes } = await import('../../groups/admissionregistration/v1/type-check.ts');
    const expressionWarnings = await checkPolicyTypes(policy, types);
    const { apiVersion, kind, metadata } = policy;
    const status = {
      observedGeneration: metadata.generation,
      typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
    };
    await context.client.apply(`${path}/status`, { apiVersion, kind, metadata: { name }, status }, managerName, {
      force: true,
    });
  }

  context.feed.subscribe({
    wants: only(group, plural),
    onChange({ name, json }) {
      if (json !== undefined) queue.add(name);
    },
  });
  return { close: () => queue.close() };
}

/** The spec changed since it was last looked at. */
function isUnseen({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}
