// The schema of a kind, from the OpenAPI document of its version.

import { getJson } from '../api.ts';
import { apiVersionOf, type Kind } from '../discovery.ts';
import { type Schema, within } from './schema.ts';

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export async function schemaOf({ group, version, kind }: Kind): Promise<Schema | undefined> {
  const path = `${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`;
  const { components } = await getJson<OpenApi>(`/openapi/v3/${path}`);
  const schemas = components?.schemas ?? {};
  const schema = Object.values(schemas).find((one) =>
    one['x-kubernetes-group-version-kind']?.some(
      (named) => named.group === group && named.version === version && named.kind === kind,
    ),
  );
  return schema && within(schema, schemas);
}
