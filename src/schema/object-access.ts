// How the server itself reads and writes stored objects.

import type { GroupVersionResource } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { PartSubresource } from './part-subresource.ts';

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
  readonly requests: OwnRequests;
}

/** Requests that the server sends to itself: admitted, audited and recorded in managedFields as those of any client. */
export interface OwnRequests {
  create(resource: GroupVersionResource, object: ApiObject): Promise<void>;
  /** Writes one part of an object, such as its status. */
  replacePart(resource: GroupVersionResource, part: string, object: ApiObject): Promise<void>;
  delete(resource: GroupVersionResource, ref: ObjectRef): Promise<void>;
}

export interface UpdateOptions<T extends ApiObject = ApiObject> {
  readonly dryRun?: boolean;
  /** The part to change, where that is not what a plain update may change. */
  readonly part?: PartSubresource<T>;
  /** Fails unless the object has this one. */
  readonly expectedUid?: string | undefined;
}
