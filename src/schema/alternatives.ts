// Which type of a union a value is.

import { isJsonObject } from '../base/json/json.ts';
import type { Alternative, UnionType } from './types.ts';

/** The alternative that takes values of this form. */
export function alternativeFor({ alternatives }: UnionType, value: unknown): Alternative | undefined {
  return alternatives.find(({ type }) => {
    if (type.is === 'list') return Array.isArray(value);
    return type.is === 'struct' ? isJsonObject(value) : typeof value === 'boolean';
  });
}
