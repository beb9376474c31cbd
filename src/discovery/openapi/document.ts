// Whole OpenAPI documents, built from the definitions when somebody asks.

import { deleteOptions, listOfType, status } from '../../groups/meta/v1/types.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { extensionName, type JsonSchema, SchemaCollector } from '../../schema/json-schema.ts';
import type { GroupVersionDefinition, ResourceDefinition, SubresourceDefinition } from '../../schema/resource.ts';
import { struct } from '../../schema/types.ts';
import { type OperationSchemas, PathWriter } from './paths.ts';

const info = { title: 'Keelson', version: 'v1.36' };

export function openApiV2(groupVersions: readonly GroupVersionDefinition[], dialect: Dialect): object {
  const { paths, schemas } = describe(groupVersions, 2, dialect);
  return { swagger: '2.0', info, paths, definitions: schemas };
}

export function openApiV3(groupVersion: GroupVersionDefinition, dialect: Dialect): object {
  const { paths, schemas } = describe([groupVersion], 3, dialect);
  return { openapi: '3.0.0', info, paths, components: { schemas } };
}

function describe(groupVersions: readonly GroupVersionDefinition[], version: 2 | 3, dialect: Dialect) {
  const collector = new SchemaCollector({ version, dialect });
  const writer = new PathWriter(version, dialect);
  const paths: Record<string, unknown> = {};
  for (const definition of groupVersions.flatMap((gv) => gv.resources)) {
    const schemas = schemasOf(definition, collector, dialect);
    const shown = (sub: SubresourceDefinition) => subresourceSchemas(sub, schemas, collector, dialect);
    for (const [path, item] of writer.describe(definition, schemas, shown)) paths[path] = item;
  }
  return { paths, schemas: collector.schemas };
}

const patchType = struct('meta/v1', 'Patch', 'A change of an object, in one of the patch formats.', {});

function schemasOf(definition: ResourceDefinition, collector: SchemaCollector, dialect: Dialect): OperationSchemas {
  const { type, kind } = definition;
  return {
    object: collector.refer(type, kindExtension(definition, kind, dialect), true),
    list: collector.refer(listOfType(type), kindExtension(definition, `${kind}List`, dialect), true),
    status: collector.refer(status, kindExtension({ group: '', version: 'v1' }, 'Status', dialect), true),
    deleteOptions: collector.refer(
      deleteOptions,
      kindExtension({ group: '', version: 'v1' }, 'DeleteOptions', dialect),
      true,
    ),
    patch: collector.refer(patchType),
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
  if (sub.is === 'connect') return { ...schemas, object: { type: 'string' } };
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
