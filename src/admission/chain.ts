// Admission: plugins that may change or refuse a write, in order.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import type { UserInfo } from '../meta/user.ts';
import type { ResourceDefinition } from '../schema/resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionRequest {
  readonly operation: Operation;
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined on delete. */
  readonly object: ApiObject | undefined;
  /** The stored object as it is now; undefined on create. */
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
  handles(operation: Operation): boolean;
  /** Returns the object to go on with; throws to refuse. */
  mutate?(request: AdmissionRequest): MaybePromise<ApiObject | undefined>;
  /** Throws to refuse. */
  validate?(request: AdmissionRequest): MaybePromise<void>;
}

export class AdmissionChain {
  readonly #mutating: Readonly<Record<Operation, readonly AdmissionPlugin[]>>;
  readonly #validating: Readonly<Record<Operation, readonly AdmissionPlugin[]>>;

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = byOperation(plugins.filter((plugin) => plugin.mutate !== undefined));
    this.#validating = byOperation(plugins.filter((plugin) => plugin.validate !== undefined));
  }

  /** The object after every plugin that changes objects. */
  mutate(request: AdmissionRequest): MaybePromise<ApiObject | undefined> {
    return mutateFrom(0, this.#mutating[request.operation], request, request.object);
  }

  /** Whether anybody validates an operation; if not, no request need be made for it. */
  validates(operation: Operation): boolean {
    return this.#validating[operation].length > 0;
  }

  validate(request: AdmissionRequest): MaybePromise<void> {
    return validateFrom(0, this.#validating[request.operation], request);
  }
}

function mutateFrom(
  from: number,
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
  before: ApiObject | undefined,
): MaybePromise<ApiObject | undefined> {
  let object = before;
  for (let i = from; i < plugins.length; i++) {
    const changed = plugins[i]?.mutate?.(object === request.object ? request : request.withObject(object));
    if (isPromise(changed)) return changed.then((next) => mutateFrom(i + 1, plugins, request, next));
    object = changed;
  }
  return object;
}

function validateFrom(
  from: number,
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
): MaybePromise<void> {
  for (let i = from; i < plugins.length; i++) {
    const checked = plugins[i]?.validate?.(request);
    if (isPromise(checked)) return checked.then(() => validateFrom(i + 1, plugins, request));
  }
}

function byOperation(plugins: readonly AdmissionPlugin[]): Readonly<Record<Operation, readonly AdmissionPlugin[]>> {
  const of = (operation: Operation) => plugins.filter((plugin) => plugin.handles(operation));
  return { CREATE: of('CREATE'), UPDATE: of('UPDATE'), DELETE: of('DELETE'), CONNECT: of('CONNECT') };
}
