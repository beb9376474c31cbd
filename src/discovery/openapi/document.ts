// Whole OpenAPI documents, built from the definitions on the first request.

import { forEachInTurns } from '../../base/time/turns.ts';
import { knownGroupVersions } from '../../groups/catalog.ts';
import {
  apiGroupListType,
  apiGroupType,
  apiResourceListType,
  apiVersionsType,
  versionInfoType,
} from '../../groups/meta/v1/discovery-types.ts';
import { deleteOptions, listOfType, status, watchEvent } from '../../groups/meta/v1/types.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { apiPath, type GroupVersion } from '../../meta/group-version.ts';
import { release } from '../../meta/release.ts';
import { extensionName, type JsonSchema, SchemaCollector } from '../../schema/json-schema.ts';
import { isPlainlyDescribed } from '../../schema/object-type.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../../schema/resource.ts';
import type { SubresourceDefinition } from '../../schema/subresource.ts';
import { type StructType, struct } from '../../schema/types.ts';
import type { OpenApiFragment } from './fragment.ts';
import type { Json } from './gnostic.ts';
import { mergeInto } from './merge.ts';
import { type AboutApi, type OperationSchemas, PathWriter } from './paths.ts';

/** How clients say who they are, for those that are generated. */
const securityDefinitions = {
  BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description: 'The word Bearer and a token.' },
};
const security = [{ BearerToken: [] }];

const infoOf = ({ vendor }: Dialect) => ({
  title: vendor.charAt(0).toUpperCase() + vendor.slice(1),
  version: `${release.major}.${release.minor}`,
});

export async function openApiV2(
  groupVersions: readonly GroupVersionDefinition[],
  fragments: readonly OpenApiFragment[],
  dialect: Dialect,
): Promise<Json> {
  const documents = [...apiDocuments(groupVersions, dialect).values()];
  const { paths, schemas } = await describe(groupVersions, documents, 2, dialect);
  const definitions: Record<string, unknown> = fragments.length === 0 ? schemas : { ...schemas };
  const kindsKey = extensionName(dialect, 'group-version-kind');
  for (const fragment of fragments) await mergeInto({ paths, definitions }, fragment, kindsKey);
  return { swagger: '2.0', info: infoOf(dialect), paths, definitions, securityDefinitions, security };
}

export async function openApiV3(groupVersion: GroupVersionDefinition, dialect: Dialect): Promise<Json> {
  return v3Document(await describe([groupVersion], [], 3, dialect), dialect);
}

/** The description of one document about the API. */
export async function openApiV3Document(document: ApiDocument, dialect: Dialect): Promise<Json> {
  return v3Document(await describe([], [document], 3, dialect), dialect);
}

function v3Document({ paths, schemas }: Described, dialect: Dialect): Json {
  const described = Object.keys(schemas).length === 0 ? {} : { schemas };
  const components = { ...described, securitySchemes: securityDefinitions };
  return { openapi: '3.0.0', info: infoOf(dialect), paths, components };
}

/** Undefined as a type: any text. */
type ApiDocument = Omit<AboutApi, 'schema'> & { readonly type: StructType | undefined };

/** The documents about the API that are no group-versions, by their path without the first slash. */
export function apiDocuments(
  groupVersions: readonly GroupVersionDefinition[],
  dialect: Dialect,
): ReadonlyMap<string, ApiDocument> {
  const { names } = namesFor(dialect);
  const groups = [...new Set(groupVersions.map(({ group }) => group))].filter((group) => group !== '');
  const at = (path: string, operationId: string, tag: string, type?: StructType) =>
    [path, { path: `/${path}/`, operationId, tag, type }] as const;
  const jsonAt = (path: string, operationId: string, tag: string, type?: StructType, json = 'application/json') =>
    [path, { path: `/${path}/`, operationId, tag, type, answers: [json] }] as const;
  return new Map<string, ApiDocument>([
    jsonAt('.well-known/openid-configuration', 'getServiceAccountIssuerOpenIDConfiguration', 'WellKnown'),
    at('api', 'getCoreAPIVersions', 'core', apiVersionsType),
    at('apis', 'getAPIVersions', 'apis', apiGroupListType),
    ...groups.map((group) => {
      const { words, tag } = names({ group, version: '' });
      return at(`apis/${group}`, `get${words}APIGroup`, tag, apiGroupType);
    }),
    jsonAt('openid/v1/jwks', 'getServiceAccountIssuerOpenIDKeyset', 'openid', undefined, 'application/jwk-set+json'),
    jsonAt('version', 'getCodeVersion', 'version', versionInfoType),
  ]);
}

function namesFor(dialect: Dialect): Pick<PathWriter, 'names'> {
  const writer = new PathWriter(3, dialect);
  return { names: (groupVersion) => writer.names(groupVersion) };
}

interface Described {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Resource by resource: there may be thousands, and other requests are served in between. */
async function describe(
  groupVersions: readonly GroupVersionDefinition[],
  documents: readonly ApiDocument[],
  version: 2 | 3,
  dialect: Dialect,
): Promise<Described> {
  const collector = new SchemaCollector({ version, dialect });
  const writer = new PathWriter(version, dialect);
  const paths: Record<string, unknown> = {};
  const schemaOf = (type: StructType | undefined) => documentSchema(type, collector, dialect);
  const all = [...documents, ...groupVersions.map((gv) => resourceDocument(gv, writer))];
  await forEachInTurns(all, ({ type, ...about }) => {
    Object.assign(paths, writer.document({ ...about, schema: schemaOf(type) }));
  });
  // compat: only the document of the core group names the kinds of every group-version
  const isWhole = version === 2 || groupVersions.some(({ group }) => group === '');
  const known = isWhole ? knownGroupVersions(dialect) : [...core, ...groupVersions];
  const common = commonSchemas(collector, known, dialect);
  const definitions = groupVersions.flatMap((gv) => gv.resources);
  await forEachInTurns(definitions, (definition) => {
    const schemas = { ...common, ...schemasOf(definition, collector, dialect) };
    const shown = (sub: SubresourceDefinition) => subresourceSchemas(sub, schemas, collector, dialect);
    Object.assign(paths, writer.describe(definition, schemas, shown));
  });
  return { paths, schemas: collector.schemas };
}

/** The list of resources of a group-version. */
function resourceDocument(groupVersion: GroupVersionDefinition, writer: PathWriter): ApiDocument {
  const { words, tag } = writer.names(groupVersion);
  return {
    path: `${apiPath(groupVersion)}/`,
    operationId: `get${words}APIResources`,
    tag,
    type: apiResourceListType,
  };
}

const patchType = struct('meta/v1', 'Patch', 'A change of an object, in one of the patch formats.', {});
const anyText: JsonSchema = { type: 'string' };

const core: readonly GroupVersion[] = [{ group: '', version: 'v1' }];

/** Most documents about the API are kinds of the core group. */
function documentSchema(type: StructType | undefined, collector: SchemaCollector, dialect: Dialect): JsonSchema {
  if (type === undefined) return anyText;
  return type.home === 'meta/v1'
    ? collector.refer(type, kindExtension(core, type.name, dialect), true)
    : collector.refer(type);
}

type CommonSchemas = Omit<OperationSchemas, 'object' | 'list'>;

/** What resources of every group have. */
function commonSchemas(collector: SchemaCollector, known: readonly GroupVersion[], dialect: Dialect): CommonSchemas {
  return {
    status: () => collector.refer(status, kindExtension(core, 'Status', dialect), true),
    deleteOptions: () => collector.refer(deleteOptions, kindExtension(known, 'DeleteOptions', dialect), true),
    patch: () => collector.refer(patchType),
    watchEvent: () => collector.refer(watchEvent, kindExtension(known, 'WatchEvent', dialect)),
    text: () => anyText,
  };
}

function schemasOf(
  definition: ResourceDefinition,
  collector: SchemaCollector,
  dialect: Dialect,
): Pick<OperationSchemas, 'object' | 'list'> {
  const { type, kind, listKind = `${kind}List`, selectableFields = {} } = definition;
  const selectable = isPlainlyDescribed(type) ? selectableExtension(Object.keys(selectableFields), dialect) : {};
  const extra = (shown: string) => ({ ...kindExtension([definition], shown, dialect), ...selectable });
  return {
    object: () => collector.refer(type, extra(kind), true),
    list: () => collector.refer(listOfType(type), extra(listKind), true),
  };
}

/** compat: fields that selectors may name are told of custom resources only */
function selectableExtension(fields: readonly string[], dialect: Dialect): JsonSchema {
  if (fields.length === 0) return {};
  return { [extensionName(dialect, 'selectable-fields')]: fields.map((fieldPath) => ({ fieldPath })) };
}

/** A subresource of the parent's kind is described as the parent is; others by what they show. */
function subresourceSchemas(
  sub: SubresourceDefinition,
  schemas: OperationSchemas,
  collector: SchemaCollector,
  dialect: Dialect,
): OperationSchemas {
  if (sub.is === 'part') return schemas;
  // this server cannot describe what another server answers
  if (sub.is === 'connect') return { ...schemas, object: schemas.text };
  const { kind, version } = sub.shows;
  const group = groupName(dialect, sub.shows.group);
  const object = () => collector.refer(sub.type, kindExtension([{ group, version }], kind, dialect), true);
  return { ...schemas, object };
}

/** Says which kind a schema is of, in each group-version that has it. */
function kindExtension(home: readonly GroupVersion[], kind: string, dialect: Dialect): JsonSchema {
  const kinds = home.map(({ group, version }) => ({ group, kind, version }));
  return { [extensionName(dialect, 'group-version-kind')]: kinds };
}
