// POST to a collection.

import { create as createObject } from '../registry/create.ts';
import { answerObject } from './answer.ts';
import { admissionRequest, admitter, readObject, representationOf, type VerbHandler, warner } from './call.ts';
import { withManagedFields } from './field-management.ts';
import { writeParameters } from './write-parameters.ts';

export const create: VerbHandler = async (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'CreateOptions');
  const input = await readObject(call, fieldValidation);
  const object = withManagedFields(call, input.object, undefined, input.managers);
  const request = { operation: 'CREATE', oldObject: undefined, dryRun } as const;
  const admitted = await services.admission.mutate(admissionRequest(call, { ...request, object }));
  const options = { dryRun, user: exchange.user, ...warner(call), ...admitter(call, dryRun, () => 'CREATE') };
  const stored = await createObject(registry, admitted ?? object, options);
  return answerObject(call, stored, form, 201);
};
