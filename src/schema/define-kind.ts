// Where the type of a kind's objects is known, and where it is left behind: hooks are written for objects of one type,
// shared code hands them any object. Only objects that were decoded by that type get there, which is why hooks may
// rely on it, and why this is the one file that says so.

import type { ApiObject } from '../meta/object.ts';
import type { KindDefinition } from './resource.ts';
import type { ViewSubresource } from './subresource.ts';
import type { StructType } from './types.ts';

/** What is said of a kind besides its type; hooks get objects of that type. */
type KindSpec<T extends ApiObject> = Omit<KindDefinition<T>, 'type'>;

/** A kind for shared code. */
export function defineKind<T>(type: StructType<T>, spec: KindSpec<ApiObject & NoInfer<T>>): KindDefinition {
  return { ...(spec as KindSpec<never> as KindSpec<ApiObject>), type };
}

type Hooks<T extends ApiObject> = Pick<KindDefinition<T>, 'selectableFields' | 'strategy'>;

/** Hooks of a kind that is made from another one. */
export function forAnyObject<T extends ApiObject>(hooks: Hooks<T>): Hooks<ApiObject> {
  return hooks as Hooks<never> as Hooks<ApiObject>;
}

type ViewSpec<T extends ApiObject, V extends ApiObject> = Omit<ViewSubresource<T, V>, 'type'>;

/** A subresource that shows objects of another type. */
export function defineView<T extends ApiObject, V>(
  type: StructType<V>,
  spec: ViewSpec<T, ApiObject & NoInfer<V>>,
): ViewSubresource<T> {
  return { ...(spec as ViewSpec<T, never> as ViewSpec<T, ApiObject>), type };
}
