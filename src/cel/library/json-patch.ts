// Types and functions of expressions that make changes: objects by the names of their fields, and steps of a JSON patch.

import { type Library, plain } from '../declarations.ts';
import { dyn, type ObjectField, type ObjectType, objectOf, string } from '../types.ts';

const text: ObjectField = { type: string, zero: '' };
const stepFields: ReadonlyMap<string, ObjectField> = new Map([
  ['op', text],
  ['from', text],
  ['path', text],
  ['value', { type: dyn }],
]);

/** One step of a JSON patch. */
export const patchStepType: ObjectType = objectOf({ name: 'JSONPatch', field: (name) => stepFields.get(name) });

const anyField: ObjectField = { type: dyn };
const rootName = 'Object';

/** `Object`, and `Object.spec.template` for objects in its fields. The types of the fields are unknown. */
const partType = (name: string): ObjectType => objectOf({ name, field: () => anyField });

/** A part of an object, to be merged into one. */
export const partialObjectType: ObjectType = partType(rootName);

/** The types by which an expression writes changes. */
export function changeTypeNamed(name: string): ObjectType | undefined {
  if (name === rootName) return partialObjectType;
  if (name.startsWith(`${rootName}.`)) return partType(name);
  return name === patchStepType.fields.name ? patchStepType : undefined;
}

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

export const jsonPatch: Library = {
  functions: { 'jsonpatch.escapeKey': [plain('string_jsonpatch_escapeKey_string', [string], string, escapeKey)] },
};
