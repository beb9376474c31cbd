// Whole OpenAPI documents, built from the definitions when somebody asks.

import {
  apiGroupListType,
  apiGroupType,
  apiResourceListType,
  apiVersionsType,
  versionInfoType,
} from '../../groups/meta/v1/discovery-types.ts';
import { deleteOptions, listOfType, status, watchEvent } from '../../groups/meta/v1/types.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { apiPath } from '../../meta/group-version.ts';
import { extensionName, type JsonSchema, SchemaCollector } from '../../schema/json-schema.ts';
import type { GroupVersionDefinition, ResourceDefinition, SubresourceDefinition } from '../../schema/resource.ts';
import { type StructType, struct } from '../../schema/types.ts';
import { type AboutApi, type OperationSchemas, PathWriter } from './paths.ts';

/** How clients say who they are, for those that are generated. */
const securityDefinitions = {
  BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description: 'The word Bearer and a token.' },
};
const security = [{ BearerToken: [] }];

const info = { title: 'Keelson', version: 'v1.36' };

export function openApiV2(groupVersions: readonly GroupVersionDefinition[], dialect: Dialect): object {
  const documents = [...apiDocuments(groupVersions, dialect).values()];
  const { paths, schemas } = describe(groupVersions, documents, 2, dialect);
  return { swagger: '2.0', info, paths, definitions: schemas, securityDefinitions, security };
}

export function openApiV3(groupVersion: GroupVersionDefinition, dialect: Dialect): object {
  return v3Document(describe([groupVersion], [], 3, dialect));
}

/** The description of one document about the API. */
export function openApiV3Document(document: ApiDocument, dialect: Dialect): object {
  return v3Document(describe([], [document], 3, dialect));
}

function v3Document({ paths, schemas }: ReturnType<typeof describe>): object {
  const components = { schemas, securitySchemes: securityDefinitions };
  return { openapi: '3.0.0', info, paths, components, security };
}

/** Undefined as a type: any text. */
export type ApiDocument = Omit<AboutApi, 'schema'> & { readonly type: StructType | undefined };

/** The documents about the API that are no group-versions, by their path without the first slash. */
export function apiDocuments(
  groupVersions: readonly GroupVersionDefinition[],
  dialect: Dialect,
): ReadonlyMap<string, ApiDocument> {
  const { names } = namesFor(dialect);
  const groups = [...new Set(groupVersions.map(({ group }) => group))].filter((group) => group !== '');
  const at = (path: string, operationId: string, tag: string, type?: StructType) =>
    [path, { path: `/${path}/`, operationId, tag, type }] as const;
  return new Map([
    at('.well-known/openid-configuration', 'getServiceAccountIssuerOpenIDConfiguration', 'WellKnown'),
    at('api', 'getCoreAPIVersions', 'core', apiVersionsType),
    at('apis', 'getAPIVersions', 'apis', apiGroupListType),
    ...groups.map((group) => {
      const { words, tag } = names({ group, version: '' });
      return at(`apis/${group}`, `get${words}APIGroup`, tag, apiGroupType);
    }),
    at('openid/v1/jwks', 'getServiceAccountIssuerOpenIDKeyset', 'openid'),
    at('version', 'getCodeVersion', 'version', versionInfoType),
  ]);
}

function namesFor(dialect: Dialect): Pick<PathWriter, 'names'> {
  const writer = new PathWriter(3, dialect);
  return { names: (groupVersion) => writer.names(groupVersion) };
}

function describe(
  groupVersions: readonly GroupVersionDefinition[],
  documents: readonly ApiDocument[],
  version: 2 | 3,
  dialect: Dialect,
) {
  const collector = new SchemaCollector({ version, dialect });
  const writer = new PathWriter(version, dialect);
  const paths: Record<string, unknown> = {};
  const schemaOf = (type: StructType | undefined) => (type === undefined ? anyText : collector.refer(type));
  for (const { type, ...about } of [...documents, ...groupVersions.map((gv) => resourceDocument(gv, writer))]) {
    const [path, item] = writer.document({ ...about, schema: schemaOf(type) });
    paths[path] = item;
  }
  for (const definition of groupVersions.flatMap((gv) => gv.resources)) {
    const schemas = schemasOf(definition, collector, dialect);
    const shown = (sub: SubresourceDefinition) => subresourceSchemas(sub, schemas, collector, dialect);
    for (const [path, item] of writer.describe(definition, schemas, shown)) paths[path] = item;
  }
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

function schemasOf(definition: ResourceDefinition, collector: SchemaCollector, dialect: Dialect): OperationSchemas {
  const { type, kind } = definition;
  const core = (name: string) => kindExtension({ group: '', version: 'v1' }, name, dialect);
  return {
    object: collector.refer(type, kindExtension(definition, kind, dialect), true),
    list: collector.refer(listOfType(type), kindExtension(definition, `${kind}List`, dialect), true),
    status: collector.refer(status, core('Status'), true),
    deleteOptions: collector.refer(deleteOptions, core('DeleteOptions'), true),
    patch: collector.refer(patchType),
    watchEvent: collector.refer(watchEvent, core('WatchEvent')),
    text: anyText,
  };
}

/** A subresource of the parent's kind is described as the parent is; others by what they show. */
function subresourceSchemas(
  sub: SubresourceDefinition,
  schemas: OperationSchemas,
  collector: SchemaCollector,
  dialect: Dialect,
): OperationSchemas {
  if (sub.is === 'part') return schemas;
  // what another server answers is nobody's to describe
  if (sub.is === 'connect') return { ...schemas, object: anyText };
  const { kind, version } = sub.shows;
  const group = groupName(dialect, sub.shows.group);
  return { ...schemas, object: collector.refer(sub.type, kindExtension({ group, version }, kind, dialect), true) };
}

function kindExtension(
  { group, version }: { group: string; version: string },
  kind: string,
  dialect: Dialect,
): JsonSchema {
  return { [extensionName(dialect, 'group-version-kind')]: [{ group, kind, version }] };
}
