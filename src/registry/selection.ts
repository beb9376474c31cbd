// Which objects of a resource a list or watch is about.

import { type FieldSelector, matchesFields, selectedName } from '../meta/field-selector.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { type LabelSelector, matchesLabels } from '../meta/label-selector.ts';
import { badRequest } from '../meta/status.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StoredObject } from './stored-object.ts';

export interface Selection {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

export function parseSelection(
  definition: ResourceDefinition,
  query: {
    readonly namespace: string;
    readonly labels?: LabelSelector;
    readonly fields?: FieldSelector;
  },
): Selection {
  const { fields = [] } = query;
  for (const { field } of fields) {
    if (!isSelectable(definition, field)) throw badRequest(notSelectable(definition, field));
  }
  return {
    namespace: query.namespace || namespaceIn(definition, fields),
    labels: query.labels ?? [],
    fields,
  };
}

/** Objects of all namespaces that have to be in one are looked for in that one only. */
function namespaceIn({ namespaced }: ResourceDefinition, fields: FieldSelector): string {
  const named = fields.find(({ field, operator }) => field === 'metadata.namespace' && operator === '=');
  return namespaced ? (named?.value ?? '') : '';
}

/** compat: kinds with fields of their own word it differently from those with metadata only */
function notSelectable(definition: ResourceDefinition, field: string): string {
  const { selectableFields, kind, quirks } = definition;
  if (quirks?.refusesFields === 'ofKind') return `field label ${JSON.stringify(field)} not supported for ${kind}`;
  if (quirks?.refusesFields === 'ofVersion')
    return `field label not supported for ${formatApiVersion(definition)}, Kind=${kind}: ${field}`;
  if (selectableFields !== undefined) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

export function isSelectable(definition: ResourceDefinition, field: string): boolean {
  if (field === 'metadata.name') return true;
  const { selectableFields, namespaced } = definition;
  // compat: kinds with metadata only may be selected by a namespace even where they have none
  if (field === 'metadata.namespace') return namespaced || selectableFields === undefined;
  return selectableFields !== undefined && Object.hasOwn(selectableFields, field);
}

export function selectsAll(selection: Selection): boolean {
  return selection.labels.length === 0 && selection.fields.length === 0;
}

export function selects({ labels, fields }: Selection, stored: StoredObject): boolean {
  if (labels.length > 0 && !matchesLabels(labels, stored.labels)) return false;
  return fields.length === 0 || matchesFields(fields, (field) => stored.field(field));
}

/** The one object a selection can match, when it names it. */
export function onlyName(definition: ResourceDefinition, selection: Selection): string | undefined {
  return definition.namespaced && selection.namespace === '' ? undefined : selectedName(selection.fields);
}

/** A value that an index can find objects by. */
interface IndexTerm {
  readonly index: string;
  readonly values: readonly string[];
}

/** Indexes that a cache has from the beginning. */
export function lastingIndexes({ indexedFields = [] }: ResourceDefinition): readonly string[] {
  return indexedFields.map((field) => `field:${field}`);
}

/** What an object needs in a lasting index for a selection to match it; undefined where no such index tells. */
export function lastingTerm(definition: ResourceDefinition, { fields }: Selection): IndexTerm | undefined {
  const found = fields.find(({ operator, field }) => operator === '=' && definition.indexedFields?.includes(field));
  return found && { index: `field:${found.field}`, values: [found.value, otherVersion] };
}

/** The part of a selection that an index answers, if there is one: a field or a label that has to have a value. */
export function indexTerm({ labels, fields }: Selection): IndexTerm | undefined {
  const field = fields.find(({ operator, field }) => operator === '=' && !field.startsWith('metadata.'));
  if (field !== undefined) return { index: `field:${field.field}`, values: [field.value] };
  const label = labels.find(({ operator }) => operator === 'in');
  return label && { index: `label:${label.key}`, values: label.values };
}

/** The value in every index of objects that are stored in another version: what they have in this one is not known. */
export const otherVersion = '\u0000other version';

/** What an object has in an index of the stored version. */
export function indexed(version: ResourceDefinition, stored: StoredObject, index: string): string | undefined {
  if (stored.definition !== version) return otherVersion;
  const at = index.indexOf(':');
  const name = index.slice(at + 1);
  if (index.slice(0, at) === 'field') return stored.indexedField(name);
  const { labels } = stored;
  return labels !== undefined && Object.hasOwn(labels, name) ? labels[name] : undefined;
}
