// Elements in alphabetical order, as managedFields are written.

import { type FieldSet, isEmpty, leaf } from './field-set.ts';

/** The same set with elements in alphabetical order. */
export const inOrder = (node: FieldSet): FieldSet => (isOrdered(node) ? node : sorted(node));

function isOrdered(node: FieldSet): boolean {
  let last = '';
  for (const key in node) {
    if (key < last || !isOrdered(node[key] as FieldSet)) return false;
    last = key;
  }
  return true;
}

function sorted(node: FieldSet): FieldSet {
  if (isEmpty(node)) return leaf;
  const result: Record<string, FieldSet> = {};
  for (const key of Object.keys(node).sort()) result[key] = sorted(node[key] as FieldSet);
  return result;
}
