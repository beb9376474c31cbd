// Which manager owns which field of an object: metadata.managedFields, matched with the text that an editor shows.

import { type Document, isMap, isScalar, isSeq, type Node } from 'yaml';

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: FieldTree;
}

/** Keys are `f:name`, `k:{…}`, `v:…`, `i:n` and `.`. */
export interface FieldTree {
  readonly [key: string]: FieldTree;
}

/** The owners of the field that begins at an offset of the text. */
export type Owners = ReadonlyMap<number, readonly ManagedFields[]>;

export function ownersByOffset(document: Document, managers: readonly ManagedFields[]): Owners {
  const owners = new Map<number, ManagedFields[]>();
  for (const manager of managers)
    walk(document.contents, manager.fieldsV1 ?? {}, (offset) => {
      const known = owners.get(offset) ?? [];
      if (!known.includes(manager)) owners.set(offset, [...known, manager]);
    });
  return owners;
}

function walk(node: unknown, tree: FieldTree, found: (offset: number) => void): void {
  for (const [key, below] of Object.entries(tree)) {
    const at = childOf(node, key);
    if (at === undefined) continue;
    if (Object.keys(below).length === 0 || '.' in below) found(at.offset);
    walk(at.value, below, found);
  }
}

interface Child {
  readonly offset: number;
  readonly value: unknown;
}

function childOf(node: unknown, key: string): Child | undefined {
  const text = key.slice(2);
  if (key.startsWith('f:') && isMap(node)) {
    const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === text);
    return pair && isScalar(pair.key) ? { offset: pair.key.range?.[0] ?? 0, value: pair.value } : undefined;
  }
  if (!isSeq(node) || !/^[kv]:/.test(key)) return undefined;
  const wanted = parsed(text);
  const item = node.items.find((one) =>
    key.startsWith('k:') ? hasKeys(one, wanted) : isScalar(one) && one.value === wanted,
  );
  return item === undefined ? undefined : { offset: (item as Node).range?.[0] ?? 0, value: item };
}

/** A key that is absent has the default of its field, which the tree names all the same. */
const hasKeys = (item: unknown, keys: unknown) =>
  isMap(item) &&
  Object.entries(keys as Record<string, unknown>).every(
    ([name, value]) => !item.has(name) || item.get(name) === value,
  ) &&
  Object.keys(keys as object).some((name) => item.has(name));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
