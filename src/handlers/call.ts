// What a verb handler gets: one request for one resource.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { ObjectRef } from '../meta/object.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/resources.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import type { Services } from './services.ts';

export interface Call {
  readonly exchange: Exchange;
  readonly resource: ServedResource;
  readonly registry: Registry;
  readonly subresource: SubresourceDefinition | undefined;
  readonly ref: ObjectRef;
  readonly services: Services;
}

export type VerbHandler = (call: Call) => MaybePromise<ApiResponse>;
