// Subresources that show their parent as an object of another kind: GET, PUT and PATCH of the view.

import { checkConfiguration } from '../../apply/field-manager.ts';
import { parentManagers, viewManagers } from '../../apply/merge/view-managers.ts';
import { objectTopology } from '../../apply/typed/object-topology.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Representation } from '../../codec/accept.ts';
import { decodeObject, type ExpectedKind } from '../../codec/decode-object.ts';
import { type Parsed, strictErrors } from '../../codec/strict.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import type { ApiResponse } from '../../meta/exchange.ts';
import { type ApiObject, withMeta } from '../../meta/object.ts';
import { conflict, invalid } from '../../meta/status.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { checkUid, otherUid, update as updateObject } from '../../registry/update.ts';
import type { Scheme } from '../../schema/scheme.ts';
import type { ActionSubresource, ViewSubresource } from '../../schema/subresource.ts';
import type { Verb } from '../../schema/verbs.ts';
import { answerShown } from '../answer.ts';
import type { Call } from '../call.ts';
import { readAtForGet } from '../read-at.ts';
import { representationOf } from '../representation.ts';
import { mergeConfiguration, misfitRefusal, viewFieldOf, withOwners } from './field-management.ts';
import { applyTo, asPatch, checkPatchIntegers, refusePatch } from './patch.ts';
import { patchTypeOf, strategicPatch } from './patch-type.ts';
import { readBodyAs } from './read-object.ts';
import { type Patch, readPatch } from './read-patch.ts';
import { configOf, reportRepeated } from './server-side-apply.ts';
import { unversioned } from './unversioned-object.ts';
import { admittedChange } from './update.ts';
import { checkUrlName, inScope } from './url-match.ts';
import { type FieldValidation, refuseBody, reportStrictErrors, writeParameters } from './write-parameters.ts';

type ViewHandler = (call: Call, view: ViewSubresource) => Promise<ApiResponse>;

export const viewHandlers: Readonly<Partial<Record<Verb, ViewHandler>>> = { get, update, patch };

async function get(call: Call, view: ViewSubresource): Promise<ApiResponse> {
  const form = representationOf(call);
  const stored = await call.registry.get(call.ref, readAtForGet(call));
  view.demandShown?.(stored.parse());
  return answer(call, stored, view, form);
}

async function update(call: Call, view: ViewSubresource): Promise<ApiResponse> {
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(call.exchange, call.services.dialect, 'UpdateOptions');
  const parsed = await readBodyAs(call, view.type);
  const refuse = refuseBody(shownKind(view, call.services.dialect));
  const wanted = decodeView(call, view, { value: parsed.value, parsed, level: fieldValidation, refuse });
  call.exchange.audit?.captureRequest(wanted, wanted.metadata);
  const options = { dryRun, expectedUid: wanted.metadata.uid };
  return write(call, view, form, options, (current) => takeOver(call, view, wanted, current));
}

async function patch(call: Call, view: ViewSubresource): Promise<ApiResponse> {
  const type = patchTypeOf(call);
  const form = representationOf(call);
  const change = await readPatch(call, type);
  if (change.change === undefined) return apply(call, view, form, change);
  const { dryRun } = change;
  return write(call, view, form, { dryRun }, (current) => patchView(call, view, change, current));
}

function patchView(call: Call, view: ViewSubresource, change: Patch, current: ApiObject): MaybePromise<ApiObject> {
  const { parsed, fieldValidation: level } = change;
  const live = shownLive(call, view, current);
  const value = applyTo(call, live, change, view.type);
  const made = { live, wanted: change, result: value, type: view.type };
  checkPatchIntegers(call, made);
  const refuse = refusePatch(call, made);
  const bare = change.mediaType === strategicPatch ? undefined : unversioned(view.type, value);
  const given = { value: bare?.value ?? value, parsed, level, refuse, unknownFields: bare?.unknownFields };
  const shown = asPatch(call, () => decodeView(call, view, given), made);
  return takeOver(call, view, shown, current);
}

/** Server-side apply: what the view says is what its manager wants of the parent. */
async function apply(call: Call, view: ViewSubresource, form: Representation, wanted: Patch): Promise<ApiResponse> {
  const kind = shownKind(view, call.services.dialect);
  const config = configOf(call, kind, wanted);
  checkConfiguration(objectTopology(view.type), config, misfitRefusal(call.services.dialect));
  const next = (current: ApiObject) => applyView(call, view, { wanted, config }, current);
  return write(call, view, form, { dryRun: wanted.dryRun }, next);
}

interface Configuration {
  readonly wanted: Patch;
  readonly config: JsonObject;
}

async function applyView(
  call: Call,
  view: ViewSubresource,
  { wanted, config }: Configuration,
  current: ApiObject,
): Promise<ApiObject> {
  const merged = await mergeConfiguration(call, shownLive(call, view, current), config, wanted.force);
  reportRepeated(call, wanted);
  const { object } = decodeObject(shownKind(view, call.services.dialect), merged);
  const shown = inScope(object, call.ref.namespace);
  checkUrlName(shown, call);
  checkView(call, view, shown);
  return writeBack(call, view, shown, current);
}

/** The parent takes over what the view says; a version and a uid in the view must be the parent's. */
function takeOver(call: Call, view: ViewSubresource, shown: ApiObject, current: ApiObject): MaybePromise<ApiObject> {
  const owned = withOwners(call, shown, shownLive(call, view, current), 'none');
  return andThen(owned, (object) => writeBack(call, view, object, current));
}

/** What a write through the view changes, with those who own it. */
function shownLive(call: Call, view: ViewSubresource, current: ApiObject): ApiObject {
  const managedFields = viewManagers(current.metadata.managedFields, viewFieldOf(call, view));
  return withMeta((view.patched ?? view.view)(current), { managedFields });
}

function writeBack(call: Call, view: ViewSubresource, shown: ApiObject, current: ApiObject): ApiObject {
  checkViewUid(call, shown, current);
  const changed = { parent: current.metadata.managedFields, view: shown.metadata.managedFields };
  const managedFields = parentManagers(changed, viewFieldOf(call, view));
  return withMeta(view.write(shown, current), { resourceVersion: versionOf(shown, current), managedFields });
}

/** compat: a patch of another object is refused in the name of the view, an update in that of its parent. */
function checkViewUid(call: Call, { metadata: { uid } }: ApiObject, current: ApiObject): void {
  if (call.exchange.info.verb !== 'patch') {
    checkUid(call.registry, uid, current);
    return;
  }
  if (uid === undefined || uid === current.metadata.uid) return;
  const subject = call.registry.subject(call.ref.name);
  const view = { ...subject, resource: `${subject.resource}/${call.subresource?.name}` };
  throw conflict(view, otherUid(uid, current.metadata.uid));
}

/** A view that names no version is about the one that there is. */
const versionOf = ({ metadata }: ApiObject, current: ApiObject) =>
  metadata.resourceVersion || current.metadata.resourceVersion;

async function write(
  call: Call,
  view: ViewSubresource,
  form: Representation,
  { dryRun, expectedUid }: { readonly dryRun: boolean; readonly expectedUid?: string | undefined },
  next: (current: ApiObject) => MaybePromise<ApiObject>,
): Promise<ApiResponse> {
  const change = admittedChange(call, dryRun, (current) => next(current as ApiObject));
  const { stored } = await updateObject(call.registry, call.ref, { ...change, expectedUid });
  return answer(call, stored, view, form);
}

interface Shown {
  readonly value: unknown;
  /** The text it came from, and what to do about what strict decoding finds there. */
  readonly parsed: Parsed;
  readonly level: FieldValidation;
  readonly refuse: (text: string) => Error;
  /** Unknown fields besides those of the value. */
  readonly unknownFields?: readonly string[] | undefined;
}

/** A body as an object of the view's kind that is in order. */
function decodeView(
  call: Call,
  view: ViewSubresource,
  { value, parsed, level, refuse, unknownFields: others = [] }: Shown,
): ApiObject {
  const expected = shownKind(view, call.services.dialect, call.resource.definition.scheme);
  const { object: said, unknownFields } = decodeObject(expected, value);
  reportStrictErrors(call.exchange, strictErrors(parsed, [...unknownFields, ...others]), level, refuse);
  const object = inScope(said, call.ref.namespace);
  checkUrlName(object, call);
  checkView(call, view, object);
  return object;
}

function checkView(call: Call, view: ViewSubresource, object: ApiObject): void {
  const errors = view.validate?.(object) ?? [];
  const { group, kind } = shownKind(view, call.services.dialect);
  if (errors.length > 0) throw invalid({ group, kind, name: call.ref.name }, errors);
}

/** The kind that a subresource speaks of. */
export function shownKind(
  { shows, type, olderVersions = [] }: Pick<ActionSubresource, 'shows' | 'type' | 'olderVersions'>,
  dialect: Dialect,
  scheme?: Scheme,
): ExpectedKind {
  return { ...shows, group: groupName(dialect, shows.group), type, olderVersions, scheme };
}

function answer(call: Call, stored: StoredObject, view: ViewSubresource, form: Representation) {
  return answerShown(call, view.view(stored.parse()), form, { type: view.type, columns: view.columns });
}
