// POST of an object that is answered instead of stored.

import { actionOffer, type Representation } from '../../codec/accept.ts';
import { decodeObject, type ExpectedKind } from '../../codec/decode-object.ts';
import { partialMetadata } from '../../codec/render.ts';
import { strictErrors } from '../../codec/strict.ts';
import { partialObjectMetadata, status } from '../../groups/meta/v1/types.ts';
import type { ApiResponse } from '../../meta/exchange.ts';
import { required } from '../../meta/field-errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import { invalid, noSuchShape, type Status } from '../../meta/status.ts';
import type { Action } from '../../schema/action.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { inDeclaredOrder } from '../../schema/order.ts';
import { answerValue } from '../answer.ts';
import type { Call } from '../call.ts';
import { admissionRequest } from '../call-admission.ts';
import { representationOf } from '../representation.ts';
import { type Shaped, typeName } from '../shape.ts';
import { sentManagers, withOwnersAnswered } from './field-management.ts';
import { noteMissing, readBodyAs } from './read-object.ts';
import { inScope } from './url-match.ts';
import { refuseBody, reportStrictErrors, writeParameters } from './write-parameters.ts';

export async function runAction(call: Call, action: Action, expected: ExpectedKind): Promise<ApiResponse> {
  const { exchange, services, ref } = call;
  const form = representationOf(call, actionOffer);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'CreateOptions');
  const parsed = await readBodyAs(call, expected.type);
  const decoded = decodeObject(expected, parsed.value);
  const managers = sentManagers(parsed.value, decoded.object, services.dialect, true);
  const found = inScope(action.defaults?.(decoded.object) ?? decoded.object, ref.namespace);
  const sent = await withOwnersAnswered(call, expected, found, managers);
  exchange.audit?.captureRequest(sent, sent.metadata);
  noteMissing(call, expected.type, parsed, sent);
  const strict = strictErrors(parsed, decoded.unknownFields, expected.type);
  reportStrictErrors(exchange, strict, fieldValidation, refuseBody(expected));
  const request = admissionRequest(call, { operation: 'CREATE', object: sent, oldObject: undefined, dryRun });
  const mutated = (await services.admission.mutate(request)) ?? sent;
  const context = { dialect: services.dialect, clock: services.clock };
  const { missingField } = exchange;
  const errors = [
    ...(missingField === undefined ? [] : [required(missingField)]),
    ...(action.validate?.(mutated, context) ?? []),
  ];
  if (errors.length > 0) throw invalid({ ...expected, name: mutated.metadata?.name ?? '' }, errors);
  const { objects, access, tokens } = services;
  const warn = (text: string) => exchange.warn(text);
  const annotate = (key: string, value: string) => exchange.audit?.annotate(key, value);
  const own = { ...context, user: exchange.user, ref, dryRun, objects, access, tokens, warn, annotate };
  const object = (await action.prepare?.(mutated, own)) ?? mutated;
  await services.admission.validate(request.withObject(object));
  const answered = await action.run(object, own);
  const made = inDeclaredOrder(action.answer ?? expected.type, answered) as ApiObject | Status;
  const shown = shapeAnswer(call, form, made, action.answer ?? expected.type);
  return answerValue(shown.value, shown.type, form, 201);
}

/** compat: a Status is shown as it is, whatever form was asked for */
function shapeAnswer(call: Call, form: Representation, made: ApiObject | Status, type: ObjectType): Shaped {
  if (form.as === 'Object' || type === status) return { value: made, type };
  if (form.as === 'PartialObjectMetadataList') throw noSuchShape(form.as, false, typeName({ type, kind: made.kind }));
  return {
    value: partialMetadata(made as ApiObject, call.resource.definition, call.services.dialect, form.version),
    type: partialObjectMetadata,
  };
}
