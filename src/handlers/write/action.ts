// POST of an object that is answered instead of stored.

import { decodeObject, type ExpectedKind } from '../../codec/decode-object.ts';
import { strictErrors } from '../../codec/strict.ts';
import type { ApiResponse } from '../../meta/exchange.ts';
import { invalid } from '../../meta/status.ts';
import type { Action } from '../../schema/resource.ts';
import { answerValue } from '../answer.ts';
import type { Call } from '../call.ts';
import { admissionRequest } from '../call-admission.ts';
import { representationOf } from '../representation.ts';
import { readBodyAs } from './read-object.ts';
import { inScope } from './url-match.ts';
import { refuseBody, reportStrictErrors, writeParameters } from './write-parameters.ts';

export async function runAction(call: Call, action: Action, expected: ExpectedKind): Promise<ApiResponse> {
  const { exchange, services, ref } = call;
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'CreateOptions');
  const parsed = await readBodyAs(call, expected.type);
  const decoded = decodeObject(expected, parsed.value);
  const sent = inScope(decoded.object, ref.namespace);
  exchange.audit?.captureRequest(sent, sent.metadata);
  const strict = strictErrors(parsed, decoded.unknownFields, expected.type);
  reportStrictErrors(exchange, strict, fieldValidation, refuseBody(expected));
  const request = admissionRequest(call, { operation: 'CREATE', object: sent, oldObject: undefined, dryRun });
  const object = (await services.admission.mutate(request)) ?? sent;
  const context = { dialect: services.dialect, clock: services.clock };
  const errors = action.validate?.(object, context) ?? [];
  if (errors.length > 0) throw invalid({ ...expected, name: object.metadata?.name ?? '' }, errors);
  await services.admission.validate(request.withObject(object));
  const { objects, access, tokens } = services;
  const warn = (text: string) => exchange.warn(text);
  const annotate = (key: string, value: string) => exchange.audit?.annotate(key, value);
  const made = await action.run(object, {
    ...context,
    user: exchange.user,
    ref,
    dryRun,
    objects,
    access,
    tokens,
    warn,
    annotate,
  });
  return answerValue(made, action.answer ?? expected.type, form, 201);
}
