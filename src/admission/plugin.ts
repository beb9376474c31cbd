// What an admission plugin is: which writes it looks at, and what it does with them.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import { type ApiError, forbidden } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import type { ResourceDefinition } from '../schema/resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionRequest {
  readonly operation: Operation;
  /** What the caller needed the right for: an update may be a patch. */
  readonly verb: string;
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined on delete. */
  readonly object: ApiObject | undefined;
  /** The stored object as it is now; undefined on create, and before a delete is looked at by those who validate. */
  readonly oldObject: ApiObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The same request about another object. */
  withObject(object: ApiObject | undefined): AdmissionRequest;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit events of the request. */
  annotate(key: string, value: string): void;
}

export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Whether it looks at writes of a resource, or of a subresource of it. Asked once for each, so it must not change its mind. */
  covers(definition: ResourceDefinition, subresource: string, operation: Operation): boolean;
  /** Returns the object to go on with; throws to refuse. Runs before the rules of the kind. */
  mutate?(request: AdmissionRequest): MaybePromise<ApiObject | undefined>;
  /** Throws to refuse. Runs after the rules of the kind, on the object as it will be stored. */
  validate?(request: AdmissionRequest): MaybePromise<void>;
}

/** A part of what plugins cover, whatever is done to it. */
export type Scope = (definition: ResourceDefinition, subresource: string) => boolean;

export const creates: readonly Operation[] = ['CREATE'];
export const writes: readonly Operation[] = ['CREATE', 'UPDATE'];

/** Covers objects of one resource, in any version, and none of its subresources but those that are named. */
export function objectsOf(group: string, plural: string, ...subresources: readonly string[]): Scope {
  const parts = ['', ...subresources];
  return (definition, subresource) =>
    definition.plural === plural && definition.group === group && parts.includes(subresource);
}

/** Covers subresources only. */
export function partsOf(group: string, plural: string, ...subresources: readonly string[]): Scope {
  return (definition, subresource) =>
    definition.plural === plural && definition.group === group && subresources.includes(subresource);
}

/** A 403 about the object of a request. */
export function refusal(request: AdmissionRequest, why: string): ApiError {
  const { group, plural } = request.definition;
  return forbidden({ group, resource: plural, name: shownName(request) }, why);
}

/** Names that are made up later are shown by how they begin. */
function shownName({ name, object }: AdmissionRequest): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
