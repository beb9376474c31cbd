// How objects are shown to a client: whole, as metadata, or as rows of a table.

import type { Representation } from '../codec/accept.ts';
import { type IncludeObject, partialMetadata, type TableOptions, table, tableRow } from '../codec/render.ts';
import { listOfType, partialObjectMetadata } from '../groups/meta/v1/types.ts';
import { type Dialect, metaGroup } from '../meta/dialect.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { badRequest, noSuchShape } from '../meta/status.ts';
import type { TableEffort } from '../schema/column.ts';
import { goTypeName, hasTypedItems, type ObjectType } from '../schema/object-type.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Call } from './call.ts';
import type { KeptForms } from './forms/kept-forms.ts';

/** Everything that decides how an object looks; it holds nothing of the request, so that it may outlive it. */
export interface Shape {
  readonly definition: ResourceDefinition;
  readonly dialect: Dialect;
  readonly form: Representation;
  readonly table: TableOptions;
  /** Where messages are kept. */
  readonly kept?: KeptForms;
}

/** A value and the type that describes it. */
export interface Shaped {
  readonly value: object;
  readonly type: ObjectType;
}

export function shapeOf(call: Call, form: Representation): Shape {
  const { definition } = call.resource;
  const { context } = call.registry;
  const include = form.as === 'Table' ? includeOf(call) : 'None';
  return {
    definition,
    dialect: call.services.dialect,
    form,
    table: { definition, context, version: form.version, include },
    kept: call.services.keptForms,
  };
}

const includes: readonly string[] = ['None', 'Metadata', 'Object'];

function includeOf(call: Call): IncludeObject {
  const include = call.exchange.query.get('includeObject') || 'Metadata';
  if (includes.includes(include)) return include as IncludeObject;
  const { field, message } = invalidValue('includeObject', include, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(`Unable to convert to Table as requested: ${field}: ${message}`);
}

/** The object, its metadata or a table of one row. */
export function shapeObject(shape: Shape, object: ApiObject, withColumns = true): Shaped {
  const { definition, dialect, form } = shape;
  switch (form.as) {
    case 'Object':
      return { value: object, type: definition.type };
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { value: partialMetadata(object, definition, dialect, form.version), type: partialObjectMetadata };
    case 'Table': {
      const { resourceVersion } = object.metadata;
      const metadata = resourceVersion ? { resourceVersion } : {};
      const value = table([tableRow(object, shape.table)], metadata, shape.table, withColumns);
      return { value, type: definition.type };
    }
  }
}

export const typeName = ({ type, kind, quirks }: Pick<ResourceDefinition, 'type' | 'kind' | 'quirks'>): string =>
  `*${quirks?.typeOfGroup === undefined ? goTypeName(type, kind) : `${quirks.typeOfGroup}.${kind}`}`;

/** A list without its items, which are its last field. */
export function shapeEmptyList({ definition, dialect, form, table: options }: Shape, metadata: object): Shaped {
  switch (form.as) {
    case 'Object': {
      const kind = definition.listKind ?? `${definition.kind}List`;
      const meta = hasTypedItems(definition.type) ? { continue: '', ...metadata } : metadata;
      const value = { kind, apiVersion: formatApiVersion(definition), metadata: meta, items: [] };
      return { value, type: listOfType(definition.type) };
    }
    case 'PartialObjectMetadata':
      throw noSuchShape(form.as, true, `${typeName(definition)}List`);
    case 'PartialObjectMetadataList': {
      const apiVersion = `${metaGroup(dialect)}/${form.version}`;
      const value = { kind: 'PartialObjectMetadataList', apiVersion, metadata, items: [] };
      return { value, type: listOfType(partialObjectMetadata) };
    }
    case 'Table':
      return { value: table([], metadata, options), type: listOfType(definition.type) };
  }
}

/** What the rows of a table cost beyond what each may cost anyway. */
const maxTableVisits = 100_000;

/** For the rows of one answer. */
export const newTableEffort = (): TableEffort => ({ visitsLeft: maxTableVisits });

/** One item of such a list. */
export function shapeItem(
  { definition, dialect, form, table: options }: Shape,
  object: ApiObject,
  effort?: TableEffort,
): Shaped {
  switch (form.as) {
    case 'Object': {
      if (hasTypedItems(definition.type)) return { value: object, type: definition.type };
      const { kind: _, apiVersion: __, ...item } = object;
      return { value: item, type: definition.type };
    }
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { value: partialMetadata(object, definition, dialect, form.version), type: partialObjectMetadata };
    case 'Table':
      return { value: tableRow(object, options, effort), type: definition.type };
  }
}
