// What is wrong with metadata.managedFields that came from outside, in kube-apiserver's words.

import { isJsonObject } from '../../base/json/json.ts';
import { MalformedElementError } from '../fields/element.ts';
import { type FieldSet, parseFieldSet } from '../fields/field-set.ts';

/** Of the first entry that cannot be understood; undefined where all can. */
export function managersProblem(managedFields: readonly unknown[] = []): string | undefined {
  for (const [index, entry] of managedFields.entries()) {
    const problem = entryProblem(isJsonObject(entry) ? entry : {}, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function entryProblem(entry: Readonly<Record<string, unknown>>, index: number): string | undefined {
  const { operation, apiVersion, fieldsType = '', fieldsV1 = {} } = entry;
  if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
  if (typeof apiVersion !== 'string' || apiVersion === '') return 'apiVersion must not be empty';
  if (fieldsType === '') return `missing fieldsType in managed fields entry ${index}`;
  if (fieldsType !== 'FieldsV1')
    return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
  try {
    parseFieldSet(fieldsV1 as FieldSet);
    return undefined;
  } catch (error) {
    if (!(error instanceof MalformedElementError)) throw error;
    return `error decoding versioned set from managed fields entry ${index}: ${error.message}`;
  }
}
