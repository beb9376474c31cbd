// The type of a custom resource: metadata as every object has it, and the rest as a schema that a user wrote says.

import type { StructType } from '../types.ts';
import type { Schema } from './schema.ts';

export interface StructuralType {
  readonly is: 'structural';
  /** The group and version that the kind belongs to, such as `example.com/v1`. */
  readonly home: string;
  readonly name: string;
  readonly about: string;
  /** The type of metadata. */
  readonly meta: StructType;
  /** Undefined where nothing is known of the objects: they may hold anything. */
  readonly schema: Schema | undefined;
  /** What lists of it are called; by default its name and the word List. */
  readonly listName?: string;
  /** Given by lists: what they are of. */
  readonly items?: StructuralType;
}
