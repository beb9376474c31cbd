// From a request for a resource to the handler of its verb.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import { methodNotAllowed, unknownResource } from '../meta/status.ts';
import type { Resources, ServedResource } from '../registry/resources.ts';
import type { Deprecation, ResourceDefinition, SubresourceDefinition, Verb } from '../schema/resource.ts';
import { runAction } from './action.ts';
import type { Call, Services, VerbHandler } from './call.ts';
import { readComputed } from './computed.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { shownKind, viewHandlers } from './view.ts';
import { watch } from './watch.ts';

const handlers: Readonly<Record<Verb, VerbHandler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

/** Verbs that act on a whole collection, and so may span namespaces when they only read. */
const collectionVerbs = new Set(['list', 'watch', 'create', 'deletecollection']);
const acrossNamespaces = new Set(['list', 'watch']);

export function dispatch(exchange: Exchange, resources: Resources, services: Services): MaybePromise<ApiResponse> {
  const { info } = exchange;
  const resource = resources.find(info.group, info.version, info.resource);
  if (resource === undefined || !scopeFits(resource, info)) throw unknownResource();
  const subresource = info.subresource === '' ? undefined : resource.subresource(info.subresource);
  if ((info.subresource !== '' && subresource === undefined) || info.rest !== '') throw unknownResource();
  const verb = allowedVerb(exchange, resource, subresource);
  exchange.isServed = true;
  if (resource.definition.deprecated) warnDeprecated(exchange, resource.definition, services.dialect);
  return handle(verb, makeCall(exchange, resource, subresource, services));
}

function warnDeprecated(exchange: Exchange, definition: ResourceDefinition, dialect: Dialect): void {
  const { since, use } = definition.deprecated as Deprecation;
  const instead = use && `${formatApiVersion({ ...use, group: groupName(dialect, use.group) })} ${use.kind}`;
  const advice = instead === undefined ? '' : `; use ${instead}`;
  exchange.isDeprecated = true;
  exchange.warn(`${formatApiVersion(definition)} ${definition.kind} is deprecated in v${since}+${advice}`);
}

function handle(verb: Verb, call: Call): MaybePromise<ApiResponse> {
  const { subresource, resource, services } = call;
  const { definition } = resource;
  if (subresource?.is === 'view') {
    const handler = viewHandlers[verb];
    if (handler === undefined) throw methodNotAllowed();
    return handler(call, subresource);
  }
  if (subresource?.is === 'action')
    return runAction(call, subresource.action, shownKind(subresource, services.dialect));
  if (definition.computed !== undefined) return readComputed(call, definition.computed);
  return definition.action === undefined ? handlers[verb](call) : runAction(call, definition.action, definition);
}

/** A path through a namespace leads to namespaced resources only. */
function scopeFits({ definition }: ServedResource, info: RequestInfo): boolean {
  if (!definition.namespaced) return info.scope === 'cluster';
  return info.scope === 'namespace' || info.name === '';
}

function allowedVerb(
  exchange: Exchange,
  { definition }: ServedResource,
  subresource: SubresourceDefinition | undefined,
): Verb {
  const { info, request } = exchange;
  const verb = info.verb as Verb;
  const verbs = subresource?.verbs ?? definition.verbs;
  // compat: HEAD is not answered for resources
  if (!verbs.includes(verb) || request.method === 'HEAD') throw methodNotAllowed();
  const onCollection = collectionVerbs.has(verb) && subresource?.is !== 'action';
  if (onCollection !== (info.name === '') && verb !== 'watch') throw methodNotAllowed();
  if (definition.namespaced && info.scope === 'cluster' && !acrossNamespaces.has(verb)) throw methodNotAllowed();
  return verb;
}

function makeCall(
  exchange: Exchange,
  resource: ServedResource,
  subresource: SubresourceDefinition | undefined,
  services: Services,
): Call {
  const { info } = exchange;
  const namespace = resource.definition.namespaced ? info.namespace : '';
  return {
    exchange,
    resource,
    get registry() {
      return resource.registry;
    },
    subresource,
    services,
    ref: { namespace, name: info.name },
  };
}
