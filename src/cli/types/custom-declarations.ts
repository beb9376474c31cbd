// TypeScript declarations of custom resources, from the schemas of their definitions.

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';

const header = `// Made from CustomResourceDefinitions by \`keelson types\`. Do not edit.

interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}
`;

/** An interface for each kind and version; a version is part of the name where a kind has several. */
export function declarationsOf(definitions: readonly JsonObject[]): string {
  const kinds = definitions.flatMap(kindsOf);
  const names = new Map<string, number>();
  const interfaces = kinds.map((kind) => {
    const name = kind.isOnly ? kind.kind : `${kind.kind}${pascal(kind.version)}`;
    const uses = (names.get(name) ?? 0) + 1;
    names.set(name, uses);
    // two groups may have a kind of one name
    return declarationOf(uses === 1 ? name : `${name}Of${pascal(kind.group)}`, kind);
  });
  return [header, ...interfaces].join('\n').replace(/^interface /gm, 'export interface ');
}

interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isOnly: boolean;
  readonly schema: JsonObject;
}

const memberOf = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function kindsOf({ spec }: JsonObject): readonly CustomKind[] {
  const versions = [memberOf(spec, 'versions') ?? []].flat();
  return versions.map((version) => ({
    group: String(memberOf(spec, 'group')),
    version: String(memberOf(version, 'name')),
    kind: pascal(String(memberOf(memberOf(spec, 'names'), 'kind'))),
    isOnly: versions.length === 1,
    schema: (memberOf(memberOf(version, 'schema'), 'openAPIV3Schema') ?? {}) as JsonObject,
  }));
}

/** `v1beta1` is `V1beta1`; other characters than those of a name are left out. */
const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

function declarationOf(name: string, { group, version, kind, schema }: CustomKind): string {
  const properties = memberOf(schema, 'properties');
  const required = listOf(memberOf(schema, 'required'));
  const others = Object.entries(isJsonObject(properties) ? properties : {}).filter(([key]) => !ownKeys.includes(key));
  const members = others.map(([key, value]) => memberText(key, value, required.includes(key), 1, 0)).join('');
  const apiVersion = JSON.stringify(`${group}/${version}`);
  return `${comment(schema, '')}interface ${name} {
  apiVersion: ${apiVersion};
  kind: ${JSON.stringify(kind)};
  metadata: ObjectMeta;
${members}}
`;
}

const ownKeys: readonly string[] = ['apiVersion', 'kind', 'metadata'];

const listOf = (value: JsonValue | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function memberText(key: string, schema: JsonValue, isRequired: boolean, level: number, depth: number): string {
  const indent = '  '.repeat(level);
  const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
  const type = typeOf(schema, level, depth + 1);
  return `${comment(schema, indent)}${indent}${name}${isRequired ? '' : '?'}: ${type};\n`;
}

/** In the spelling of any dialect. */
const hasExtension = (schema: JsonObject, name: string): boolean =>
  Object.entries(schema).some(([key, value]) => value === true && key.startsWith('x-') && key.endsWith(`-${name}`));

/** A schema may be as deep as a JSON text; declarations are for people. */
const maxDepth = 40;

function typeOf(schema: JsonValue | undefined, level: number, depth: number): string {
  if (!isJsonObject(schema) || depth > maxDepth) return 'unknown';
  const type = plainType(schema, level, depth);
  return schema['nullable'] === true ? `${type} | null` : type;
}

function plainType(schema: JsonObject, level: number, depth: number): string {
  if (hasExtension(schema, 'int-or-string')) return 'number | string';
  if (Array.isArray(schema['enum']) && schema['enum'].length > 0)
    return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  switch (schema['type']) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array': {
      const item = typeOf(schema['items'], level, depth + 1);
      return / \| /.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, level, depth);
    default:
      return 'unknown';
  }
}

function objectType(schema: JsonObject, level: number, depth: number): string {
  const { properties, additionalProperties } = schema;
  if (isJsonObject(additionalProperties)) return `Record<string, ${typeOf(additionalProperties, level, depth + 1)}>`;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return 'Record<string, unknown>';
  const required = listOf(schema['required']);
  const members = Object.entries(properties).map(([key, value]) =>
    memberText(key, value, required.includes(key), level + 1, depth),
  );
  const open = hasExtension(schema, 'preserve-unknown-fields')
    ? `${'  '.repeat(level + 1)}[key: string]: unknown;\n`
    : '';
  return `{\n${members.join('')}${open}${'  '.repeat(level)}}`;
}

/** The first line of a description; it cannot end the comment. */
function comment(schema: JsonValue, indent: string): string {
  const description = memberOf(schema, 'description');
  if (typeof description !== 'string') return '';
  const [line = ''] = description.trim().split('\n');
  const text = line
    .replaceAll('*/', '* /')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 140)
    .trim();
  return text === '' ? '' : `${indent}/** ${text} */\n`;
}
