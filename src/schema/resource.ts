// What the server knows about a resource: data for every interpreter, plus a strategy where a kind has
// behaviour of its own. Shared code reads these answers and never asks which kind it has.

import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { RuleTimes } from '../base/rule-times.ts';
import type { Steps } from '../base/steps.ts';
import type { AccessControl, Grant } from '../meta/access.ts';
import type { Backend } from '../meta/backend.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { EffectiveVersions } from '../meta/effective-versions.ts';
import type { GroupVersionResource } from '../meta/group-version.ts';
import type { NameCheck } from '../meta/names.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { Query } from '../meta/query.ts';
import type { RequestLife } from '../meta/request-life.ts';
import type { FieldError, Status } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Warnings } from '../meta/warn-each.ts';
import type { ObjectType } from './object-type.ts';
import type { Scheme } from './scheme.ts';
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
  /** Who asks, while an object is being created. */
  readonly user?: UserInfo;
  /** Containers that may do everything on their node are not let in. */
  readonly refusesPrivileged?: boolean;
  /** Nothing collects what is left of deleted owners: deletions do not wait for it. */
  readonly ignoresDependents?: boolean;
  /** Releases that the server behaves like; its own where they are not given. */
  readonly versions?: EffectiveVersions;
  /** Hears how long rules took. */
  readonly ruleTimes?: RuleTimes;
}

/**
 * Hooks of one kind. Each gets decoded, defaulted objects and returns a new one, or what is wrong.
 * Order on create: defaults, admission, prepareForCreate, validate, validateExpressions, warnings. On update: defaults,
 * admission, prepareForUpdate, validateUpdate, validateExpressions, warnings. None may do I/O.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  /** Defaults that depend on other fields; also run on every write. */
  readonly defaults?: (object: T, context: StrategyContext) => ApiObject;
  /** Clears what a client may not set and fills what the server owns. */
  readonly prepareForCreate?: (object: T, context: StrategyContext) => ApiObject;
  readonly prepareForUpdate?: (next: T, old: T, context: StrategyContext) => ApiObject;
  readonly validate?: (object: T, context: StrategyContext) => readonly FieldError[];
  /** Runs besides `validate`, for rules about lists that may be long. */
  readonly validateInSteps?: (next: T, old: T | undefined, context: StrategyContext) => Steps<readonly FieldError[]>;
  /** Runs besides `validate`, for new objects only. */
  readonly validateCreate?: (object: T, context: StrategyContext) => readonly FieldError[];
  /** Rules of a new object's name that depend on the rest of it; told before all other rules of the kind. */
  readonly validateName?: (object: T, context: StrategyContext) => readonly FieldError[];
  /** Runs besides `validate`. */
  readonly validateUpdate?: (next: T, old: T, context: StrategyContext) => readonly FieldError[];
  /**
   * What is wrong with the expressions in an object, after everything else; `old` is undefined for a new one. Later than
   * the others because the language is loaded on first use.
   */
  readonly validateExpressions?: (
    next: T,
    old: T | undefined,
    context: StrategyContext,
    run?: ExpressionRun,
  ) => Promise<readonly FieldError[]>;
  /** What the client is told about an object that is in order and still odd; `old` is undefined for a new one. */
  readonly warnings?: (next: T, old: T | undefined, context: StrategyContext) => Warnings;
  // compat: validation errors are listed as often as the rules of a kind look, which for some is twice on update
  readonly updateChecks?: UpdateChecks;
  /** Seconds an object is given to end; `asked` is what the request says. Kinds without this go at once. */
  readonly gracePeriod?: (object: T, asked: number | undefined) => number;
  /** What else changes when deletion begins on an object that cannot go at once. */
  readonly beginDeletion?: (object: T, context: StrategyContext) => ApiObject;
  /** Whether something beyond metadata.finalizers still holds a terminating object. */
  readonly isHeld?: (object: T, context: StrategyContext) => boolean;
}

/** What expressions are run for. */
export interface ExpressionRun {
  /** Called after each rest: throws where the request has ended meanwhile. */
  readonly throwIfEnded?: (() => void) | undefined;
  /** Hears what is wrong and may stay, also where something else is refused. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** How often the rules of a kind look at parts of an object that changes, each once by default. */
export interface UpdateChecks {
  /** Labels, annotations and the like, as of a new object. */
  readonly meta?: number;
  /** Metadata against what it was. */
  readonly metaChange?: number;
  /** Everything `validate` looks at. */
  readonly fields?: number;
}

/** A kind of another group-version, by the group's name without the domain. */
export interface KindReference {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A subresource that reads and writes a part of its parent, as an object of the parent's kind. */
export interface PartSubresource<T extends ApiObject = ApiObject> {
  readonly is: 'part';
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Fields (`spec`, `metadata.labels`) that a write through here leaves alone; by default all but metadata and `status`, or `status`. */
  readonly resetFields?: readonly string[];
  /** False where the object cannot be had as a row here. */
  readonly tables?: false;
  /** Keeps of `next` what this subresource may change, everything else from `old`. */
  readonly merge: (next: T, old: T, context: StrategyContext) => ApiObject;
  /** What is wrong with what was written here. What was not is left alone, though it may break rules that came later. */
  readonly validateUpdate?: (next: T, old: T, context: StrategyContext) => readonly FieldError[];
  /** As of a strategy. */
  readonly validateExpressions?: Strategy<T>['validateExpressions'];
  /** The whole object is held to the rules of its kind, as by a write of all of it. */
  readonly validatesWhole?: true;
  /** Where the whole is not looked at: how often metadata is; by default for what changed, once. */
  readonly updateChecks?: UpdateChecks;
  /** What the client is told about what it wrote here; the kind's own warnings are about the rest. */
  readonly warnings?: (next: T, old: T, context: StrategyContext) => Warnings;
  /** What metrics count of a write through here that was stored. */
  readonly counts?: (next: T, old: T, context: StrategyContext) => readonly WriteCount[];
}

export type CountedWrite = 'csr_requested_duration' | 'csr_honored_duration';

export interface WriteCount {
  readonly metric: CountedWrite;
  readonly labels: Readonly<Record<string, string>>;
}

/** A subresource that shows its parent as an object of another kind. */
export interface ViewSubresource<T extends ApiObject = ApiObject, V extends ApiObject = ApiObject> {
  readonly is: 'view';
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly shows: KindReference;
  readonly type: StructType;
  /** Columns of the table form. */
  readonly columns: readonly Column<V>[];
  /** The parent as the other kind shows it. */
  view(parent: T): ApiObject;
  /** The parent after a client wrote the other kind. */
  write(view: V, parent: T): ApiObject;
  validate?(view: V): readonly FieldError[];
  /** What patches change, where that is not what is shown. */
  patched?(parent: T): ApiObject;
  /** Whether an applied configuration says anything about the parent; without it, all do. */
  says?(config: JsonObject): boolean;
  /** The parent after a configuration was applied, which may have taken away what the view is about. */
  settle?(applied: T, parent: T): ApiObject;
  /** Throws where there is nothing to show to a client that reads. */
  demandShown?(parent: T): void;
}

/** A subresource that does something when an object of another kind is posted to it. */
export interface ActionSubresource {
  readonly is: 'action';
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly shows: KindReference;
  readonly type: StructType;
  /** Versions of its group besides the one it shows in which an object may be posted, where they look alike. */
  readonly olderVersions?: readonly string[];
  readonly action: Action;
  /** What is sent and answered here must not be recorded. */
  readonly confidential?: true;
}

/** A parameter of a request, as documents describe it. */
export interface QueryParameter {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  /** It may be given several times, all of which count. */
  readonly repeats?: true;
  readonly about: string;
}

/** A subresource behind which there is another server: what is asked of it is asked there. */
export interface ConnectSubresource {
  readonly is: 'connect';
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly shows: KindReference;
  /** Whether what follows in the URL is a path on the other server. */
  readonly takesPath?: true;
  /** What may stand in the query, for documents. */
  readonly parameters?: readonly QueryParameter[];
  /** Nothing changes by it on the other server: admission, which is about changes, is not asked. */
  readonly onlyReads?: true;
  /** What the caller must be allowed besides the verb of the request. */
  readonly alsoNeeds?: Verb;
  /** Where the request goes; undefined when there is nothing to ask yet, and the answer is empty. */
  locate(call: ConnectCall): Promise<Backend | undefined>;
}

export interface ConnectCall extends StrategyContext {
  readonly ref: ObjectRef;
  readonly query: Query;
  /** What follows the subresource in the URL, as the client wrote it: a path, and a query after a question mark. */
  readonly rest: string;
  /** Whether nodes can be asked for one stream of a container's log. */
  readonly splitsLogs: boolean;
  /** Which address of a node is used: the first of these that it has. */
  readonly nodeAddressTypes: readonly string[];
  readonly objects: ObjectAccess;
}

export type SubresourceDefinition<T extends ApiObject = ApiObject> =
  | PartSubresource<T>
  | ViewSubresource<T>
  | ActionSubresource
  | ConnectSubresource;

/** Answers an object that is not stored: a review, an eviction, a request for a token. */
export interface Action<T extends ApiObject = ApiObject> {
  /** The type of the answer, where it is not of the kind that was posted. */
  readonly answer?: StructType;
  /** Fills in what the client left out, before any plugin looks. */
  defaults?(input: T): ApiObject;
  /** Fills in what only the server knows, before plugins validate; errors are thrown. */
  prepare?(input: T, call: ActionCall): Promise<ApiObject>;
  /** What is wrong with the object that was posted. */
  validate?(input: T, context: StrategyContext): readonly FieldError[];
  /** The answer; errors are thrown. */
  run(input: T, call: ActionCall): Promise<ApiObject | Status>;
}

export interface ActionCall extends StrategyContext {
  readonly user: UserInfo;
  /** What the URL names; a resource of its own has no name. */
  readonly ref: ObjectRef;
  readonly dryRun: boolean;
  readonly objects: ObjectAccess;
  /** Decides what users may do. */
  readonly access: AccessControl;
  readonly tokens: Tokens;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit events of the request. */
  annotate(key: string, value: string): void;
}

declare const holds: unique symbol;

/** Names a resource whose objects are known to be of one type, which exists only at compile time. */
export interface ResourceOf<T extends ApiObject = ApiObject> extends GroupVersionResource {
  readonly [holds]?: T;
}

/** Stored objects, as the server itself sees them: checked and admitted, with no question of who asks. */
export interface ObjectAccess {
  get<T extends ApiObject>(resource: ResourceOf<T>, ref: ObjectRef): Promise<T | undefined>;
  list<T extends ApiObject>(resource: ResourceOf<T>, namespace: string): Promise<readonly T[]>;
  create(
    resource: GroupVersionResource,
    object: ApiObject,
    options?: { readonly dryRun?: boolean },
  ): Promise<ApiObject>;
  /** Tried again on the newer object when another writer was faster. */
  update<T extends ApiObject>(
    resource: ResourceOf<T>,
    ref: ObjectRef,
    change: (current: T) => ApiObject,
    options?: UpdateOptions<T>,
  ): Promise<ApiObject>;
  delete(resource: GroupVersionResource, ref: ObjectRef, options: ApiObject | undefined): Promise<void>;
}

export interface UpdateOptions<T extends ApiObject = ApiObject> {
  readonly dryRun?: boolean;
  /** The part to change, where that is not what a plain update may change. */
  readonly part?: PartSubresource<T>;
  /** Fails unless the object has this one. */
  readonly expectedUid?: string | undefined;
}

/** A value that the server keeps beside the objects, below a key of its own. */
export interface RecordDefinition {
  readonly key: string;
  /** Other servers on the same store write it in protobuf. */
  readonly type: StructType;
}

export interface Records {
  /**
   * Replaces a record by what `change` makes of it; nothing is written where that is undefined. Tried again on the newer
   * one when another writer was faster. One that cannot be read is an error, or as good as none where it is to be made
   * anew.
   */
  update(
    record: RecordDefinition,
    change: (current: unknown) => object | undefined,
    unreadable?: 'fails' | 'is replaced',
  ): Promise<void>;
}

export interface AllocationCall extends StrategyContext {
  readonly objects: ObjectAccess;
  readonly records: Records;
  readonly dryRun: boolean;
  /** Hears of addresses that were reserved. */
  readonly onAllocation?: ((made: AllocationReport) => void) | undefined;
}

/** An address of a range that was reserved, as metrics count it. */
export interface AllocationReport {
  readonly range: string;
  /** Whether the client chose it. */
  readonly scope: 'static' | 'dynamic';
  readonly seconds: number;
}

/**
 * What a kind reserves beyond its own object, such as addresses and ports. Runs around writes of the whole object, before
 * the strategy sees it; unlike a strategy it may do I/O.
 */
export interface Allocator<T extends ApiObject = ApiObject> {
  /** Reserves what the object needs, `old` is undefined for a new one. Errors are thrown, with nothing left reserved. */
  allocate(next: T, old: T | undefined, call: AllocationCall): Promise<Allocation>;
  /** Gives back what an object had that is gone. */
  release(object: T, call: AllocationCall): Promise<void>;
}

/** What was reserved for one write. */
export interface Allocation {
  /** The object with what was reserved filled in. */
  readonly object: ApiObject;
  /** The object was stored: gives back what only the old one needed. */
  commit(): Promise<void>;
  /** The object was not stored: gives back what was reserved for it. */
  revert(): Promise<void>;
}

/** Objects that are not stored: they are made for each request. */
export interface Computed {
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

/** One column of the table form. */
export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly about: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  /** Rows have its cell, but the table does not name it. */
  readonly unlisted?: true;
  readonly cell: (object: T, context: StrategyContext) => unknown;
}

export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
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
  // compat: what the creator says about status is kept, although there is a subresource for it.
  // compat: a write of the object changes its status too, although there is a subresource for it.
  readonly statusComesWith?: readonly ('create' | 'update')[];
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
