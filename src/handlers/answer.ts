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
import type { ApiResponse } from '../meta/exchange.ts';
import { badRequest } from '../meta/status.ts';
import type { StoredObject } from '../registry/stored-object.ts';
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
  return answerValue(shapeObject(call, stored, form), form, status);
}

/** Any value in the client's format. */
export function answerValue(value: unknown, form: Representation, status = 200): MaybePromise<ApiResponse> {
  return andThen(renderValue(value, form), (body) => ({ status, headers: { 'content-type': form.mediaType }, body }));
}

/** The object, its metadata or a table of one row. */
export function shapeObject(call: Call, stored: StoredObject, form: Representation): unknown {
  const object = stored.parse();
  switch (form.as) {
    case 'Object':
      return object;
    case 'PartialObjectMetadata':
      return partialMetadata(object, call.services.dialect, form.version);
    case 'Table': {
      const options = tableOptions(call, form);
      const { resourceVersion } = object.metadata;
      return table([tableRow(object, options)], resourceVersion ? { resourceVersion } : {}, options);
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
