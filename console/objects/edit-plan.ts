// What an edit changes, as requests that touch nothing else: fields to apply, and fields to remove.

import type { Schema } from './schema.ts';
import { itemSchema, listKeys, propertySchema } from './schema.ts';

export type Path = readonly (string | number)[];

type Value = unknown;
type Fields = Record<string, Value>;

export interface EditPlan {
  /** The changed fields with what identifies them, for server-side apply; undefined without any. */
  readonly applied: Fields | undefined;
  /** Paths in the original object, the last ones first. */
  readonly removed: readonly Path[];
}

const isFields = (value: Value): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function planEdit(original: Fields, edited: Fields, schema: Schema | undefined): EditPlan {
  const removed: Path[] = [];
  const applied = changesOf(original, edited, schema, [], removed);
  return { applied: applied as Fields | undefined, removed: removed.reverse() };
}

/** The part of `edited` that differs; undefined where nothing does. */
function changesOf(before: Value, after: Value, schema: Schema | undefined, path: Path, removed: Path[]): Value {
  if (isSame(before, after)) return undefined;
  if (isFields(before) && isFields(after)) return changedFields(before, after, schema, path, removed);
  const keys = listKeys(schema);
  if (Array.isArray(before) && Array.isArray(after) && keys !== undefined)
    return changedItems(before, after, { schema, keys, path, removed });
  return after;
}

function changedFields(before: Fields, after: Fields, schema: Schema | undefined, path: Path, removed: Path[]): Value {
  const changed = new Map<string, Value>();
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) removed.push([...path, name]);
  for (const [name, value] of Object.entries(after)) {
    const part = Object.hasOwn(before, name)
      ? changesOf(before[name], value, propertySchema(schema, name), [...path, name], removed)
      : value;
    if (part !== undefined) changed.set(name, part);
  }
  return changed.size === 0 ? undefined : Object.fromEntries(changed);
}

interface ItemContext {
  readonly schema: Schema | undefined;
  readonly keys: readonly string[];
  readonly path: Path;
  readonly removed: Path[];
}

/** Items with equal keys are one item: only what differs in it is applied, with its keys. */
function changedItems(before: Value[], after: Value[], { schema, keys, path, removed }: ItemContext): Value {
  const identity = (item: Value) => JSON.stringify(keys.map((key) => (isFields(item) ? (item[key] ?? null) : null)));
  const kept = new Set(after.map(identity));
  before.forEach((item, index) => {
    if (!kept.has(identity(item))) removed.push([...path, index]);
  });
  const changed: Value[] = [];
  for (const item of after) {
    const index = before.findIndex((one) => identity(one) === identity(item));
    const part = index < 0 ? item : changesOf(before[index], item, itemSchema(schema), [...path, index], removed);
    if (part === undefined) continue;
    const named = isFields(item) ? keys.flatMap((key) => (key in item ? [[key, item[key]]] : [])) : [];
    changed.push(isFields(part) ? { ...Object.fromEntries(named as [string, Value][]), ...part } : part);
  }
  return changed.length === 0 ? undefined : changed;
}

function isSame(a: Value, b: Value): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isFields(a) || !isFields(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

/** A JSON patch that removes fields of one version of the object. */
export function removalPatch(removed: readonly Path[], resourceVersion: string): readonly object[] {
  const pointer = (path: Path) =>
    path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const test = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
  return [test, ...removed.map((path) => ({ op: 'remove', path: pointer(path) }))];
}

/** What is left of fields to apply without one that is in conflict, by the server's name for it. */
export function withoutField(fields: Fields, field: string): Fields {
  const copy = structuredClone(fields);
  drop(copy, stepsOf(field));
  return copy;
}

type Step = { readonly name: string } | { readonly keys: Fields };

/** `.spec.containers[name="web"].image` in steps. */
function stepsOf(field: string): readonly Step[] {
  return [...field.matchAll(/\.([^.[]+)|\[([^\]]*)\]/g)].map(([, name, keys]) =>
    name !== undefined ? { name } : { keys: keysOf(keys ?? '') },
  );
}

const keysOf = (text: string): Fields =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(([, name = '', value = '""']) => [
      name,
      JSON.parse(value),
    ]),
  );

function drop(value: Value, [step, ...more]: readonly Step[]): void {
  if (step === undefined) return;
  if ('name' in step) {
    if (!isFields(value)) return;
    if (more.length === 0) delete value[step.name];
    else drop(value[step.name], more);
    return;
  }
  if (!Array.isArray(value)) return;
  const at = value.findIndex(
    (item) => isFields(item) && Object.entries(step.keys).every(([name, one]) => item[name] === one),
  );
  if (at < 0) return;
  if (more.length === 0) value.splice(at, 1);
  else drop(value[at], more);
}

/** The part of an object that a manager has applied before: what is missing in its next apply is removed. */
export function ownedPart(value: Value, tree: Readonly<Record<string, unknown>>): Value {
  const names = Object.keys(tree).filter((key) => key !== '.');
  if (names.length === 0) return value;
  if (isFields(value)) {
    const parts = names.flatMap((key) => {
      const name = key.slice(2);
      return key.startsWith('f:') && Object.hasOwn(value, name)
        ? [[name, ownedPart(value[name], subtree(tree, key))] as const]
        : [];
    });
    return Object.fromEntries(parts);
  }
  if (!Array.isArray(value)) return value;
  return value.flatMap((item) => {
    const key = names.find((one) => identifies(one, item));
    return key === undefined ? [] : [ownedPart(item, subtree(tree, key))];
  });
}

const subtree = (tree: Readonly<Record<string, unknown>>, key: string) =>
  tree[key] as Readonly<Record<string, unknown>>;

function identifies(key: string, item: Value): boolean {
  const named: unknown = JSON.parse(key.slice(2) || 'null');
  if (key.startsWith('v:')) return isSame(named, item);
  return (
    key.startsWith('k:') &&
    isFields(item) &&
    Object.entries(named as Fields).every(([name, value]) => (item[name] ?? value) === value)
  );
}

/** Both parts of one object; `second` wins. */
export function mergeParts(first: Value, second: Value, schema: Schema | undefined): Value {
  if (second === undefined) return first;
  if (isFields(first) && isFields(second)) {
    const merged = new Map(Object.entries(first));
    for (const [name, value] of Object.entries(second))
      merged.set(name, mergeParts(merged.get(name), value, propertySchema(schema, name)));
    return Object.fromEntries(merged);
  }
  const keys = listKeys(schema);
  if (!Array.isArray(first) || !Array.isArray(second) || keys === undefined) return second;
  const identity = (item: Value) => JSON.stringify(keys.map((key) => (isFields(item) ? (item[key] ?? null) : null)));
  const others = second.filter((item) => !first.some((one) => identity(one) === identity(item)));
  const merged = first.map((item) =>
    mergeParts(
      item,
      second.find((one) => identity(one) === identity(item)),
      itemSchema(schema),
    ),
  );
  return [...merged, ...others];
}
