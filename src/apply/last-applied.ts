// Objects that client-side apply used to manage: it remembered what it applied in an annotation. A client that goes on with
// server-side apply under the same name takes over without conflicts.

import { isJsonObject, type JsonObject, stringifyJson, withSortedKeys } from '../base/json/json.ts';
import { JsonSyntaxError, parseJsonText } from '../base/json/json-scan.ts';
import type { ApiObject } from '../meta/object.ts';
import { difference, emptySet, type FieldSet } from './fields/field-set.ts';
import { checkFit, MisfitError } from './typed/check.ts';
import { compare } from './typed/compare.ts';
import { fieldsOf } from './typed/fields-of.ts';
import type { StructTopology } from './typed/topology.ts';

/** The manager under which the command line tool applies, unless told otherwise. */
export const clientSideManager = 'kubectl';

/** Annotations may be this large together. */
const maxAnnotationBytes = 256 * 1024;

export function lastAppliedOf({ metadata: { annotations } }: ApiObject, annotation: string): string | undefined {
  return annotations !== undefined && Object.hasOwn(annotations, annotation) ? annotations[annotation] : undefined;
}

/** Fields that client-side apply set, as long as they still have the value it gave them. */
export function allowedByLastApplied(
  topology: StructTopology,
  live: ApiObject,
  text: string,
  apiVersion: string,
): FieldSet {
  const last = parseLastApplied(topology, text);
  if (last === undefined || last['apiVersion'] !== apiVersion) return emptySet;
  const { added, modified, removed } = compare(topology, last, live);
  return difference(difference(difference(fieldsOf(topology, last), modified), added), removed);
}

function parseLastApplied(topology: StructTopology, text: string): JsonObject | undefined {
  try {
    const value = parseJsonText(text);
    if (!isJsonObject(value)) return undefined;
    checkFit(topology, value);
    return value;
  } catch (error) {
    if (error instanceof MisfitError || error instanceof SyntaxError || error instanceof JsonSyntaxError)
      return undefined;
    throw error;
  }
}

/** What client-side apply would have written for a configuration. */
export function buildLastApplied(config: JsonObject, annotation: string): string {
  const { metadata, ...rest } = config;
  const said = isJsonObject(metadata) ? { metadata: withoutAnnotation(metadata, annotation) } : {};
  return `${stringifyJson(withSortedKeys({ ...rest, ...said }))}\n`;
}

function withoutAnnotation(metadata: JsonObject, annotation: string): JsonObject {
  if (!isJsonObject(metadata['annotations'])) return metadata;
  const { [annotation]: _, ...annotations } = metadata['annotations'];
  return { ...metadata, annotations };
}

export function areTooLong(annotations: Readonly<Record<string, string>>): boolean {
  let size = 0;
  for (const key of Object.keys(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string);
  return size > maxAnnotationBytes;
}
