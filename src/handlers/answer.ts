// Answers that several verbs share.

import { isPlain, type Representation } from '../codec/accept.ts';
import { renderValue } from '../codec/render.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import type { ApiObject } from '../meta/object.ts';
import { noSuchShape, plainError } from '../meta/status.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { isBuiltIn, type ObjectType } from '../schema/object-type.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Call } from './call.ts';
import { objectBody } from './forms/object-body.ts';
import { shapeObject, shapeOf, typeName } from './shape.ts';

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** One object, in the form the client asked for; its own bytes where that is plain JSON. */
export function answerObject(call: Call, stored: StoredObject, form: Representation, status = 200): ApiResponse {
  if (isPlain(form)) return { status, headers: jsonHeaders, body: stored.line };
  const shape = shapeOf(call, form);
  const body = form.as === 'PartialObjectMetadataList' ? undefined : objectBody(shape, stored);
  if (body === undefined) return answerShown(call, stored.parse(), form, {}, status);
  const makeValue = () => shapeObject(shape, stored.parse()).value;
  return { status, headers: { 'content-type': form.mediaType }, body, makeValue };
}

/** An object as the client wants to see it; `shown` is what differs where it is of another kind than the resource. */
export function answerShown(
  call: Call,
  object: ApiObject,
  form: Representation,
  shown: Partial<Pick<ResourceDefinition, 'type' | 'columns'>>,
  status = 200,
): ApiResponse {
  if (form.as === 'PartialObjectMetadataList') throw isNoList(call.resource.definition, shown.type, object);
  const shape = shapeOf(call, form);
  const definition = { ...shape.definition, ...shown };
  const { value, type } = shapeObject({ ...shape, definition, table: { ...shape.table, definition } }, object);
  return answerValue(value, type, form, status);
}

/** compat: of a custom resource it is a bare 500 that one object is no list of metadata */
function isNoList(definition: ResourceDefinition, shown: ObjectType | undefined, { kind }: ApiObject): Error {
  const type = shown ?? definition.type;
  if (type.is !== 'struct') return plainError('content is not a list');
  const [, version] = type.home.split('/');
  // compat: what a custom resource shows of another kind has the name of its version
  const name = isBuiltIn(definition.type) ? typeName({ ...definition, type, kind }) : `*${version}.${kind}`;
  return noSuchShape('PartialObjectMetadataList', false, name);
}

/** Any value in the client's format. */
export function answerValue(value: object, type: ObjectType, form: Representation, status = 200): ApiResponse {
  return { status, headers: { 'content-type': form.mediaType }, body: renderValue(value, form, type), value };
}
