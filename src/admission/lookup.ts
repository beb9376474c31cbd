// Stored objects as plugins see them: shared, so not to be changed, and there at once where they are at hand.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { GroupVersionResource } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';

export interface Lookup {
  /** Undefined where there is none, or where the resource is not served. With `any` as the cache has it, which may be a while ago. */
  get(resource: GroupVersionResource, ref: ObjectRef, mode?: 'latest' | 'any'): MaybePromise<ApiObject | undefined>;
  /** Of all namespaces when `namespace` is empty. */
  list(resource: GroupVersionResource, namespace: string): MaybePromise<readonly ApiObject[]>;
  /** The same, each made when it is asked for and not kept: for those who look once at as many as they have time for. */
  each(resource: GroupVersionResource, namespace: string): MaybePromise<readonly (() => ApiObject)[]>;
  /** Waits for an object that a controller is about to create, for so long. */
  appears(resource: GroupVersionResource, ref: ObjectRef, withinMs: number): Promise<ApiObject | undefined>;
}

/** Hears of the stored objects of a resource. */
export interface Follower {
  /** Everything is told again after this. */
  onReset(): void;
  onPut(object: ApiObject): void;
  /** Whether an object with this text may matter. One that does not, and did not before, is neither parsed nor shown. */
  concerns?(json: Uint8Array): boolean;
  onRemove(object: ApiObject): void;
  /** Everything that was stored at the time has been told. */
  onShown?(): void;
  /**
   * Given where readers wait for `onShown`: what is stored at the start is then read and shown in the background. Whether a reader waits
   * now, so that it is urgent.
   */
  isAwaited?(): boolean;
}
