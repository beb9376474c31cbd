// What a verb handler gets: one request for one resource, and the engines it may use.

import type { AdmissionChain } from '../admission/chain.ts';
import type { GivenManagers } from '../apply/field-manager.ts';
import type { Clock } from '../base/clock.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { JsonValue } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { YieldTimer } from '../base/yield-timer.ts';
import { negotiate, type Offer, objectOffer, type Representation, wantsPretty } from '../codec/accept.ts';
import { parseBody } from '../codec/body.ts';
import { type Decoded, decodeObject } from '../codec/decode-object.ts';
import { type Parsed, strictFindings } from '../codec/strict.ts';
import type { AccessControl } from '../meta/access.ts';
import type { Backends } from '../meta/backend.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { type ApiObject, type ObjectRef, withMeta } from '../meta/object.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import { badRequest } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/resources.ts';
import type { WriteOptions } from '../registry/write-options.ts';
import type { ComputedCall, ObjectAccess, SubresourceDefinition } from '../schema/resource.ts';
import type { StructType } from '../schema/types.ts';
import type { IdentityHeaders } from './connect/passed-headers.ts';
import type { OpenConnections } from './long-running.ts';
import { sentManagers } from './write/field-management.ts';
import { type FieldValidation, refuseBody, reportFindings } from './write/write-parameters.ts';

export interface Services {
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** For what waits long and in great numbers. */
  readonly deadlines: Deadlines;
  readonly admission: AdmissionChain;
  /** Stored objects for actions to use. */
  readonly objects: ObjectAccess;
  /** Other servers that requests go on to. */
  readonly backends: Backends;
  /** Headers by which this server learns who a client is; other servers do not get them. */
  readonly identityHeaders: IdentityHeaders;
  /** Those of them that a client is connected with. */
  readonly connections: OpenConnections;
  /** Throws when a user may not do something that the request itself does not say. */
  requireAccess(user: UserInfo, info: RequestInfo): MaybePromise<void>;
  readonly access: AccessControl;
  readonly tokens: Tokens;
  /** The parts of the server that can fail on their own. */
  readonly components: ComputedCall['components'];
  /** Tells those who run the server what they may want to know. */
  notice(fields: object, message: string): void;
  /** Bytes a request body may have. */
  readonly maxBodyBytes: number;
  /** A watch without timeoutSeconds lasts between this and twice this. */
  readonly minWatchSeconds: number;
  /** Whether lists come in pages for those who ask for them. */
  readonly chunksLists: boolean;
  /** Whether nodes can be asked for one stream of a container's log. */
  readonly splitsLogs: boolean;
}

export interface Call {
  readonly exchange: Exchange;
  readonly resource: ServedResource;
  readonly registry: Registry;
  readonly subresource: SubresourceDefinition | undefined;
  readonly ref: ObjectRef;
  readonly services: Services;
}

export type VerbHandler = (call: Call) => MaybePromise<ApiResponse>;

export function representationOf({ exchange, services }: Call, offer: Offer = objectOffer): Representation {
  const pretty = wantsPretty(exchange);
  const accept = exchange.request.header('accept');
  return negotiate(accept, services.dialect, pretty ? { ...offer, pretty } : offer);
}

/** The body as plain values; formats that need a type to be read use this one. */
export async function readBodyAs({ exchange, services }: Call, type: StructType): Promise<Parsed> {
  const bytes = await exchange.request.readBody(services.maxBodyBytes);
  return parseBody(exchange.request.header('content-type'), bytes, type, services.dialect);
}

export interface Input extends Decoded {
  /** What the client says about managedFields. */
  readonly managers: GivenManagers;
}

/** A value as an object of the resource's kind, defaulted, in the scope the URL names. `live` is what it was made from. */
export function decodeInput(call: Call, value: JsonValue, live?: ApiObject): Input {
  return defaulted(call, decodeOnly(call, value, live));
}

function decodeOnly(call: Call, value: JsonValue, live?: ApiObject): Input {
  const { object, unknownFields } = decodeObject(call.resource.definition, value, live);
  const managers = sentManagers(value, object, call.services.dialect);
  return { object: inScope(object, call.ref.namespace), unknownFields, managers };
}

function defaulted(call: Call, input: Input): Input {
  const { strategy, context } = call.registry;
  return strategy.defaults ? { ...input, object: strategy.defaults(input.object, context) } : input;
}

/** The object a client sent. Reports, as the client wants it, what strict decoding finds. */
export async function readObject(call: Call, level: FieldValidation): Promise<Input> {
  const { definition } = call.resource;
  const parsed = await readBodyAs(call, definition.type);
  const pace = new YieldTimer();
  const decoded = decodeOnly(call, parsed.value);
  if (pace.isDue) await pace.rest();
  const input = defaulted(call, decoded);
  if (pace.isDue) await pace.rest();
  call.exchange.audit?.captureRequest(input.object, input.object.metadata);
  if (level !== 'Ignore')
    reportFindings(
      call.exchange,
      strictFindings(parsed, input.unknownFields, definition.type),
      level,
      refuseBody(definition),
    );
  return input;
}

/** The object in the namespace that the URL names. */
export function inScope(object: ApiObject, namespace: string): ApiObject {
  const named = object.metadata.namespace ?? '';
  if (named === namespace) return object;
  if (named !== '' && namespace !== '') {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return withMeta(object, { namespace: namespace === '' ? undefined : namespace });
}

/** The object of a PUT or PATCH must be the one the URL names, and say so. */
export function checkUrlName({ metadata: { name = '' } }: ApiObject, { ref }: Call): void {
  if (name === ref.name) return;
  if (name !== '')
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${ref.name})`);
  throw badRequest(`the name of the object (${ref.name} based on URL) was undeterminable: name must be provided`);
}

/** The client hears what the kind has to say; undefined where that is nothing. */
export function warner({ exchange, registry, subresource }: Call): WriteOptions['warn'] {
  const speaks = registry.strategy.warnings ?? (subresource?.is === 'part' ? subresource.warnings : undefined);
  return speaks === undefined ? undefined : (text) => exchange.warn(text);
}

/** Drops a write whose request has ended, and remembers of others that they were sent to the store. */
export function commitGuard({ exchange }: Call): () => void {
  return () => {
    exchange.throwIfEnded();
    exchange.isCommitted = true;
  };
}
