// JSON patch (RFC 6902): a list of operations, all or none.

import { isDeepStrictEqual } from 'node:util';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn, stringifyJson } from '../base/json.ts';
import { atOnce, type Steps } from '../base/steps.ts';
import { jsonForm } from '../schema/type-mismatch.ts';

/** The document is no patch at all. */
export class MalformedPatchError extends Error {}
/** An operation cannot be carried out on this object. */
export class PatchFailedError extends Error {}
/** A test that the patch makes did not hold. */
export class TestFailedError extends PatchFailedError {}
/** The patch asks for more work than one request may. */
export class PatchTooLargeError extends Error {}

const maxOperations = 10_000;
const maxCopies = 1000;
const maxCopiedBytes = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from?: readonly string[];
  readonly value?: JsonValue;
}

/** The patched document; it shares with the old one what no operation touched. */
export function applyJsonPatch(target: JsonValue, patch: JsonValue): JsonValue {
  return atOnce(jsonPatching(target, patch));
}

/** The same, operation by operation: an insert at the front of a long list moves all of it. */
export function* jsonPatching(target: JsonValue, patch: JsonValue): Steps<JsonValue> {
  const operations = yield* parseOperations(patch);
  const draft = new Draft(target);
  for (const [index, operation] of operations.entries()) {
    applyOne(draft, operation);
    if (index % operationsAStep === operationsAStep - 1) yield;
  }
  return draft.document;
}

/** At the front of a list of 65,000 so many inserts take half a millisecond. */
const operationsAStep = 16;

function* parseOperations(patch: JsonValue): Steps<Operation[]> {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw malformed(patch, 'value of type []handlers.jsonPatchOp');
  if (patch.length > maxOperations) {
    throw new PatchTooLargeError(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  const operations: Operation[] = [];
  for (const entry of patch) {
    operations.push(parseOperation(entry));
    if (operations.length % 1000 === 0) yield;
  }
  if (operations.filter(({ op }) => op === 'copy').length > maxCopies) {
    throw new PatchTooLargeError(`The allowed maximum copies in a JSON patch is ${maxCopies}`);
  }
  return operations;
}

function parseOperation(entry: JsonValue): Operation {
  if (entry !== null && !isJsonObject(entry)) throw malformed(entry, 'value of type handlers.jsonPatchOp');
  const operation = entry ?? {};
  const odd = ['op', 'path', 'from'].find((name) => typeof (getOwn(operation, name) ?? '') !== 'string');
  if (odd !== undefined) throw malformed(operation[odd] ?? null, `struct field jsonPatchOp.${odd} of type string`);
  const { op, path, from, value } = operation;
  if (typeof op !== 'string' || typeof path !== 'string') throw new PatchFailedError('an operation needs op and path');
  return {
    op,
    path: parsePointer(path),
    ...(typeof from === 'string' ? { from: parsePointer(from) } : {}),
    ...(value === undefined ? {} : { value }),
  };
}

/** compat: messages name types as the reference implementation's language does */
const malformed = (value: JsonValue, place: string): MalformedPatchError =>
  new MalformedPatchError(`error decoding patch: json: cannot unmarshal ${jsonForm(value)} into Go ${place}`);

/** compat: what stands before the first slash of a pointer is not looked at */
function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  const start = pointer.indexOf('/');
  if (start < 0) throw new PatchFailedError(`${JSON.stringify(pointer)} is no JSON pointer`);
  return pointer
    .slice(start + 1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Where a value inside of a patch goes in the patched document, if it goes there; `path` is where it is in the patch. */
export function targetIn(
  patch: JsonValue,
  path: readonly (string | number)[],
): readonly (string | number)[] | undefined {
  const [index, member, ...rest] = path;
  const operation = Array.isArray(patch) ? patch[index as number] : undefined;
  if (member !== 'value' || !isJsonObject(operation)) return undefined;
  const { op, path: pointer } = operation;
  return op === 'add' || op === 'replace' ? [...parsePointer(pointer as string), ...rest] : undefined;
}

function applyOne(draft: Draft, { op, path, from, value }: Operation): void {
  switch (op) {
    case 'add':
      draft.add(path, value ?? null);
      break;
    case 'remove':
      draft.remove(path);
      break;
    case 'replace':
      draft.replace(path, value ?? null);
      break;
    case 'move':
      draft.move(needFrom(from), path);
      break;
    case 'copy':
      draft.copy(needFrom(from), path);
      break;
    case 'test':
      if (!isDeepStrictEqual(readMember(draft.document, path), value ?? null)) {
        throw new TestFailedError(`testing value /${path.join('/')} failed: test failed`);
      }
      break;
    default:
      throw new PatchFailedError(`Unexpected kind: ${op}`);
  }
}

/** A document under change. A container is copied before its first change, and only then. */
class Draft {
  document: JsonValue;
  #copyBytesLeft = maxCopiedBytes;
  readonly #own = new Set<JsonValue>();

  constructor(document: JsonValue) {
    this.document = document;
  }

  add(path: readonly string[], value: JsonValue): void {
    if (path.length === 0) throw new PatchFailedError('the whole document cannot be added');
    const { parent, last } = this.#parentOf(path);
    if (Array.isArray(parent))
      parent.splice(last === '-' ? parent.length : indexIn(parent, last, parent.length), 0, value);
    else setOwn(parent, last, value);
  }

  move(from: readonly string[], path: readonly string[]): void {
    const value = read(this.document, from);
    this.remove(from);
    this.add(path, value);
  }

  /** Copies of copies grow without bound: all of a patch together may not. */
  copy(from: readonly string[], path: readonly string[]): void {
    if (from.length === 0) throw new PatchFailedError('the whole document cannot be copied');
    const value = readMember(this.document, from);
    this.#copyBytesLeft -= stringifyJson(value).length;
    if (this.#copyBytesLeft < 0) {
      throw new PatchFailedError(`the copies of the patch are larger than ${maxCopiedBytes} bytes`);
    }
    this.#disown(value);
    this.add(path, value);
  }

  replace(path: readonly string[], value: JsonValue): void {
    if (path.length === 0) {
      if (typeof value !== 'object' || value === null) throw new PatchFailedError('a document is an object or a list');
      this.document = value;
      return;
    }
    const { parent, last } = this.#parentOf(path);
    if (Array.isArray(parent)) parent[indexIn(parent, last, parent.length - 1)] = value;
    else setOwn(parent, last, value);
  }

  remove(path: readonly string[]): void {
    if (path.length === 0) throw new PatchFailedError('the whole document cannot be removed');
    read(this.document, path);
    const { parent, last } = this.#parentOf(path);
    if (Array.isArray(parent)) parent.splice(indexIn(parent, last, parent.length - 1), 1);
    else delete parent[last];
  }

  /** The container that a path ends in, ours to change, and the last part of the path. */
  #parentOf(path: readonly string[]): { parent: JsonValue[] | JsonObject; last: string } {
    read(this.document, path.slice(0, -1));
    this.document = this.#owned(this.document);
    let at = this.document;
    for (const part of path.slice(0, -1)) {
      const inner = this.#owned(step(at, part, path));
      if (Array.isArray(at)) at[indexIn(at, part, at.length - 1)] = inner;
      else setOwn(at as JsonObject, part, inner);
      at = inner;
    }
    if (typeof at !== 'object' || at === null) {
      throw new PatchFailedError(`operation does not apply: doc is missing path: /${path.join('/')}`);
    }
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

function needFrom(from: readonly string[] | undefined): readonly string[] {
  if (from === undefined) throw new PatchFailedError('move and copy operations need from');
  return from;
}

function read(document: JsonValue, path: readonly string[]): JsonValue {
  let at: JsonValue = document;
  for (const part of path) at = step(at, part, path);
  return at;
}

/** A member that is missing is null; what it would be a member of must be there. */
function readMember(document: JsonValue, path: readonly string[]): JsonValue {
  if (path.length === 0) return document;
  const parent = read(document, path.slice(0, -1));
  const last = path[path.length - 1] as string;
  return isJsonObject(parent) && !Object.hasOwn(parent, last) ? null : step(parent, last, path);
}

function step(container: JsonValue, part: string, path: readonly string[]): JsonValue {
  if (Array.isArray(container)) {
    const item = container[indexIn(container, part, container.length - 1)];
    if (item !== undefined) return item;
  } else if (isJsonObject(container) && Object.hasOwn(container, part)) {
    return container[part] as JsonValue;
  }
  throw new PatchFailedError(`doc is missing path: /${path.join('/')}: missing value`);
}

/** Negative indices count from the end. */
function indexIn(list: readonly JsonValue[], part: string, max: number): number {
  const given = /^[+-]?\d{1,9}$/.test(part) ? Number(part) : Number.NaN;
  const index = given < 0 ? max + 1 + given : given;
  if (Number.isNaN(index) || index < 0 || index > max) {
    throw new PatchFailedError(`index ${part} is out of bounds of a list of ${list.length}`);
  }
  return index;
}
