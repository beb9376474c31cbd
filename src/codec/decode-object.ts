// Plain values to objects of a known kind.

import { isJsonObject, type JsonObject, type JsonValue, stringifyJson, withSortedKeys } from '../base/json/json.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { formatApiVersion, type GroupVersionKind } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { ApiError, internalError, invalid } from '../meta/status.ts';
import { bareDecoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import { type ObjectType, takesOtherKinds } from '../schema/object-type.ts';
import { type Scheme, saidKind } from '../schema/scheme.ts';
import { unknownFields } from '../schema/unknown-fields.ts';
import { goQuoted } from '../wording/go-format.ts';
import { jsonForm, TypeMismatch } from '../wording/type-mismatch.ts';
import { explainMismatch, type KeyOrder } from '../wording/types/explain-mismatch.ts';

/** A value that is no object of the expected kind: a 400, unless the caller has another answer. */
export class UndecodableError extends ApiError {
  /** What is wrong with it, without saying what it was taken for. */
  readonly why: string;

  constructor(why: string, takenFor?: ExpectedKind, said?: GroupVersionKind) {
    super({ code: 400, reason: 'BadRequest', message: takenFor ? `${cannotBeHandled(takenFor, said)}: ${why}` : why });
    this.why = why;
  }
}

/** A value that can be read, and is of another kind. */
export class OtherKindError extends UndecodableError {}

/** A value that says it is of another version of the expected kind. */
export class OtherVersionError extends UndecodableError {
  readonly said: string;

  constructor(said: string, expected: string) {
    super(otherVersion(said, expected));
    this.said = said;
  }
}

export interface Decoded {
  readonly object: ApiObject;
  /** Paths of fields the schema does not know; they were dropped. */
  readonly unknownFields: readonly string[];
}

export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: ObjectType;
  /** Other versions that an object may say it is of. */
  readonly olderVersions?: readonly string[];
  /** The other kinds that an object may say it is of, for messages. */
  readonly scheme?: Scheme | undefined;
  /** Why an object of the kind cannot be read although its fields are of their types; undefined where it can. */
  readonly unreadable?: ((object: ApiObject) => string | undefined) | undefined;
  /** A body in the spelling of the dialect, where others are understood too. */
  spelled?(value: JsonObject): JsonObject;
}

export interface DecodeOptions {
  /** The decoded object that the value was made from, if any. */
  readonly known?: ApiObject | undefined;
  /** Whether the value was made by an apply: what it sets to null is null, not left out. */
  readonly isMerged?: boolean;
  /** Whether the value is what a patch made of an object, and not the body of a request. */
  readonly isPatched?: boolean;
  /** Whether only a part of the object is written, so that what it says about itself does not count. */
  readonly isPart?: boolean;
  /** The name in the URL: an object of another name is refused for that, whatever it says it is. */
  readonly urlName?: string;
}

/** Throws when the value is of another kind or a field is of the wrong type. */
export function decodeObject(expected: ExpectedKind, given: unknown, options: DecodeOptions = {}): Decoded {
  const begun = begin(expected, given, options);
  const { value, context } = begun;
  const object = decodeFields(expected, begun, options);
  return { object, unknownFields: unknownIn(expected, value, context) };
}

interface Begun {
  readonly value: unknown;
  readonly context: DecodeContext;
}

function begin(expected: ExpectedKind, given: unknown, options: DecodeOptions): Begun {
  if (given === null) return begin(expected, {}, options);
  const problem = typeMetaProblem(given);
  if (problem !== undefined) throw new UndecodableError(problem);
  const value = expected.spelled?.(given as JsonObject) ?? given;
  const apiVersion = formatApiVersion(expected);
  checkKind(expected, apiVersion, value as JsonObject, options);
  return { value, context: new DecodeContext({ kind: expected.kind, apiVersion }, options.isMerged) };
}

function unknownIn({ type }: ExpectedKind, value: unknown, { metUnknown }: DecodeContext): readonly string[] {
  return metUnknown ? unknownFields(type, value, typeMeta) : noFields;
}

/** What keeps a value from being an object of any kind; undefined for nothing. */
export function typeMetaProblem(value: unknown): string | undefined {
  const problem = formProblem(value);
  if (problem !== undefined) return `couldn't get version/kind; json parse error: json: cannot unmarshal ${problem}`;
  const apiVersion = (value as { apiVersion?: string | null } | null)?.apiVersion ?? '';
  const isOdd = apiVersion.indexOf('/') !== apiVersion.lastIndexOf('/');
  return isOdd ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

function formProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) return `${jsonForm(value)} into Go value of type ${versionKind}`;
  const odd = isText(value['apiVersion']) ? 'kind' : 'apiVersion';
  if (isText(value[odd])) return undefined;
  return `${jsonForm(value[odd])} into Go struct field .${odd} of type string`;
}

const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';

/** compat: messages name types as the reference implementation's language does */
const versionKind =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
const noFields: readonly string[] = [];

/** How messages about a body begin. */
export function cannotBeHandled(expected: ExpectedKind, said: GroupVersionKind = expected): string {
  return `${said.kind} in version ${goQuoted(said.version)} cannot be handled as a ${expected.kind}`;
}

function checkKind(expected: ExpectedKind, apiVersion: string, value: JsonObject, options: DecodeOptions): void {
  if (takesOtherKinds(expected.type)) checkStatedKind(expected, apiVersion, value, options);
  else checkGivenKind(expected, apiVersion, value);
}

const otherVersion = (version: unknown, apiVersion: string): string =>
  `the API version in the data (${String(version)}) does not match the expected API version (${apiVersion})`;

/** compat: a body may leave out kind and apiVersion, the URL says them. */
function checkGivenKind(expected: ExpectedKind, apiVersion: string, value: JsonObject): void {
  const { kind, apiVersion: version } = value;
  if (expected.scheme !== undefined) checkSaidKind(expected, expected.scheme, value);
  if (version !== undefined && version !== null && version !== '' && !isAccepted(expected, apiVersion, version))
    throw new OtherVersionError(String(version), apiVersion);
  if (kind !== undefined && kind !== null && kind !== '' && kind !== expected.kind) {
    throw new UndecodableError(
      `${String(kind)} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}`,
    );
  }
}

/** A kind that cannot be read, or is another one; other versions of the same kind are none of this. */
function checkSaidKind(expected: ExpectedKind, scheme: Scheme, value: JsonObject): void {
  const text = (given: unknown) => (typeof given === 'string' ? given : '');
  const [apiVersion, kind] = [text(value['apiVersion']), text(value['kind'])];
  if ((apiVersion === '' || apiVersion === formatApiVersion(expected)) && (kind === '' || kind === expected.kind))
    return;
  const said = saidKind(apiVersion, kind, expected);
  const why = scheme.refusal(said, expected);
  if (why === undefined) return;
  throw scheme.has(said) ? new OtherKindError(why, expected, said) : new UndecodableError(why, expected, said);
}

/** Objects that do not say what they are are none; of another kind or version they are invalid. */
function checkStatedKind(expected: ExpectedKind, apiVersion: string, value: JsonObject, options: DecodeOptions): void {
  const { kind, apiVersion: version } = value;
  const { isPatched = false, isPart = false, urlName = '' } = options;
  if (!kind) throw new UndecodableError(missingKind(textOf(value)));
  if (isPatched && !version) throw internalError(noVersion);
  if (!isPatched && version !== apiVersion) throw new UndecodableError(otherVersion(version ?? '', apiVersion));
  if (isPart || (kind === expected.kind && version === apiVersion)) return;
  const { metadata } = value;
  const name = isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  if (urlName !== '' && name !== urlName) return;
  const errors = [
    ...(kind === expected.kind ? [] : [invalidValue('kind', kind, `must be ${expected.kind}`)]),
    ...(version === apiVersion ? [] : [invalidValue('apiVersion', version ?? '', `must be ${apiVersion}`)]),
  ];
  throw invalid({ group: groupOf(version), kind: String(kind), name }, errors);
}

/** compat: that a patch takes the apiVersion away is told as of an object that cannot be read */
const noVersion = "Object 'apiVersion' is missing in 'object has no apiVersion field'";

const groupOf = (version: unknown): string =>
  typeof version === 'string' && version.includes('/') ? version.slice(0, version.indexOf('/')) : '';

/** Longer texts are not repeated to the client. */
const maxShownLength = 64 * 1024;

export const missingKind = (text: string): string =>
  text.length > maxShownLength ? "Object 'Kind' is missing" : `Object 'Kind' is missing in '${text}'`;

/** An object as text, with its keys in order. */
function textOf(value: JsonValue): string {
  const text = stringifyJson(value);
  return text.length > maxShownLength ? text : stringifyJson(withSortedKeys(value));
}

function isAccepted({ group, olderVersions = [] }: ExpectedKind, apiVersion: string, version: unknown): boolean {
  // what leaves out the version means the expected one
  if (version === apiVersion || version === '/' || version === `${group}/`) return true;
  return olderVersions.some((older) => version === formatApiVersion({ group, version: older }));
}

function decodeFields(expected: ExpectedKind, begun: Begun, options: DecodeOptions): ApiObject {
  const object = decodeTypes(expected, begun, options);
  const why = expected.unreadable?.(object);
  if (why !== undefined) throw new UndecodableError(why, expected);
  return object;
}

function decodeTypes(expected: ExpectedKind, { value, context }: Begun, options: DecodeOptions): ApiObject {
  try {
    return bareDecoderOf(expected.type)(value, context, options.known) as ApiObject;
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const told = explainObject(expected.type, value, options.isPatched ? 'byName' : 'written') ?? error;
    throw new UndecodableError(told.message, expected);
  }
}

/** Custom resources say themselves what is wrong with them. */
function explainObject(type: ObjectType, value: unknown, order: KeyOrder): TypeMismatch | undefined {
  return type.is === 'struct' ? explainMismatch(type, value, order) : undefined;
}
