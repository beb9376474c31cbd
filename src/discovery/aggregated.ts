// Aggregated discovery: everything about all groups in one document, with an ETag.

import { type Format, formatOf, isAnyType, parseAccept, plainJson, wantsPretty } from '../codec/accept.ts';
import { compressed } from '../codec/compression.ts';
import { renderValue } from '../codec/render.ts';
import { groupDiscoveryListType } from '../groups/meta/v1/aggregated-discovery-types.ts';
import { apiGroup, type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { GroupVersionKind } from '../meta/group-version.ts';
import type { Resources } from '../registry/resources.ts';
import { isBuiltIn } from '../schema/object-type.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { answerDocument, Documents } from './documents.ts';
import { isRemote, type ShownApis, type ShownVersion } from './shown-apis.ts';
import { shownVerbs } from './shown-verbs.ts';

type Which = 'core' | 'named';

const kind = 'APIGroupDiscoveryList';
const version = 'v2';

/** Answers undefined when the client did not ask for this form. */
export function aggregated(
  resources: Resources,
  shown: ShownApis,
  dialect: Dialect,
  onBuilt: () => void,
): (exchange: Exchange, which: Which) => Promise<ApiResponse> | undefined {
  const group = apiGroup(dialect, 'apidiscovery');
  const documents = new Documents(resources);
  return (exchange, which) => {
    const asked = acceptedForm(exchange.request.header('accept'), group, dialect);
    return asked && answer(exchange, which, asked);
  };

  async function answer(exchange: Exchange, which: Which, { format, type }: Asked): Promise<ApiResponse> {
    const form = { ...plainJson, format, pretty: wantsPretty(exchange, dialect) };
    const recipe = {
      subject: shown.versions,
      build: async () => {
        onBuilt();
        const list = build(shown, dialect, which, `${group}/${version}`);
        return [Buffer.from(renderValue(list, form, groupDiscoveryListType))];
      },
    };
    const key = `${which} ${format} ${form.pretty}`;
    const document = await answerDocument(exchange, {
      hash: await documents.hash(key, recipe),
      body: () => documents.body(key, recipe),
      contentType: `${type};g=${group};v=${version};as=${kind}`,
      headers: { 'cache-control': 'public' },
    });
    return compressed(exchange.request, document, { headers: { vary: ['Accept', 'Accept-Encoding'] } });
  }
}

interface Asked {
  readonly format: Format;
  readonly type: string;
}

/** compat: who asks for the aggregated document at all gets it, even if it would rather have the classic ones */
function acceptedForm(accept: string | undefined, group: string, dialect: Dialect): Asked | undefined {
  for (const { type, parameters } of parseAccept(accept ?? '')) {
    const { as, g, v } = parameters;
    if (as !== kind || g !== group || v !== version) continue;
    if (isAnyType(type)) return { format: 'json', type: 'application/json' };
    const format = formatOf(type, dialect);
    if (format !== undefined) return { format, type };
  }
  return undefined;
}

function build(shown: ShownApis, dialect: Dialect, which: Which, apiVersion: string): object {
  const wanted = shown.versions.filter((gv) => (gv.group === '') === (which === 'core'));
  const byGroup = new Map<string, object[]>();
  for (const gv of wanted) {
    const versions = byGroup.get(gv.group) ?? [];
    versions.push(describeVersion(gv, dialect));
    byGroup.set(gv.group, versions);
  }
  const items = [...byGroup].map(([name, versions]) => ({ metadata: name === '' ? {} : { name }, versions }));
  return { kind, apiVersion, metadata: {}, items };
}

function describeVersion(groupVersion: ShownVersion, dialect: Dialect): object {
  if (isRemote(groupVersion)) {
    const { version, discovered, freshness } = groupVersion;
    return { version, ...(discovered.length === 0 ? {} : { resources: discovered }), freshness };
  }
  const described = groupVersion.resources.map((definition) => describeResource(definition, dialect));
  return { version: groupVersion.version, resources: described, freshness: 'Current' };
}

function describeResource(definition: ResourceDefinition, dialect: Dialect): object {
  const { group, subresources = [] } = definition;
  const { version, kind, type } = definition;
  // compat: the kind of a built-in resource is named without the group and version it is in
  const named = (shown: GroupVersionKind) =>
    isBuiltIn(type) && shown.group === group && shown.version === version
      ? { group: '', version: '', kind: shown.kind }
      : { group: shown.group, version: shown.version, kind: shown.kind };
  const responseKind = named({ group, version, kind });
  return {
    resource: definition.plural,
    responseKind,
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: shownVerbs(definition),
    ...(definition.shortNames ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories ? { categories: definition.categories } : {}),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind:
              sub.is === 'part' ? responseKind : named({ ...sub.shows, group: groupName(dialect, sub.shows.group) }),
            verbs: sub.verbs,
          })),
        }),
  };
}
