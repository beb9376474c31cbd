// What admission sees of a call.

import { type AdmissionRequest, type Operation, Rounds } from '../admission/plugin.ts';
import type { JsonObject } from '../base/json/json.ts';
import { andThen } from '../base/maybe-promise.ts';
import { groupName, metaGroup } from '../meta/dialect.ts';
import type { GroupVersionKind } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestNotes } from '../meta/request-notes.ts';
import type { UserInfo } from '../meta/user.ts';
import type { WriteOptions } from '../registry/write-options.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Call } from './call.ts';

export interface AdmissionInput {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly name?: string;
  /** Those of a delete, which may come in the body; others are in the query. */
  readonly options?: object;
}

export function admissionRequest(call: Call, input: AdmissionInput): AdmissionRequest {
  return new CallAdmission(call, input);
}

/** A class, because one is made for every write and most of it is never looked at. */
class CallAdmission implements AdmissionRequest {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly #call: Call;
  readonly #input: AdmissionInput;
  #rounds: Rounds | undefined;

  constructor(call: Call, input: AdmissionInput, rounds?: Rounds) {
    this.operation = input.operation;
    this.object = input.object;
    this.oldObject = input.oldObject;
    this.dryRun = input.dryRun;
    this.#call = call;
    this.#input = input;
    this.#rounds = rounds;
  }

  moveIfPossible(): void {
    this.#call.exchange.moveIfPossible();
  }

  stay(): void {
    this.#call.exchange.stay();
  }

  waitedElsewhere(seconds: number): void {
    this.#call.exchange.elsewhereSeconds += seconds;
  }

  get verb(): string {
    return this.#call.exchange.info.verb;
  }

  get definition(): ResourceDefinition {
    return this.#call.resource.definition;
  }

  get subresource(): string {
    return this.#call.subresource?.name ?? '';
  }

  get kind(): GroupVersionKind {
    const { subresource, services } = this.#call;
    if (subresource === undefined || subresource.is === 'part') return kindOf(this.definition);
    return { ...subresource.shows, group: groupName(services.dialect, subresource.shows.group) };
  }

  get namespace(): string {
    return this.#call.ref.namespace;
  }

  get name(): string {
    return this.#input.name ?? (this.#call.ref.name || (this.object?.metadata?.name ?? ''));
  }

  get options(): JsonObject | undefined {
    return optionsOf(this.#call, this.#input);
  }

  get user(): UserInfo {
    return this.#call.exchange.user;
  }

  get deadline(): number {
    return this.#call.exchange.deadline;
  }

  get signal(): AbortSignal {
    return this.#call.exchange.signal;
  }

  get notes(): RequestNotes | undefined {
    return this.#call.exchange.notes;
  }

  get traceHeaders(): Readonly<Record<string, string>> {
    return this.#call.services.traceHeaders(this.#call.exchange);
  }

  get plannedNamespace(): ApiObject | undefined {
    return this.#call.exchange.plannedNamespace;
  }

  set plannedNamespace(namespace: ApiObject | undefined) {
    this.#call.exchange.plannedNamespace = namespace;
  }

  get rounds(): Rounds {
    this.#rounds ??= new Rounds();
    return this.#rounds;
  }

  withObject(object: ApiObject | undefined): AdmissionRequest {
    return new CallAdmission(this.#call, { ...this.#input, object }, this.rounds);
  }

  warn(text: string): void {
    this.#call.exchange.warn(text);
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    this.#call.exchange.audit?.annotate(key, value, level);
  }
}

const kindOf = ({ group, version, kind }: ResourceDefinition): GroupVersionKind => ({ group, version, kind });

/** The options of a request as an object of their own kind; what the client did not say is left out. */
function optionsOf({ exchange, services }: Call, { operation, options }: AdmissionInput): JsonObject | undefined {
  if (operation === 'CONNECT') return undefined;
  const apiVersion = `${metaGroup(services.dialect)}/v1`;
  if (operation === 'DELETE') return { kind: 'DeleteOptions', apiVersion, ...options };
  const { query } = exchange;
  // compat: an update that creates comes with the options of a create, a patch with those of an update
  const kind = operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions';
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    kind,
    apiVersion,
    ...(dryRun.length > 0 ? { dryRun: [...dryRun] } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

/** An object as a subresource shows it: admission is about what the client sees. */
export function shownBy({ subresource }: Call, object: ApiObject | undefined): ApiObject | undefined {
  return object !== undefined && subresource?.is === 'view' ? subresource.view(object) : object;
}

/** Validating admission for the registry to run on the final object; undefined where no plugin validates. */
export function admitter(
  call: Call,
  dryRun: boolean,
  operationFor: (oldObject: ApiObject | undefined) => 'CREATE' | 'UPDATE',
): WriteOptions['admit'] {
  const { admission } = call.services;
  const { definition } = call.resource;
  const subresource = call.subresource?.name ?? '';
  const operations = [operationFor(undefined), operationFor({} as ApiObject)];
  if (!operations.some((operation) => admission.validates(definition, subresource, operation))) return undefined;
  return (object, oldObject) => {
    const operation = operationFor(oldObject);
    const name = object.metadata.name ?? '';
    const seen = { object: shownBy(call, object), oldObject: shownBy(call, oldObject) };
    return admission.validate(admissionRequest(call, { operation, ...seen, dryRun, name }));
  };
}

/** All of admission for the registry to run on an object that is to be deleted; undefined where no plugin looks. */
export function deletionAdmitter(call: Call, dryRun: boolean, options: object): WriteOptions['admit'] {
  const { admission } = call.services;
  if (!admission.covers(call.resource.definition, call.subresource?.name ?? '', 'DELETE')) return undefined;
  return (oldObject) => {
    // compat: the deletes of a collection name none of its objects
    const { name } = call.ref;
    const input = { operation: 'DELETE', object: undefined, oldObject, dryRun, name, options } as const;
    const request = admissionRequest(call, input);
    return andThen(admission.mutate(request), () => admission.validate(request));
  };
}
