// JSON patch (RFC 6902): a list of operations, all or none.

import { isDeepStrictEqual } from 'node:util';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn, stringifyJson } from '../base/json/json.ts';
import { maxJsonDepth } from '../base/json/json-scan.ts';
import { jsonForm } from '../wording/type-mismatch.ts';
import { PatchTooLargeError, PatchWork } from './patch-work.ts';

/** The document is no patch at all. */
export class MalformedPatchError extends Error {}
/** An operation cannot be carried out on this object. */
export class PatchFailedError extends Error {}
/** A test that the patch makes did not hold. */
export class TestFailedError extends PatchFailedError {}

const maxOperations = 10_000;
const maxCopies = 1000;
const maxCopiedBytes = 3 * 1024 * 1024;
const itemsMovedPerUnit = 16;

/** There is nothing that the last part of a path could be in. */
class MissingParentError extends PatchFailedError {
  constructor() {
    super('missing value');
  }
}
/** What the last part of a path names is not there, or cannot be. */
class MemberError extends PatchFailedError {}

interface Operation {
  readonly op: string;
  readonly path: Pointer;
  readonly from: Pointer;
  readonly value?: JsonValue;
}

interface Pointer {
  /** As written. */
  readonly text: string;
  /** Undefined without a slash: there is no such place in any document. */
  readonly parts: readonly string[] | undefined;
  /** The error of an invalid pointer; reported once the pointer is used. */
  readonly unusable?: string;
}

/** The patched document; it shares with the old one what no operation touched. */
export function applyJsonPatch(target: JsonValue, patch: JsonValue, work = new PatchWork()): JsonValue {
  return applyDecoded(target, decodeOperations(patch), work);
}

/** As `applyJsonPatch`, of operations whose members may be of any type. */
export function applyDecoded(
  target: JsonValue,
  decoded: readonly (JsonObject | null)[],
  work = new PatchWork(),
): JsonValue {
  const draft = new Draft(target, work);
  for (const operation of parseOperations(decoded)) applyOne(draft, operation);
  return draft.document;
}

/** What keeps a value from being a list of operations, in the words of the reference implementation; undefined for nothing. */
export function patchProblem(patch: JsonValue): string | undefined {
  if (patch === null) return undefined;
  if (!Array.isArray(patch)) return cannotRead(patch, 'value of type jsonpatch.Patch');
  const nonObject = patch.find((entry) => entry !== null && !isJsonObject(entry));
  return nonObject === undefined ? undefined : cannotRead(nonObject, 'value of type jsonpatch.Operation');
}

/** Operations of a request, which are held to the types of their members. */
function decodeOperations(patch: JsonValue): readonly (JsonObject | null)[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw malformed(patch, 'value of type []handlers.jsonPatchOp');
  for (const entry of patch) checkOperation(entry);
  return patch as readonly (JsonObject | null)[];
}

function checkOperation(entry: JsonValue): void {
  if (entry !== null && !isJsonObject(entry)) throw malformed(entry, 'value of type handlers.jsonPatchOp');
  const operation = entry ?? {};
  const nonText = ['op', 'path', 'from'].find((name) => typeof (getOwn(operation, name) ?? '') !== 'string');
  if (nonText !== undefined)
    throw malformed(operation[nonText] ?? null, `struct field jsonPatchOp.${nonText} of type string`);
}

function parseOperations(patch: readonly (JsonObject | null)[]): readonly Operation[] {
  if (patch.length > maxOperations) {
    throw new PatchTooLargeError(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  const operations = patch.map(parseOperation);
  if (operations.filter(({ op }) => op === 'copy').length > maxCopies) {
    throw new PatchTooLargeError(`The allowed maximum copies in a JSON patch is ${maxCopies}`);
  }
  return operations;
}

function parseOperation(entry: JsonObject | null): Operation {
  const { op, path, from, value } = entry ?? ({} as JsonObject);
  return {
    op: typeof op === 'string' ? op : 'unknown',
    path: pointerIn(path, 'operation missing path field'),
    from: pointerIn(from, 'operation, missing from field'),
    ...(value === undefined ? {} : { value }),
  };
}

function pointerIn(value: JsonValue | undefined, missing: string): Pointer {
  if (typeof value === 'string') return parsePointer(value);
  const unusable = value == null ? `${missing}: missing value` : cannotRead(value, 'value of type string');
  return { text: '', parts: undefined, unusable };
}

const malformed = (value: JsonValue, place: string): MalformedPatchError =>
  new MalformedPatchError(`error decoding patch: ${cannotRead(value, place)}`);

/** compat: messages name types as the reference implementation's language does */
const cannotRead = (value: JsonValue, place: string): string =>
  `json: cannot unmarshal ${jsonForm(value)} into Go ${place}`;

/** compat: what stands before the first slash of a pointer is not looked at */
function parsePointer(text: string): Pointer {
  if (text === '') return { text, parts: [] };
  const start = text.indexOf('/');
  if (start < 0) return { text, parts: undefined };
  const parts = text.slice(start + 1).split('/', mostParts + 1);
  if (parts.length > mostParts) return { text, parts: undefined };
  return { text, parts: text.includes('~') ? parts.map(unescaped) : parts };
}

/** No document is so deep: the stack would not last for writing it. */
const mostParts = 20_000;

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** The path in the patched document of a value in the patch, if it is copied there; `path` is its path in the patch. */
export function targetIn(
  patch: JsonValue,
  path: readonly (string | number)[],
): readonly (string | number)[] | undefined {
  const [index, member, ...rest] = path;
  const operation = Array.isArray(patch) ? patch[index as number] : undefined;
  if (member !== 'value' || !isJsonObject(operation)) return undefined;
  const { op, path: pointer } = operation;
  if (typeof pointer !== 'string') return undefined;
  const { parts } = parsePointer(pointer);
  return parts && (op === 'add' || op === 'replace') ? [...parts, ...rest] : undefined;
}

function applyOne(draft: Draft, { op, path, from, value = null }: Operation): void {
  switch (op) {
    case 'add':
      actAt(path, (parts) => draft.add(parts, value), words('add', '"'));
      break;
    case 'remove':
      actAt(path, (parts) => draft.remove(parts), words('remove', '"'));
      break;
    case 'replace':
      actAt(path, (parts) => draft.replace(parts, value), replaceWords);
      break;
    case 'move': {
      const moved = actAt(from, (parts) => draft.taken(parts), fromWords('move'));
      actAt(path, (parts) => draft.add(parts, moved), toWords('move'));
      break;
    }
    case 'copy': {
      const copied = actAt(from, (parts) => draft.copied(parts), fromWords('copy'));
      actAt(path, (parts) => draft.add(parts, copied), toWords('copy'));
      break;
    }
    case 'test':
      if (actAt(path, (parts) => isDeepStrictEqual(readMember(draft.document, parts), value), testWords)) break;
      throw new TestFailedError(`testing value ${path.text} failed: test failed`);
    default:
      throw new PatchFailedError(`Unexpected kind: ${op}`);
  }
}

/** Error texts for an invalid pointer, for a missing place, and for a member of it. */
interface FailureWords {
  readonly unusable: (why: string) => string;
  readonly missing: (pointer: string) => string;
  readonly member: (pointer: string) => string;
}

const words = (op: string, quote: string): FailureWords => ({
  // compat: additions and removals do not say what is wrong with a pointer
  unusable: () => `${op} operation failed to decode path: missing value`,
  missing: (pointer) => `${op} operation does not apply: doc is missing path: ${quote}${pointer}${quote}`,
  member: (pointer) => `error in ${op} for path: '${pointer}'`,
});
const replaceWords: FailureWords = {
  ...words('replace', ''),
  unusable: (why) => `replace operation failed to decode path: ${why}`,
  member: (pointer) => `replace operation does not apply: doc is missing key: ${pointer}`,
};
const fromWords = (op: string): FailureWords => ({
  unusable: (why) => `${op} operation failed to decode from: ${why}`,
  missing: (pointer) => `${op} operation does not apply: doc is missing from path: ${pointer}`,
  // compat: a move names the last part only
  member: (pointer) =>
    op === 'move' ? `error in move for path: '${lastOf(pointer)}'` : `error in copy for from: '${pointer}'`,
});
const toWords = (op: string): FailureWords => ({
  unusable: (why) => `${op} operation failed to decode path: ${op === 'move' ? why : 'missing value'}`,
  missing: (pointer) => `${op} operation does not apply: doc is missing destination path: ${pointer}`,
  member: (pointer) =>
    op === 'move' ? `error in move for path: '${pointer}'` : 'error while adding value during copy',
});
const testWords: FailureWords = {
  unusable: (why) => `test operation failed to decode path: ${why}`,
  missing: (pointer) => `test operation does not apply: is missing path: ${pointer}`,
  member: (pointer) => `error in test for path: '${pointer}'`,
};

const lastOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Acts on a place of the document; errors of the place get the given texts. */
function actAt<T>({ text, parts, unusable }: Pointer, act: (parts: readonly string[]) => T, words: FailureWords): T {
  const { missing, member } = words;
  if (unusable !== undefined) throw new PatchFailedError(words.unusable(unusable));
  try {
    if (parts === undefined) throw new MissingParentError();
    return act(parts);
  } catch (error) {
    if (error instanceof MissingParentError) throw new PatchFailedError(`${missing(text)}: ${error.message}`);
    if (error instanceof MemberError) throw new PatchFailedError(`${member(text)}: ${error.message}`);
    throw error;
  }
}

/** A document under change. A container is copied before its first change, and only then. */
class Draft {
  document: JsonValue;
  #copyBytesLeft = maxCopiedBytes;
  readonly #own = new Set<JsonValue>();
  readonly #work: PatchWork;

  constructor(document: JsonValue, work: PatchWork) {
    this.document = document;
    this.#work = work;
  }

  add(path: readonly string[], value: JsonValue): void {
    this.#checkDepth(path, value);
    const { parent, last } = this.#parentOf(path);
    if (Array.isArray(parent))
      this.#splice(parent, last === '-' ? parent.length : indexIn(last, parent.length), 0, value);
    else setOwn(parent, last, value);
  }

  /** Removes the value and returns it, for a move. */
  taken(from: readonly string[]): JsonValue {
    const value = readMember(this.document, from);
    this.remove(from);
    return value;
  }

  /** Copies the value. Copies of copies grow without bound, so the total of a patch is limited. */
  copied(from: readonly string[]): JsonValue {
    if (from.length === 0) throw new MissingParentError();
    const value = readMember(this.document, from);
    this.#copyBytesLeft -= stringifyJson(value).length;
    if (this.#copyBytesLeft < 0) throw new PatchFailedError(tooMuchCopied(maxCopiedBytes - this.#copyBytesLeft));
    this.#disown(value);
    return value;
  }

  replace(path: readonly string[], value: JsonValue): void {
    this.#checkDepth(path, value);
    if (path.length === 0) {
      if (typeof value !== 'object' || value === null) throw new PatchFailedError(noDocument);
      this.document = value;
      return;
    }
    const { parent, last } = this.#parentOf(path);
    if (Array.isArray(parent)) parent[existingIndex(last, parent.length - 1)] = value;
    else setOwn(parent, last, value);
  }

  remove(path: readonly string[]): void {
    const { parent, last } = this.#parentOf(path);
    if (Array.isArray(parent)) this.#splice(parent, indexIn(last, parent.length - 1), 1);
    else if (Object.hasOwn(parent, last)) delete parent[last];
    else throw new MemberError(`Unable to remove nonexistent key: ${last}: missing value`);
  }

  /** V8 moves all items behind the place. */
  #splice(list: JsonValue[], at: number, removed: number, ...added: readonly JsonValue[]): void {
    this.#work.spend((list.length - at) / itemsMovedPerUnit);
    list.splice(at, removed, ...added);
  }

  /** Bodies are no deeper, and neither is what patches make. */
  #checkDepth(path: readonly string[], value: JsonValue): void {
    if (!this.#isWithin(value, maxJsonDepth - path.length))
      throw new PatchTooLargeError(`The patched object is nested more than ${maxJsonDepth} levels deep`);
  }

  #isWithin(value: JsonValue, levels: number): boolean {
    if (typeof value !== 'object' || value === null) return true;
    if (levels <= 0) return false;
    const members = Array.isArray(value) ? value : Object.values(value);
    this.#work.spend(1 + members.length);
    return members.every((member) => this.#isWithin(member, levels - 1));
  }

  /** The container that a path ends in, ours to change, and the last part of the path. */
  #parentOf(path: readonly string[]): { parent: JsonValue[] | JsonObject; last: string } {
    if (path.length === 0) throw new MissingParentError();
    this.#work.spend(path.length);
    read(this.document, path.slice(0, -1));
    this.document = this.#owned(this.document);
    let at = this.document;
    for (const part of path.slice(0, -1)) {
      const inner = this.#owned(step(at, part));
      if (Array.isArray(at)) at[indexIn(part, at.length - 1)] = inner;
      else setOwn(at as JsonObject, part, inner);
      at = inner;
    }
    if (typeof at !== 'object' || at === null) throw new MissingParentError();
    return { parent: at, last: path[path.length - 1] as string };
  }

  #owned(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null || this.#own.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    this.#own.add(copy);
    return copy;
  }

  /** From now on the value stands in two places: whichever changes first gets a copy. */
  #disown(value: JsonValue): void {
    if (typeof value !== 'object' || value === null) return;
    this.#own.delete(value);
    for (const member of Array.isArray(value) ? value : Object.values(value)) this.#disown(member);
  }
}

/** compat: the words for a document that is none end in an error that is none */
const noDocument = 'replace operation value must be object or array: %!w(<nil>)';

const tooMuchCopied = (size: number): string =>
  `Unable to complete the copy, the accumulated size increase of copy is ${size}, exceeding the limit ${maxCopiedBytes}`;

function read(document: JsonValue, path: readonly string[]): JsonValue {
  let at: JsonValue = document;
  for (const part of path) at = step(at, part);
  return at;
}

/** A missing member is null; its parent must exist. */
function readMember(document: JsonValue, path: readonly string[]): JsonValue {
  if (path.length === 0) return document;
  const parent = read(document, path.slice(0, -1));
  const last = path[path.length - 1] as string;
  if (Array.isArray(parent)) return parent[indexIn(last, parent.length - 1)] ?? null;
  if (!isJsonObject(parent)) throw new MissingParentError();
  return getOwn(parent, last) ?? null;
}

/** Into a container on the way: whatever is wrong with it, the place is missing. */
function step(container: JsonValue, part: string): JsonValue {
  const inner = Array.isArray(container)
    ? container[placeIn(part, container.length - 1) ?? -1]
    : isJsonObject(container)
      ? getOwn(container, part)
      : undefined;
  if (inner === undefined) throw new MissingParentError();
  return inner;
}

/** Negative indices count from the end. */
function indexIn(part: string, max: number): number {
  const place = placeIn(part, max);
  if (place !== undefined) return place;
  if (!isIndex(part)) throw new MemberError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  throw new MemberError(`Unable to access invalid index: ${Number(part)}: invalid index referenced`);
}

/** compat: a replacement does not say what is wrong with an index */
function existingIndex(part: string, max: number): number {
  const place = placeIn(part, max);
  if (place === undefined) throw new MemberError('missing value');
  return place;
}

const isIndex = (part: string): boolean => /^[+-]?\d{1,9}$/.test(part);

function placeIn(part: string, max: number): number | undefined {
  const parsedIndex = isIndex(part) ? Number(part) : Number.NaN;
  const index = parsedIndex < 0 ? max + 1 + parsedIndex : parsedIndex;
  return index >= 0 && index <= max ? index : undefined;
}
