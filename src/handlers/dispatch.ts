// From a request for a resource to the handler of its verb.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { compressed } from '../codec/compression.ts';
import { pageNotFound } from '../discovery/routes.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { fitsScope, type RequestInfo } from '../meta/request-info.ts';
import {
  badRequest,
  type ErrorSubject,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  unknownResource,
} from '../meta/status.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources, ServedResource } from '../registry/resources.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import type { Verb } from '../schema/verbs.ts';
import type { Call, VerbHandler } from './call.ts';
import { connect } from './connect/connect.ts';
import { noteDeprecation } from './deprecation.ts';
import { list } from './list/list.ts';
import { readComputed } from './read/computed.ts';
import { get } from './read/get.ts';
import { requireRoute } from './route.ts';
import type { Services } from './services.ts';
import { watch } from './watch/watch.ts';
import { runAction } from './write/action.ts';
import { create } from './write/create.ts';
import { deleteOne } from './write/delete.ts';
import { deleteCollection } from './write/delete-collection.ts';
import { refusingIncomplete } from './write/incomplete-object.ts';
import { patch } from './write/patch.ts';
import { update } from './write/update.ts';
import { shownKind, viewHandlers } from './write/view.ts';

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
  if (resource === undefined || !(fitsScope(info, resource.definition) || watchesEverywhere(info, resource))) {
    if (info.group === '' || resources.hasBuiltIn(info.group)) throw unknownResource();
    return pageNotFound;
  }
  if (isOutside(info, resource)) return pageNotFound;
  const subresource = info.subresource === '' ? undefined : resource.subresource(info.subresource);
  if (info.subresource !== '' && subresource === undefined) throw unknownSubresource(exchange, resource);
  if (info.rest !== '' && !takesPath(resource, subresource)) throw unknownResource();
  const verb = allowedVerb(exchange, resource, subresource, services.dialect);
  requireRoute(exchange, { verb, definition: resource.definition, subresource }, services.dialect);
  exchange.isServed = true;
  noteDeprecation(exchange, resource.definition, services.dialect);
  const call = new DispatchedCall(exchange, resource, subresource, services);
  const answer = refusingIncomplete(verb, call, handle(verb, call));
  return andThen(answer, (response) =>
    compressed(exchange.request, exchange.audit === undefined ? response : exchange.audit.captureResponse(response)),
  );
}

function handle(verb: Verb, call: Call): MaybePromise<ApiResponse> {
  const { subresource, resource, services } = call;
  const { definition } = resource;
  if (subresource?.is === 'view') {
    const handler = viewHandlers[verb];
    if (handler === undefined) throw methodNotAllowed();
    return handler(call, subresource);
  }
  if (subresource?.is === 'connect') return connect(call, subresource);
  if (subresource?.is === 'action')
    return runAction(call, subresource.action, shownKind(subresource, services.dialect, definition.scheme));
  if (definition.computed !== undefined) return readComputed(call, definition.computed);
  return definition.action === undefined ? handlers[verb](call) : runAction(call, definition.action, definition);
}

const subjectOf = ({ definition: { group, plural } }: ServedResource, name: string): ErrorSubject => ({
  group,
  resource: plural,
  name,
});

function unknownSubresource({ info }: Exchange, resource: ServedResource): Error {
  const { refusesByName } = resource.definition.quirks ?? {};
  return refusesByName ? notFound(subjectOf(resource, info.name)) : unknownResource();
}

/** compat: without a namespace there is no path to namespaced custom resources but to read all of them */
function isOutside({ namespace, verb }: RequestInfo, { definition }: ServedResource): boolean {
  if (definition.quirks?.refusesByName === undefined) return false;
  return definition.namespaced && namespace === '' && !acrossNamespaces.has(verb);
}

/** compat: an old path watches custom objects of one name in all namespaces */
function watchesEverywhere({ verbInPath, scope }: RequestInfo, { definition }: ServedResource): boolean {
  return definition.quirks?.refusesByName === true && verbInPath === 'watch' && scope === 'cluster';
}

/** compat: what follows a subresource of a custom resource does not count */
function takesPath({ definition }: ServedResource, subresource: SubresourceDefinition | undefined): boolean {
  return definition.quirks?.refusesByName ?? (subresource?.is === 'connect' && (subresource.takesPath ?? false));
}

function refusedVerb(exchange: Exchange, resource: ServedResource, dialect: Dialect): Error {
  const { info } = exchange;
  const { quirks, verbs } = resource.definition;
  // compat: a watch takes the path of a list, and is refused as late as that
  const isList = info.verb === 'watch' && verbs.includes('list');
  if (isList) noteDeprecation(exchange, resource.definition, dialect);
  const byName = isList || quirks?.refusesByName;
  return byName ? methodNotSupported(subjectOf(resource, info.name), info.verb) : methodNotAllowed();
}

/** compat: old paths lead to what can be watched, and what cannot be listed has none across namespaces */
function hasPath(info: RequestInfo, { definition }: ServedResource, subresource?: SubresourceDefinition): boolean {
  const { namespaced, verbs } = definition;
  if (info.verbInPath !== '')
    return info.verbInPath === 'watch' && verbs.includes('watch') && subresource === undefined;
  return !namespaced || info.scope === 'namespace' || verbs.some((verb) => acrossNamespaces.has(verb));
}

/** Paths of custom resources are not chosen by what they lead to. */
function requirePath(exchange: Exchange, resource: ServedResource, subresource?: SubresourceDefinition): void {
  const { info, request } = exchange;
  if (!hasPath(info, resource, subresource)) throw unknownResource();
  if (info.verbInPath !== '' && request.method !== 'GET') throw methodNotAllowed();
  if (subresource !== undefined) refuseNameless(exchange, resource, subresource);
}

/** compat: a path below an object without a name is routed, then refused */
function refuseNameless(
  { info, request }: Exchange,
  { definition }: ServedResource,
  { verbs }: SubresourceDefinition,
): void {
  if (info.name !== '') return;
  if (definition.namespaced && info.scope === 'cluster') throw unknownResource();
  const [wanted] = verbs.filter((verb) => methodOf[verb] === request.method);
  throw wanted === undefined ? methodNotAllowed() : badRequest('name must be provided');
}

const methodOf: Readonly<Partial<Record<Verb, string>>> = {
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

function allowedVerb(
  exchange: Exchange,
  resource: ServedResource,
  subresource: SubresourceDefinition | undefined,
  dialect: Dialect,
): Verb {
  const { definition } = resource;
  const { info, request } = exchange;
  const verb = info.verb as Verb;
  const verbs = subresource?.verbs ?? definition.verbs;
  const isCustom = definition.quirks?.refusesByName ?? false;
  if (!isCustom) requirePath(exchange, resource, subresource);
  // what is only answered has no objects that could be named
  if (definition.action !== undefined && subresource === undefined && info.name !== '') throw unknownResource();
  const connects = subresource?.is === 'connect';
  const passesAll = connects && subresource.takesPath === true;
  if (passesAll && request.method === 'OPTIONS') return 'get';
  // compat: HEAD is answered for custom resources and passed on by proxies, and not answered for others
  if (!verbs.includes(verb) || (request.method === 'HEAD' && !passesAll && !isCustom))
    throw refusedVerb(exchange, resource, dialect);
  // compat: a custom resource is also created by a path that names it, and nothing but its body counts
  if (isCustom) {
    if (info.name === '' && verb === 'update') throw badRequest('name must be provided');
    return verb;
  }
  const onCollection = collectionVerbs.has(verb) && subresource?.is !== 'action' && !connects;
  if (onCollection !== (info.name === '') && verb !== 'watch') throw methodNotAllowed();
  if (definition.namespaced && info.scope === 'cluster' && !acrossNamespaces.has(verb)) throw methodNotAllowed();
  return verb;
}

/** A class, because one is made for every request, and kinds that are not stored have no registry to look up. */
class DispatchedCall implements Call {
  readonly exchange: Exchange;
  readonly resource: ServedResource;
  readonly subresource: SubresourceDefinition | undefined;
  readonly services: Services;
  readonly ref: Call['ref'];
  #registry: Registry | undefined;

  constructor(
    exchange: Exchange,
    resource: ServedResource,
    subresource: SubresourceDefinition | undefined,
    services: Services,
  ) {
    const { namespace, name } = exchange.info;
    this.exchange = exchange;
    this.resource = resource;
    this.subresource = subresource;
    this.services = services;
    const isNew = exchange.info.verb === 'create' && subresource === undefined;
    this.ref = { namespace: resource.definition.namespaced ? namespace : '', name: isNew ? '' : name };
  }

  get registry(): Registry {
    this.#registry ??= this.resource.registry.during(this.exchange);
    return this.#registry;
  }
}
