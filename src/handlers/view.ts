// Subresources that show their parent as an object of another kind: GET, PUT and PATCH of the view.

import type { Representation } from '../codec/accept.ts';
import { decodeObject, type ExpectedKind } from '../codec/decode-object.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import { type ApiObject, withMeta } from '../meta/object.ts';
import { invalid } from '../meta/status.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { update as updateObject } from '../registry/update.ts';
import type { Verb, ViewSubresource } from '../schema/resource.ts';
import { answerValue } from './answer.ts';
import { type Call, readBodyAs, representationOf, withUrlName } from './call.ts';
import { applyPatchTo, readPatch } from './patch.ts';
import { readAtForGet } from './read-at.ts';
import { admittedChange } from './update.ts';
import { type FieldValidation, refuseBody, reportUnknownFields, writeParameters } from './write-parameters.ts';

type ViewHandler = (call: Call, view: ViewSubresource) => Promise<ApiResponse>;

export const viewHandlers: Readonly<Partial<Record<Verb, ViewHandler>>> = { get, update, patch };

async function get(call: Call, view: ViewSubresource): Promise<ApiResponse> {
  const form = representationOf(call);
  const stored = await call.registry.get(call.ref, readAtForGet(call.exchange.query, call.registry));
  return answer(stored, view, form);
}

async function update(call: Call, view: ViewSubresource): Promise<ApiResponse> {
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(call.exchange, call.services.dialect, 'UpdateOptions');
  const body = await readBodyAs(call, view.type);
  const wanted = settle(call, view, body, fieldValidation);
  return write(call, view, form, dryRun, () => wanted);
}

async function patch(call: Call, view: ViewSubresource): Promise<ApiResponse> {
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(call.exchange, call.services.dialect, 'PatchOptions');
  const change = await readPatch(call);
  return write(call, view, form, dryRun, (current) =>
    settle(call, view, applyPatchTo(view.view(current), change, view.type), fieldValidation),
  );
}

/** The parent takes over what the view says; a version in the view must be the parent's. */
async function write(
  call: Call,
  view: ViewSubresource,
  form: Representation,
  dryRun: boolean,
  wanted: (current: ApiObject) => ApiObject,
): Promise<ApiResponse> {
  const change = admittedChange(call, dryRun, (current) => {
    const next = wanted(current as ApiObject);
    const { resourceVersion } = next.metadata;
    return withMeta(view.write(next, current as ApiObject), { resourceVersion });
  });
  const { stored } = await updateObject(call.registry, call.ref, change);
  return answer(stored, view, form);
}

/** A body as an object of the view's kind that is in order. */
function settle(call: Call, view: ViewSubresource, value: unknown, level: FieldValidation): ApiObject {
  const expected = shownKind(view, call.services.dialect);
  const { object, unknownFields } = decodeObject(expected, value);
  reportUnknownFields(call.exchange, unknownFields, level, refuseBody(expected));
  const named = withUrlName(object, call);
  const errors = view.validate?.(named) ?? [];
  const { group, kind } = expected;
  if (errors.length > 0) throw invalid({ group, kind, name: call.ref.name }, errors);
  return named;
}

/** The kind that a subresource speaks of. */
export function shownKind({ shows, type }: Pick<ViewSubresource, 'shows' | 'type'>, dialect: Dialect): ExpectedKind {
  return { ...shows, group: groupName(dialect, shows.group), type };
}

function answer(stored: StoredObject, view: ViewSubresource, form: Representation) {
  return answerValue(view.view(stored.parse()), view.type, form);
}
