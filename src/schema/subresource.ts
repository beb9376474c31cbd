// What stands below the path of an object, of whatever sort.

import type { Backend } from '../meta/backend.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { Query } from '../meta/query.ts';
import type { FieldError } from '../meta/status.ts';
import type { Action } from './action.ts';
import type { Column } from './column.ts';
import type { KindReference } from './kind-reference.ts';
import type { ObjectAccess } from './object-access.ts';
import type { PartSubresource } from './part-subresource.ts';
import type { StrategyContext } from './strategy.ts';
import type { StructType } from './types.ts';
import type { Verb } from './verbs.ts';

/** Where a field stands: names of members, from the root. */
export type FieldPath = readonly string[];

/** One field, in the view and in the version of the parent that the view is of. */
interface ShownField {
  readonly inView: FieldPath;
  readonly inParent: FieldPath;
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
  /** The field that clients write here. */
  readonly field: ShownField;
  /** Why a configuration cannot be applied here, unless it changes nothing. */
  readonly applyProblem?: string;
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
  /** Versions of its group besides the one it shows in which an object may be posted, where all have one shape. */
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
