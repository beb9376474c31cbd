// What a write may be told besides the object.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import type { UserInfo } from '../meta/user.ts';

export interface WriteOptions {
  /** Runs every stage and stores nothing. */
  readonly dryRun: boolean;
  /** Who creates the object: some kinds remember it. */
  readonly user?: UserInfo;
  /** Validating admission: sees the final object, the old one if any, and throws to refuse. */
  admit?(object: ApiObject, old: ApiObject | undefined): MaybePromise<void>;
}
