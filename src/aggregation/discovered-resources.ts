// Discovery documents of other servers, read with suspicion: only what a document of this server's own may say is taken.

import { isJsonObject, type JsonValue } from '../base/json/json.ts';

interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface DiscoveredSubresource {
  readonly subresource: string;
  readonly responseKind: ResponseKind;
  readonly verbs: readonly string[];
}

/** A resource as aggregated discovery shows it. */
export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoveredSubresource[];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const maxResources = 2000;
const maxNames = 100;
const maxLength = 253;

const items = (value: JsonValue | undefined, most: number) =>
  (Array.isArray(value) ? value : []).slice(0, most).filter(isJsonObject);
const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value.slice(0, maxLength) : '');
const texts = (value: JsonValue | undefined) =>
  (Array.isArray(value) ? value : [])
    .slice(0, maxNames)
    .map(text)
    .filter((one) => one !== '');

function kindOf(value: JsonValue | undefined): ResponseKind {
  const fields = isJsonObject(value) ? value : {};
  return { group: text(fields['group']), version: text(fields['version']), kind: text(fields['kind']) };
}

const listOrNothing = (name: string, names: readonly string[]) => (names.length === 0 ? {} : { [name]: names });

/** The resources of one group-version in an aggregated document; none where it does not have it. */
export function fromAggregated(document: JsonValue, { group, version }: GroupVersion): readonly DiscoveredResource[] {
  if (!isJsonObject(document)) throw new Error('the discovery document is no object');
  for (const one of items(document['items'], maxResources)) {
    const metadata = isJsonObject(one['metadata']) ? one['metadata'] : {};
    if (text(metadata['name']) !== group) continue;
    const servedVersion = items(one['versions'], maxNames).find((shown) => text(shown['version']) === version);
    return items(servedVersion?.['resources'], maxResources).map(readResource);
  }
  return [];
}

function readResource(given: Readonly<Record<string, JsonValue>>): DiscoveredResource {
  const subresources = items(given['subresources'], maxNames).map((sub) => ({
    subresource: text(sub['subresource']),
    responseKind: kindOf(sub['responseKind']),
    verbs: texts(sub['verbs']),
  }));
  return {
    resource: text(given['resource']),
    responseKind: kindOf(given['responseKind']),
    scope: given['scope'] === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: text(given['singularResource']),
    verbs: texts(given['verbs']),
    ...listOrNothing('shortNames', texts(given['shortNames'])),
    ...listOrNothing('categories', texts(given['categories'])),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** The resources of a classic document, which lists subresources among them; its kind may be missing. */
export function fromResourceList(document: JsonValue): readonly DiscoveredResource[] {
  if (!isJsonObject(document)) throw new Error('the discovery document is no object');
  const { kind = '' } = document;
  if (kind !== '' && kind !== 'APIResourceList') throw new Error('the discovery document is of another kind');
  const all = items(document['resources'], maxResources);
  const subresources = subresourcesIn(all);
  const plain = all.filter((one) => !text(one['name']).includes('/')).map(readClassic);
  return plain.map((resource) => {
    const own = subresources.get(resource.resource);
    return own === undefined ? resource : { ...resource, subresources: own };
  });
}

/** By the resource that they belong to. */
function subresourcesIn(all: ReturnType<typeof items>): ReadonlyMap<string, readonly DiscoveredSubresource[]> {
  const byParent = new Map<string, DiscoveredSubresource[]>();
  for (const one of all) {
    const name = text(one['name']);
    const at = name.indexOf('/');
    if (at < 0) continue;
    const subresource = { subresource: name.slice(at + 1), responseKind: kindOf(one), verbs: texts(one['verbs']) };
    const parent = name.slice(0, at);
    const siblings = byParent.get(parent);
    if (siblings === undefined) byParent.set(parent, [subresource]);
    else siblings.push(subresource);
  }
  return byParent;
}

function readClassic(given: Readonly<Record<string, JsonValue>>): DiscoveredResource {
  return {
    resource: text(given['name']),
    responseKind: kindOf(given),
    scope: given['namespaced'] === true ? 'Namespaced' : 'Cluster',
    singularResource: text(given['singularName']),
    verbs: texts(given['verbs']),
    ...listOrNothing('shortNames', texts(given['shortNames'])),
    ...listOrNothing('categories', texts(given['categories'])),
  };
}
