// What the server knows about a resource: data for every interpreter, plus a strategy where a kind has
// behaviour of its own. Shared code reads these answers and never asks which kind it has.

import type { JsonObject } from '../base/json/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Grant } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { NameCheck } from '../meta/names.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import type { Action } from './action.ts';
import type { Allocator } from './allocator.ts';
import type { Column, RowCondition } from './column.ts';
import type { KindReference } from './kind-reference.ts';
import type { ObjectAccess } from './object-access.ts';
import type { ObjectType } from './object-type.ts';
import type { Scheme } from './scheme.ts';
import type { Strategy, StrategyContext } from './strategy.ts';
import type { SubresourceDefinition } from './subresource.ts';
import type { StructType } from './types.ts';
import type { Verb } from './verbs.ts';

/** Objects that are not stored: they are made for each request. */
export interface Computed {
  /** compat: what one that is not there is called, which need not be the name of the resource */
  readonly missing: string;
  objects(call: ComputedCall): Promise<readonly ApiObject[]>;
}

export interface ComputedCall extends StrategyContext {
  /** The parts of the server that can fail on their own. */
  components(): Promise<readonly ComponentHealth[]>;
}

export interface ComponentHealth {
  readonly name: string;
  /** Undefined while it is healthy. */
  readonly error: string | undefined;
}

/** Objects that are read on behalf of another one. */
export interface Reading {
  /** The field that asks for it. */
  readonly field: string;
  /** Their kind; undefined where it is not known, and could be any. */
  readonly of: { readonly apiVersion?: string; readonly kind?: string } | undefined;
  /** All of them where these are `*`. */
  readonly namespace: string;
  readonly name: string;
  /** What is said to those who may not, after their name. */
  readonly refusal: string;
}

/** How objects of a version that is not stored become objects of the one that is, and back. */
export interface Conversion<Old extends ApiObject = ApiObject, Stored extends ApiObject = ApiObject> {
  toStorage(object: Old, dialect: Dialect): ApiObject;
  fromStorage(object: Stored, dialect: Dialect): ApiObject;
  /** Whether annotations of this version carry fields of the stored one: writes are taken as they come back from it. */
  readonly usesAnnotations?: boolean;
}

/** Conversion between all versions of a kind by another server, which is asked for many objects at once. */
export interface BatchConversion {
  /**
   * The objects in `apiVersion`, in the order given. Throws for all of them when one cannot be converted, and when the request
   * ends for which that is done.
   */
  convert(objects: readonly ApiObject[], apiVersion: string, during?: RequestLife): Promise<readonly ApiObject[]>;
}

/** When a version of a kind stops being a good choice; releases by their minor number. */
export interface Deprecation {
  readonly since: number;
  /** What clients are told, where that is not made of the rest. */
  readonly warning?: string;
  /** The release that no longer has it. */
  readonly removed?: number;
  readonly replacement?: KindReference;
  /** What the specification's table of removed versions advises, where that is something else. */
  readonly listedReplacement?: KindReference | string;
}

/** What keeps an object from being deleted. */
interface Undeletable {
  /** Who refuses: admission, or the handler, which a delete of a whole collection passes by. */
  readonly at: 'admission' | 'request';
  readonly because: string;
}

/** What is special about deleting objects of a kind. */
interface DeletionRules {
  /** Why the object of that name cannot be deleted, where it cannot. */
  refusal?(name: string, dialect: Dialect): Undeletable | undefined;
  /** What becomes of dependents when a delete does not say: they go too, unless they are orphaned or ignored. */
  readonly dependents?: 'orphaned' | 'ignored';
  /** Told to clients that do not say what becomes of dependents. */
  readonly warning?: string;
  /** Finalizer, below the label domain, that holds an object while others use it. */
  readonly heldInUse?: string;
}

/** Rows of the table form. */
interface RowRules<T extends ApiObject> {
  /** What a table says of a whole row: that it is about something finished. */
  conditions?(object: T): readonly RowCondition[];
  /** The order of rows in a table of several; without it they are in order of names. */
  compare?(a: T, b: T): number;
  /** compat: a table of none has null instead of an empty list of rows */
  readonly noneIsNull?: true;
  /** compat: every event of a watch says what the columns are, not only the first one */
  readonly repeatsColumns?: true;
}

/** What clients rely on of some kinds, and would not expect by their other rules. */
interface Quirks {
  /** compat: a delete answers with the object instead of a Status. */
  readonly returnsDeleted?: true;
  // compat: a change of annotations is a new generation too.
  // compat: a change of labels counts as a new generation too.
  readonly generationFollows?: 'annotations' | 'labels';
  /** compat: a new object has no generation, its first change gives it one. */
  readonly generationBegins?: 'later';
  /** compat: a change of a field that is dropped because its feature is off counts as a new generation. */
  readonly generationCountsOff?: true;
  /** compat: a list or map that is given empty where there was none counts as a new generation. */
  readonly generationCountsEmpty?: true;
  /** compat: finalizers may have names without a domain, as those of definitions and of custom resources do */
  readonly plainFinalizers?: true;
  /** compat: what a custom resource does not have is refused by its name */
  readonly refusesByName?: true;
  /** compat: preconditions of a delete that do not hold are told with the name of the resource, not of the kind */
  readonly preconditionsByResource?: true;
  /** compat: a field that cannot be selected by is refused with the name of the kind, or of its version as well */
  readonly refusesFields?: 'ofKind' | 'ofVersion';
  /** compat: an annotation that stands for a field is shown with the whole object only */
  readonly annotationOfField?: string;
  /** compat: messages name the type as one of this group */
  readonly typeOfGroup?: string;
  /** compat: an object without any name gets one of its own */
  readonly namesItself?: true;
  /** compat: fields that an object in which nothing is set has besides those that are always written */
  readonly emptyFields?: Readonly<Record<string, JsonObject>>;
  /** compat: PUT to a missing name creates it. */
  readonly createOnUpdate?: true;
  /** compat: PUT without a resourceVersion is refused. */
  readonly conditionalUpdateOnly?: true;
  /** compat: what the creator says about status is kept, although there is a subresource for it. */
  readonly statusComesWithCreate?: true;
}

/** A kind, wherever it is served. */
export interface KindDefinition<T extends ApiObject = ApiObject> {
  readonly kind: string;
  /** The kind of lists; by default the kind and the word List. */
  readonly listKind?: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly Verb[];
  readonly type: StructType;
  /** The same kind as a dialect has it, where dialects differ. */
  inDialect?(dialect: Dialect): KindDefinition<T>;
  /** A body whose fields are spelled as another dialect does becomes one that is spelled as this one does. */
  spelled?(value: JsonObject): JsonObject;
  /** Where objects are kept below the root of the store; the plural by default. */
  readonly storagePrefix?: string;
  /** Given by versions of a kind that is stored in another one. */
  readonly conversion?: Conversion;
  /** Given instead by versions that another server converts. */
  readonly batchConversion?: BatchConversion;
  /** compat: the version that discovery's storage hash names, where it is not the one we store. */
  readonly hashedVersion?: string;
  readonly deprecated?: Deprecation;
  /** Served only while this gate is open, whatever the runtime config says. */
  readonly featureGate?: string;
  readonly checkName: NameCheck;
  /** Why an object cannot be read although its fields are of their types; undefined where it can. */
  readonly unreadable?: (object: ApiObject) => string | undefined;
  readonly deletion?: DeletionRules;
  /**
   * Changes of these fields, or of members of theirs (`spec.nodeName`), do not count as a new generation;
   * undefined: no generation is kept.
   */
  readonly generationIgnores?: readonly string[];
  readonly quirks?: Quirks;
  /** Objects hold what must not be recorded anywhere else. */
  readonly confidential?: true;
  /** Objects end by themselves, some time after they were last written. */
  readonly expires?: true;
  /** Field selectors besides metadata.name and metadata.namespace, and how to read them. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Where one of them is in objects that a user's schema describes: the path to its value, or to what holds that. */
  readonly selectablePath?: (field: string) => readonly string[];
  /** Plain paths among them that clients select by all the time: their values are indexed as objects come. */
  readonly indexedFields?: readonly string[];
  /** Fields that writes of the object itself leave alone; by default status, where that is a subresource. */
  readonly resetFields?: readonly string[];
  /** False where the type is not known well enough for strategic merge patches. */
  readonly strategicMergePatch?: false;
  /** Columns of the table form; undefined gives the default two. */
  readonly columns?: readonly Column<T>[];
  readonly rows?: RowRules<T>;
  readonly subresources?: readonly SubresourceDefinition<T>[];
  readonly strategy?: Strategy<T>;
  /** What an object of this kind lets others do; users cannot grant what they may not do themselves. */
  grants?(object: T): Grant;
  /** What the server will read on behalf of an object of this kind, which its author must be able to read too. */
  readsFor?(object: T, objects: Pick<ObjectAccess, 'get'>, dialect: Dialect): MaybePromise<Reading | undefined>;
  /** Given by kinds that need more than their own place in the store. */
  readonly allocator?: Allocator<T>;
  /** Why no object can be made any more: the kind itself is about to go. */
  readonly refusesNew?: string;
  /** Answers, but is in no document that tells what there is: something about the kind is not in order yet. */
  readonly undiscovered?: true;
  /** Given by kinds that are answered instead of stored. */
  readonly action?: Action<T>;
  /** Given by kinds that are read only and made on demand. */
  readonly computed?: Computed;
}

/** A kind as one group-version serves it. */
export interface ResourceDefinition extends Omit<KindDefinition, 'type'> {
  readonly type: ObjectType;
  readonly group: string;
  readonly version: string;
  readonly singular: string;
  readonly storagePrefix: string;
  /** The kinds that an object may say it is of; custom resources have none. */
  readonly scheme?: Scheme;
}

/** All resources of one group-version. */
export interface GroupVersionDefinition {
  readonly group: string;
  readonly version: string;
  /** Discovery order: higher comes first. */
  readonly priority: { readonly group: number; readonly version: number };
  /** Served only when an option turns it on. */
  readonly offByDefault?: true;
  readonly resources: readonly ResourceDefinition[];
}
