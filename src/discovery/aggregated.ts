// Aggregated discovery: everything about all groups in one document, with an ETag.

import { parseAccept } from '../codec/accept.ts';
import { apiGroup, type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import { answerDocument, Documents } from './documents.ts';

type Which = 'core' | 'named';
type Version = 'v2' | 'v2beta1';

/** Answers undefined when the client did not ask for this form. */
export function aggregated(
  resources: Resources,
  dialect: Dialect,
): (exchange: Exchange, which: Which) => ApiResponse | undefined {
  const group = apiGroup(dialect, 'apidiscovery');
  const documents = new Documents(resources);
  return (exchange, which) => {
    const version = acceptedVersion(exchange.request.header('accept'), group);
    if (version === undefined) return undefined;
    const document = documents.get(`${which} ${version}`, () =>
      build(resources, dialect, which, `${group}/${version}`),
    );
    return answerDocument(exchange, document, `application/json;g=${group};v=${version};as=APIGroupDiscoveryList`);
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

function build(resources: Resources, dialect: Dialect, which: Which, apiVersion: string): string {
  const wanted = resources.groupVersions.filter((gv) => (gv.group === '') === (which === 'core'));
  const items = [...new Set(wanted.map((gv) => gv.group))].map((name) => ({
    metadata: name === '' ? {} : { name },
    versions: wanted.filter((gv) => gv.group === name).map((gv) => describeVersion(gv, dialect)),
  }));
  return JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items });
}

function describeVersion({ version, resources }: GroupVersionDefinition, dialect: Dialect): object {
  const described = resources.map((definition) => describeResource(definition, dialect));
  return { version, resources: described, freshness: 'Current' };
}

function describeResource(definition: ResourceDefinition, dialect: Dialect): object {
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
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind:
              sub.is === 'part' ? responseKind : { ...sub.shows, group: groupName(dialect, sub.shows.group) },
            verbs: sub.verbs,
          })),
        }),
  };
}
