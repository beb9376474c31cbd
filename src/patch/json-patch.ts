// JSON patch (RFC 6902): a list of operations, all or none.

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonValue, setOwn } from '../base/json.ts';

/** The document is no patch at all. */
export class MalformedPatchError extends Error {}
/** An operation cannot be carried out on this object. */
export class PatchFailedError extends Error {}

const maxOperations = 10_000;
const maxCopies = 1000;
const maxCopiedBytes = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from?: readonly string[];
  readonly value?: JsonValue;
}

export function applyJsonPatch(target: JsonValue, patch: JsonValue): JsonValue {
  const operations = parseOperations(patch);
  let document = structuredClone(target);
  const copies = new CopyBudget();
  for (const operation of operations) document = applyOne(document, operation, copies);
  return document;
}

function parseOperations(patch: JsonValue): Operation[] {
  if (!Array.isArray(patch)) throw new MalformedPatchError('a JSON patch is a list of operations');
  if (patch.length > maxOperations) {
    throw new MalformedPatchError(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  const operations = patch.map(parseOperation);
  if (operations.filter(({ op }) => op === 'copy').length > maxCopies) {
    throw new MalformedPatchError(`The allowed maximum copies in a JSON patch is ${maxCopies}`);
  }
  return operations;
}

function parseOperation(entry: JsonValue): Operation {
  if (!isJsonObject(entry)) throw new MalformedPatchError('an operation of a JSON patch is an object');
  const { op, path, from, value } = entry;
  if (typeof op !== 'string' || typeof path !== 'string') throw new PatchFailedError('an operation needs op and path');
  return {
    op,
    path: parsePointer(path),
    ...(typeof from === 'string' ? { from: parsePointer(from) } : {}),
    ...(value === undefined ? {} : { value }),
  };
}

function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new PatchFailedError(`${JSON.stringify(pointer)} is no JSON pointer`);
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applyOne(document: JsonValue, { op, path, from, value }: Operation, copies: CopyBudget): JsonValue {
  switch (op) {
    case 'add':
      return add(document, path, value ?? null);
    case 'remove':
      return remove(document, path);
    case 'replace':
      return path.length === 0 ? needValue(value, op) : replace(document, path, needValue(value, op));
    case 'move':
      return move(document, needFrom(from), path);
    case 'copy':
      return add(document, path, copies.take(read(document, needFrom(from))));
    case 'test':
      if (!isDeepStrictEqual(readMember(document, path), value ?? null)) {
        throw new PatchFailedError(`testing value /${path.join('/')} failed: test failed`);
      }
      return document;
    default:
      throw new PatchFailedError(`Unexpected kind: ${op}`);
  }
}

/** Copies of copies grow without bound: all of a patch together may not. */
class CopyBudget {
  #left = maxCopiedBytes;

  take(value: JsonValue): JsonValue {
    const text = JSON.stringify(value);
    this.#left -= text.length;
    if (this.#left < 0) throw new PatchFailedError(`the copies of the patch are larger than ${maxCopiedBytes} bytes`);
    return JSON.parse(text) as JsonValue;
  }
}

function move(document: JsonValue, from: readonly string[], path: readonly string[]): JsonValue {
  const value = read(document, from);
  return add(remove(document, from), path, value);
}

function needValue(value: JsonValue | undefined, op: string): JsonValue {
  if (value === undefined) throw new PatchFailedError(`${op} operation needs a value`);
  return value;
}

function needFrom(from: readonly string[] | undefined): readonly string[] {
  if (from === undefined) throw new PatchFailedError('move and copy operations need from');
  return from;
}

/** The container a path ends in, and the last part of the path. */
function parentOf(document: JsonValue, path: readonly string[]): { parent: JsonValue; last: string } {
  return { parent: read(document, path.slice(0, -1)), last: path[path.length - 1] as string };
}

function read(document: JsonValue, path: readonly string[]): JsonValue {
  let at: JsonValue = document;
  for (const part of path) at = step(at, part, path);
  return at;
}

/** A member that is missing is null; what it would be a member of must be there. */
function readMember(document: JsonValue, path: readonly string[]): JsonValue {
  if (path.length === 0) return document;
  const { parent, last } = parentOf(document, path);
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
  const given = /^(0|-?[1-9]\d*)$/.test(part) ? Number(part) : Number.NaN;
  const index = given < 0 ? max + 1 + given : given;
  if (Number.isNaN(index) || index < 0 || index > max) {
    throw new PatchFailedError(`index ${part} is out of bounds of a list of ${list.length}`);
  }
  return index;
}

function add(document: JsonValue, path: readonly string[], value: JsonValue): JsonValue {
  if (path.length === 0) throw new PatchFailedError('the whole document cannot be added');
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent))
    parent.splice(last === '-' ? parent.length : indexIn(parent, last, parent.length), 0, value);
  else if (isJsonObject(parent)) setOwn(parent, last, value);
  else throw new PatchFailedError(`add operation does not apply: doc is missing path: /${path.join('/')}`);
  return document;
}

function replace(document: JsonValue, path: readonly string[], value: JsonValue): JsonValue {
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent)) parent[indexIn(parent, last, parent.length - 1)] = value;
  else if (isJsonObject(parent)) setOwn(parent, last, value);
  else throw new PatchFailedError(`replace operation does not apply: doc is missing path: /${path.join('/')}`);
  return document;
}

function remove(document: JsonValue, path: readonly string[]): JsonValue {
  if (path.length === 0) throw new PatchFailedError('the whole document cannot be removed');
  read(document, path);
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last, parent.length - 1), 1);
  else delete (parent as Record<string, JsonValue>)[last];
  return document;
}
