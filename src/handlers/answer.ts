// Answers that several verbs share.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Representation } from '../codec/accept.ts';
import {
  type IncludeObject,
  partialMetadata,
  renderValue,
  type TableOptions,
  table,
  tableRow,
} from '../codec/render.ts';
import { partialObjectMetadata } from '../groups/meta/v1/types.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import { badRequest } from '../meta/status.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import type { StructType } from '../schema/types.ts';
import type { Call } from './call.ts';

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** One object, in the form the client asked for; its own bytes where that is plain JSON. */
export function answerObject(
  call: Call,
  stored: StoredObject,
  form: Representation,
  status = 200,
): MaybePromise<ApiResponse> {
  if (form.as === 'Object' && form.format === 'json' && !form.pretty)
    return { status, headers: jsonHeaders, body: stored.bytes };
  const { value, type } = shapeObject(call, stored, form);
  return answerValue(value, type, form, status);
}

/** Any value in the client's format. */
export function answerValue(
  value: object,
  type: StructType,
  form: Representation,
  status = 200,
): MaybePromise<ApiResponse> {
  return andThen(renderValue(value, form, type), (body) => ({
    status,
    headers: { 'content-type': form.mediaType },
    body,
  }));
}

/** A value and the type that describes it. */
export interface Shaped {
  readonly value: object;
  readonly type: StructType;
}

/** The object, its metadata or a table of one row. */
export function shapeObject(call: Call, stored: StoredObject, form: Representation, withColumns = true): Shaped {
  const object = stored.parse();
  const { type } = call.resource.definition;
  switch (form.as) {
    case 'Object':
      return { value: object, type };
    case 'PartialObjectMetadata':
      return { value: partialMetadata(object, call.services.dialect, form.version), type: partialObjectMetadata };
    case 'Table': {
      const options = tableOptions(call, form);
      const { resourceVersion } = object.metadata;
      return {
        value: table([tableRow(object, options)], resourceVersion ? { resourceVersion } : {}, options, withColumns),
        type,
      };
    }
  }
}

const includes: readonly string[] = ['None', 'Metadata', 'Object'];

export function tableOptions(call: Call, form: Representation): TableOptions {
  const include = call.exchange.query.get('includeObject') || 'Metadata';
  if (!includes.includes(include)) {
    throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`);
  }
  const { definition, context } = call.registry;
  return { definition, context, version: form.version, include: include as IncludeObject };
}
