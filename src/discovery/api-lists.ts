// The classic discovery documents: /api, /apis and what is below them.

import { createHash } from 'node:crypto';
import { trimEnd } from '../base/text/trim-ends.ts';
import { negotiate, requireProduced, wantsPretty } from '../codec/accept.ts';
import { renderValue } from '../codec/render.ts';
import {
  apiGroupListType,
  apiGroupType,
  apiResourceListType,
  apiVersionsType,
} from '../groups/meta/v1/discovery-types.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { apiPath, formatApiVersion } from '../meta/group-version.ts';
import { unknownResource } from '../meta/status.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import type { StructType } from '../schema/types.ts';
import { aggregated } from './aggregated.ts';
import { type Routes, requireRead } from './routes.ts';
import type { ShownApis } from './shown-apis.ts';
import { shownVerbs } from './shown-verbs.ts';

interface ListSettings {
  readonly dialect: Dialect;
  /** Name and port of the server for clients outside; undefined for what each client used. */
  externalAddress(): string | undefined;
  /** Told when the document of everything is made. */
  onAggregated(): void;
}

export function addApiLists(
  routes: Routes,
  resources: Resources,
  shown: ShownApis,
  { dialect, externalAddress, onAggregated }: ListSettings,
): void {
  const serveAggregated = aggregated(resources, shown, dialect, onAggregated);
  const answer: Answer = (exchange, value, type, routed = false) => {
    const accept = exchange.request.header('accept');
    if (routed) requireProduced(accept, dialect);
    const form = negotiate(accept, dialect, { pretty: wantsPretty(exchange, dialect) });
    const headers = { 'content-type': form.mediaType };
    // compat: documents of the core group do not say of which version they are
    const named = form.format === 'protobuf' ? { apiVersion: '', ...value } : value;
    return { status: 200, headers, body: renderValue(named, form, type) };
  };
  routes.addDocument(
    '/api',
    (exchange) =>
      serveAggregated(exchange, 'core') ??
      answer(exchange, apiVersions(resources, externalAddress() ?? addressUsed(exchange)), apiVersionsType, true),
  );
  const classic = (exchange: Exchange) => answer(exchange, groupList(shown), apiGroupListType);
  routes.add('/apis', (exchange) => serveAggregated(exchange, 'named') ?? classic(exchange));
  // compat: with a slash at its end the path of all groups has no aggregated document
  routes.add('/apis/', classic);
  for (const prefix of ['/api', '/apis'])
    routes.addBelow(prefix, (exchange) => belowRoot(exchange, { resources, shown, dialect }, answer));
}

/** A document in the form the client wants; `routed`: on a path that is chosen by what it answers in. */
type Answer = (exchange: Exchange, value: object, type: StructType, routed?: boolean) => ApiResponse;

/** Every path that discovery answers. */
export function discoveryPaths({ versions }: ShownApis): string[] {
  const named = versions.filter((gv) => gv.group !== '');
  const groups = [...new Set(named.map((gv) => `/apis/${gv.group}`))];
  return ['/api', '/apis', ...groups, ...versions.map(apiPath)];
}

interface Served {
  readonly resources: Resources;
  readonly shown: ShownApis;
  readonly dialect: Dialect;
}

const isSlash = (character: string) => character === '/';

function belowRoot(exchange: Exchange, { resources, shown, dialect }: Served, answer: Answer) {
  const [root, ...rest] = trimEnd(exchange.info.path, isSlash).replace(/^\//, '').split('/');
  const resourceDocument = (group: string, version: string) => {
    const found = groupVersionDocument({ resources, shown, dialect }, group, version);
    // paths of custom groups are chosen by their names alone
    const isBuiltIn = group === '' || resources.hasBuiltIn(group);
    if (isBuiltIn) requireRead(exchange);
    return answer(exchange, found, apiResourceListType, isBuiltIn);
  };
  if (root === 'api') return resourceDocument('', rest[0] ?? '');
  const [group = '', version] = rest;
  if (group === '' || !shown.hasGroup(group)) return undefined;
  if (version !== undefined && !shown.findLocal(group, version) && !resources.hasBuiltIn(group)) return undefined;
  return version === undefined
    ? answer(exchange, groupDocument(shown, group), apiGroupType)
    : resourceDocument(group, version);
}

const addressUsed = ({ request }: Exchange): string => request.header(':authority') ?? request.header('host') ?? '';

function apiVersions(resources: Resources, serverAddress: string): object {
  const versions = resources.groupVersions.filter((gv) => gv.group === '').map((gv) => gv.version);
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
}

function groupList(shown: ShownApis): object {
  const names = [...new Set(shown.listed.map((gv) => gv.group))].filter((group) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: names.map((name) => groupSummary(shown, name)) };
}

function groupDocument(shown: ShownApis, group: string): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupSummary(shown, group) };
}

function groupSummary(shown: ShownApis, group: string): object {
  const versions = shown.listedOf(group).map((gv) => ({ groupVersion: formatApiVersion(gv), version: gv.version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function groupVersionDocument({ resources, shown, dialect }: Served, group: string, version: string): object {
  const found = shown.findLocal(group, version);
  if (found === undefined) throw unknownResource();
  return resourceList(found, resources, dialect);
}

function resourceList(groupVersion: GroupVersionDefinition, resources: Resources, dialect: Dialect): object {
  return {
    kind: 'APIResourceList',
    ...(groupVersion.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatApiVersion(groupVersion),
    resources: groupVersion.resources.flatMap((definition) => [
      describeResource(definition, resources),
      ...(definition.subresources ?? []).map((sub) => describeSubresource(definition, sub, dialect)),
    ]),
  };
}

function describeResource(definition: ResourceDefinition, resources: Resources): object {
  return {
    name: definition.plural,
    singularName: definition.singular,
    namespaced: definition.namespaced,
    kind: definition.kind,
    verbs: shownVerbs(definition),
    ...(definition.shortNames ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories ? { categories: definition.categories } : {}),
    ...(definition.action || definition.computed
      ? {}
      : { storageVersionHash: storageVersionHash(resources.versionsOf(definition).stored) }),
  };
}

/** A short hash of the kind that is stored. */
function storageVersionHash({ group, version, kind, hashedVersion = version }: ResourceDefinition): string {
  const hash = createHash('sha256').update(`${group}/${hashedVersion}/${kind}`).digest();
  return hash.subarray(0, 8).toString('base64');
}

function describeSubresource(definition: ResourceDefinition, sub: SubresourceDefinition, dialect: Dialect): object {
  const shown = sub.is === 'part' ? undefined : { ...sub.shows, group: groupName(dialect, sub.shows.group) };
  return {
    name: `${definition.plural}/${sub.name}`,
    singularName: '',
    namespaced: definition.namespaced,
    ...(shown && (shown.group !== definition.group || shown.version !== definition.version)
      ? { group: shown.group, version: shown.version }
      : {}),
    kind: shown?.kind ?? definition.kind,
    verbs: sub.verbs,
  };
}
