// Aggregated discovery: everything about all groups in one document, with an ETag.

import { createHash } from 'node:crypto';
import { parseAccept } from '../codec/accept.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';

type Which = 'core' | 'named';
type Version = 'v2' | 'v2beta1';

interface Document {
  readonly generation: number;
  readonly body: string;
  readonly etag: string;
}

/** Answers undefined when the client did not ask for this form. */
export function aggregated(
  resources: Resources,
  dialect: Dialect,
): (exchange: Exchange, which: Which) => ApiResponse | undefined {
  const group = apiGroup(dialect, 'apidiscovery');
  const documents = new Map<string, Document>();
  return ({ request }, which) => {
    const version = acceptedVersion(request.header('accept'), group);
    if (version === undefined) return undefined;
    const key = `${which} ${version}`;
    let document = documents.get(key);
    if (document?.generation !== resources.generation) {
      document = build(resources, which, `${group}/${version}`);
      documents.set(key, document);
    }
    const contentType = `application/json;g=${group};v=${version};as=APIGroupDiscoveryList`;
    const headers = { 'content-type': contentType, etag: document.etag, vary: 'Accept' };
    if (request.header('if-none-match') === document.etag) return { status: 304, headers };
    return { status: 200, headers, body: document.body };
  };
}

/** Plain JSON, when the client prefers it, means the classic documents. */
function acceptedVersion(accept: string | undefined, group: string): Version | undefined {
  for (const { type, parameters } of parseAccept(accept ?? '')) {
    if (type !== 'application/json' && type !== '*/*') continue;
    if (parameters['as'] === undefined) return undefined;
    if (parameters['as'] !== 'APIGroupDiscoveryList' || parameters['g'] !== group) continue;
    if (parameters['v'] === 'v2' || parameters['v'] === 'v2beta1') return parameters['v'];
  }
  return undefined;
}

function build(resources: Resources, which: Which, apiVersion: string): Document {
  const wanted = resources.groupVersions.filter((gv) => (gv.group === '') === (which === 'core'));
  const items = [...new Set(wanted.map((gv) => gv.group))].map((name) => ({
    metadata: name === '' ? {} : { name },
    versions: wanted.filter((gv) => gv.group === name).map(describeVersion),
  }));
  const body = JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items });
  const etag = `"${createHash('sha256').update(body).digest('hex').toUpperCase()}"`;
  return { generation: resources.generation, body, etag };
}

function describeVersion({ version, resources }: GroupVersionDefinition): object {
  return { version, resources: resources.map(describeResource), freshness: 'Current' };
}

function describeResource(definition: ResourceDefinition): object {
  const { group, version, kind, subresources = [] } = definition;
  const responseKind = { group, version, kind };
  return {
    resource: definition.plural,
    responseKind,
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: definition.verbs,
    ...(definition.shortNames ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories ? { categories: definition.categories } : {}),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((sub) => ({ subresource: sub.name, responseKind, verbs: sub.verbs })) }),
  };
}
