// Values as messages of the reference implementation show them: it works on its own types, whose fields are all there.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { givenEmpty } from '../../schema/given-empty.ts';
import { referenceNames } from './reference-names.ts';

/**
 * A value of the type of that name, or a list of them.
 * compat: values in messages have the field names of the reference implementation's own types, and all of their fields
 */
export function inReferenceForm(type: string, value: unknown): unknown {
  return shown(type, value, {});
}

/** A type by its name, as data has it. */
function shown(type: string, value: unknown, around: JsonObject): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && unionForms[type] === undefined) return value.map((item) => shown(type, item, {}));
  const union = unionForms[type]?.(value);
  if (union !== undefined) return union;
  return isJsonObject(value) ? shownStruct(type, value, around) : value;
}

interface Place {
  readonly name: string;
  readonly from: 'here' | 'around' | 'members';
  readonly wire: string;
  readonly is: string;
}

const layouts = new Map<string, readonly Place[]>();

function layoutOf(type: string): readonly Place[] {
  const layout = layouts.get(type) ?? (referenceNames[type] as string).split(' ').map(placeOf);
  layouts.set(type, layout);
  return layout;
}

function placeOf(text: string): Place {
  if (text.startsWith('+')) return { name: '', from: 'members', wire: text.slice(1), is: '' };
  const [field = '', is = ''] = text.split(':');
  const [name = '', wire = `${name.charAt(0).toLowerCase()}${name.slice(1)}`] = field.split('=');
  return wire.startsWith('^') ? { name, from: 'around', wire: wire.slice(1), is } : { name, from: 'here', wire, is };
}

function shownStruct(type: string, value: JsonObject, around: JsonObject): unknown {
  const result: Record<string, unknown> = {};
  for (const { name, from, wire, is } of layoutOf(type)) {
    if (from === 'members') Object.assign(result, value[wire]);
    else {
      const holder = from === 'around' ? around : value;
      result[name] = givenEmpty(holder, wire) ?? shownField(is, memberOf(holder, wire), value);
    }
  }
  return result;
}

/** `~name` is an extension of that name, which begins with the name of the dialect's vendor. */
function memberOf(value: JsonObject, wire: string): unknown {
  if (!wire.startsWith('~')) return value[wire];
  const key = Object.keys(value).find((one) => one.startsWith('x-') && one.endsWith(`-${wire.slice(1)}`));
  return key === undefined ? undefined : value[key];
}

function shownField(is: string, value: unknown, around: JsonObject): unknown {
  const given = value ?? undefined;
  if (is === '' || is in zeros) return given ?? zeros[is] ?? null;
  if (is.startsWith('*')) return shown(is.slice(1), given, around);
  if (!is.startsWith('%')) return shown(is, given ?? {}, around);
  return isJsonObject(given) ? mapped(given, (member) => shown(is.slice(1), member, {})) : null;
}

function mapped(value: JsonObject, change: (member: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]));
}

/** What a field is that was never set. */
const zeros: Readonly<Record<string, unknown>> = { s: '', b: false, i: 0, q: '0' };

const schema = (value: unknown) => shown('JSONSchemaProps', value, {});

/** Schemas that may also be a list or a flag. */
const unionForms: Readonly<Record<string, (value: unknown) => unknown>> = {
  JSONSchemaPropsOrArray: (value) =>
    Array.isArray(value)
      ? { Schema: null, JSONSchemas: value.map(schema) }
      : { Schema: schema(value), JSONSchemas: null },
  JSONSchemaPropsOrBool: (value) =>
    typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: schema(value) },
};
