// Elements in alphabetical order, as managedFields are written.

import { type FieldSet, leaf } from './field-set.ts';

/** The set with elements in alphabetical order. Nodes that are in order stay the same objects. */
export function inOrder(node: FieldSet): FieldSet {
  let last = '';
  let isOrdered = true;
  let changed: Record<string, FieldSet> | undefined;
  for (const key in node) {
    const member = node[key] as FieldSet;
    const next = member === leaf ? leaf : inOrder(member);
    if (next !== member) {
      changed ??= { ...node };
      changed[key] = next;
    }
    if (key < last) isOrdered = false;
    last = key;
  }
  const result = changed ?? node;
  return isOrdered ? result : sorted(result);
}

function sorted(node: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const key of Object.keys(node).sort()) result[key] = node[key] as FieldSet;
  return result;
}
