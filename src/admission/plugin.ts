// What an admission plugin is: which writes it looks at, and what it does with them.

import type { JsonObject } from '../base/json/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { GroupVersionKind } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestNotes } from '../meta/request-notes.ts';
import { type ApiError, forbidden, type StatusCause } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import type { ResourceDefinition } from '../schema/resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionRequest {
  readonly operation: Operation;
  /** What the caller needed the right for: an update may be a patch. */
  readonly verb: string;
  /** The resource as the client addressed it. */
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  /** What `object` is of: the kind of the resource, or what a subresource shows instead. */
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
  /** Undefined on delete. */
  readonly object: ApiObject | undefined;
  /** The stored object as it is now; undefined on create. Of a collection that is deleted, every object comes by itself. */
  readonly oldObject: ApiObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as the request gives them; undefined on connect. */
  readonly options: JsonObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** When the answer must have begun, by the server's clock: calls to other servers end before. */
  readonly deadline: number;
  /** Aborts when the time of the request is up or its client is gone. */
  readonly signal: AbortSignal;
  /** In a dry run, the namespace that the real request would make first. */
  plannedNamespace?: ApiObject | undefined;
  /** Shared by all plugins that see the request. */
  readonly rounds: Rounds;
  /** The same request about another object. */
  withObject(object: ApiObject | undefined): AdmissionRequest;
  /** To be called when the work for the request turns out to be long: throws where the lane for large requests is to do it. */
  moveIfPossible?(): void;
  /** To be called before another server is asked, which must not be asked twice: from now on the request is not moved. */
  stay?(): void;
  /** The server waited this long for another one: no time of its own. */
  waitedElsewhere?(seconds: number): void;
  /** Set while a trace is taken. */
  readonly notes?: RequestNotes | undefined;
  /** Headers that connect a call of another server with the trace of the request. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit events of the request; with a level to those that record as much. */
  annotate(key: string, value: string, level?: 'Request'): void;
}

/**
 * How often plugins that change objects see a request. A plugin whose changes others should know of asks for a second round; there
 * is never a third.
 */
export class Rounds {
  #current: 1 | 2 = 1;
  #wanted = false;

  get isSecond(): boolean {
    return this.#current === 2;
  }

  wantSecond(): void {
    this.#wanted = true;
  }

  /** Begins the second round if a plugin wants it. */
  beginSecond(): boolean {
    if (this.#current === 2 || !this.#wanted) return false;
    this.#current = 2;
    return true;
  }
}

export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Whether it looks at writes of a resource, or of a subresource of it. Asked once for each until `onCoverageChange` calls back. */
  covers(definition: ResourceDefinition, subresource: string, operation: Operation): boolean;
  /** Given by plugins that look at other resources from time to time, such as those a user configures. */
  onCoverageChange?(changed: () => void): void;
  /** Set where the plugin notes its webhooks or policies one by one in the trace of a request. */
  readonly notesItself?: true;
  /** Runs before all plugins: may move the request to the lane, before any webhook is asked. */
  begin?(request: AdmissionRequest): MaybePromise<void>;
  /** Returns the object to go on with; throws to refuse. Runs before the rules of the kind. */
  mutate?(request: AdmissionRequest): MaybePromise<ApiObject | undefined>;
  /**
   * Throws to refuse. Runs after the rules of the kind, on the object as it will be stored. What it returns is what the plugins
   * after it see; it is not stored.
   */
  validate?(request: AdmissionRequest): MaybePromise<ApiObject | undefined> | MaybePromise<void>;
}

/** A part of what plugins cover, whatever is done to it. */
type Scope = (definition: ResourceDefinition, subresource: string) => boolean;

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
export function refusal(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const { group, plural } = request.definition;
  return forbidden({ group, resource: plural, name: shownName(request) }, why, causes);
}

/** Names that are made up later are shown by how they begin. */
function shownName({ name, object }: AdmissionRequest): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
