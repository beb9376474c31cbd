// What the server knows about a resource: data for every interpreter, plus a strategy where a kind has
// behaviour of its own. Shared code reads these answers and never asks which kind it has.

import type { Clock } from '../base/clock.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { NameCheck } from '../meta/names.ts';
import type { ApiObject } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import type { StructType } from './types.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

export interface StrategyContext {
  readonly dialect: Dialect;
  readonly clock: Clock;
}

/**
 * Hooks of one kind. Each gets decoded, defaulted objects and returns a new one, or what is wrong.
 * Order on create: defaults, admission, prepareForCreate, validate. On update: defaults, admission,
 * prepareForUpdate, validateUpdate. None may do I/O.
 */
export interface Strategy {
  /** Defaults that depend on other fields; also run on every write. */
  defaults?(object: ApiObject, context: StrategyContext): ApiObject;
  /** Clears what a client may not set and fills what the server owns. */
  prepareForCreate?(object: ApiObject, context: StrategyContext): ApiObject;
  prepareForUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): ApiObject;
  validate?(object: ApiObject, context: StrategyContext): readonly FieldError[];
  /** Runs besides `validate`. */
  validateUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): readonly FieldError[];
  /** What else changes when deletion begins on an object that cannot go at once. */
  beginDeletion?(object: ApiObject, context: StrategyContext): ApiObject;
  /** Whether something beyond metadata.finalizers still holds a terminating object. */
  isHeld?(object: ApiObject): boolean;
}

/** A subresource that reads and writes a part of its parent. */
export interface SubresourceDefinition {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Keeps of `next` what this subresource may change, everything else from `old`. */
  merge(next: ApiObject, old: ApiObject): ApiObject;
  validateUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): readonly FieldError[];
}

/** One column of the table form. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly about: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  cell(object: ApiObject, context: StrategyContext): unknown;
}

export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly Verb[];
  readonly type: StructType;
  /** Where objects are kept below the root of the store. */
  readonly storagePrefix: string;
  /** Hash of the storage version, as discovery shows it. */
  readonly storageVersionHash: string;
  readonly checkName: NameCheck;
  /** Objects that may not be deleted. */
  protectedNames?(dialect: Dialect): readonly string[];
  /** compat: a delete answers with the object instead of a Status. */
  readonly returnsDeleted?: true;
  /** Changes of these top-level fields do not count as a new generation; undefined: no generation is kept. */
  readonly generationIgnores?: readonly string[];
  /** compat: PUT to a missing name creates it. */
  readonly createOnUpdate?: true;
  /** Objects end by themselves, some time after they were last written. */
  readonly expires?: true;
  /** compat: PUT without a resourceVersion is refused. */
  readonly conditionalUpdateOnly?: true;
  /** Field selectors besides metadata.name and metadata.namespace, and how to read them. */
  readonly selectableFields?: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Columns of the table form; undefined gives the default two. */
  readonly columns?: readonly Column[];
  readonly subresources?: readonly SubresourceDefinition[];
  readonly strategy?: Strategy;
}

/** All resources of one group-version. */
export interface GroupVersionDefinition {
  readonly group: string;
  readonly version: string;
  /** Discovery order: higher comes first. */
  readonly priority: { readonly group: number; readonly version: number };
  readonly resources: readonly ResourceDefinition[];
}
