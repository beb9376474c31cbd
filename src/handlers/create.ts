// POST to a collection.

import { create as createObject } from '../registry/create.ts';
import { answerObject } from './answer.ts';
import { admissionRequest, admitter, decodeInput, readBody, representationOf, type VerbHandler } from './call.ts';
import { refuseBody, reportUnknownFields, writeParameters } from './write-parameters.ts';

export const create: VerbHandler = async (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'CreateOptions');
  const input = decodeInput(call, await readBody(call));
  reportUnknownFields(exchange, input.unknownFields, fieldValidation, refuseBody(call.resource.definition));
  const request = { operation: 'CREATE', oldObject: undefined, dryRun } as const;
  const admitted = await services.admission.mutate(admissionRequest(call, { ...request, object: input.object }));
  const options = { dryRun, user: exchange.user, ...admitter(call, dryRun, () => 'CREATE') };
  const stored = await createObject(registry, admitted ?? input.object, options);
  return answerObject(call, stored, form, 201);
};
