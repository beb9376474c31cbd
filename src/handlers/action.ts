// POST of an object that is answered instead of stored.

import { decodeObject, type ExpectedKind } from '../codec/decode-object.ts';
import { strictFindings } from '../codec/strict.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import { invalid } from '../meta/status.ts';
import type { Action } from '../schema/resource.ts';
import { answerValue } from './answer.ts';
import { type Call, readBodyAs, representationOf } from './call.ts';
import { refuseBody, reportFindings, writeParameters } from './write-parameters.ts';

export async function runAction(call: Call, action: Action, expected: ExpectedKind): Promise<ApiResponse> {
  const { exchange, services, ref } = call;
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'CreateOptions');
  const parsed = await readBodyAs(call, expected.type);
  const { object, unknownFields } = decodeObject(expected, parsed.value);
  reportFindings(exchange, strictFindings(parsed, unknownFields), fieldValidation, refuseBody(expected));
  const context = { dialect: services.dialect, clock: services.clock };
  const errors = action.validate?.(object, context) ?? [];
  if (errors.length > 0) throw invalid({ ...expected, name: object.metadata?.name ?? '' }, errors);
  const made = await action.run(object, { ...context, user: exchange.user, ref, dryRun, objects: services.objects });
  return answerValue(made, action.answer ?? expected.type, form, 201);
}
