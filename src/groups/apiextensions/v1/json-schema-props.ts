// JSONSchemaProps: the schema of a custom resource, as its definition writes it.

import { schemaExtension } from '../../../meta/dialect.ts';
import {
  anyJson,
  bool,
  double,
  field,
  int64,
  listOf,
  mapOf,
  type StructType,
  string,
  struct,
  type UnionType,
  union,
} from '../../../schema/types.ts';

const home = 'apiextensions/v1';

/** A schema as custom resources give it; keywords are checked by the kind, not by the type. */
export interface JsonSchemaProps {
  readonly [keyword: string]: unknown;
}

const jsonSchemaPropsOrArray: UnionType<unknown> = union(
  home,
  'JSONSchemaPropsOrArray',
  'Either one schema or a list of schemas.',
  () => [
    { number: 1, type: jsonSchemaProps },
    { number: 2, type: listOf(jsonSchemaProps) },
  ],
  '',
);

const jsonSchemaPropsOrBool: UnionType = union(
  home,
  'JSONSchemaPropsOrBool',
  'Either a schema or a plain true or false.',
  () => [
    { number: 1, type: bool },
    { number: 2, type: jsonSchemaProps },
  ],
  'boolean or JSON schema expected',
);

const jsonSchemaPropsOrStringArray: UnionType = union(
  home,
  'JSONSchemaPropsOrStringArray',
  'Either a schema or a list of property names.',
  () => [
    { number: 1, type: jsonSchemaProps },
    { number: 2, type: listOf(string) },
  ],
  '',
);

const externalDocumentation = struct(home, 'ExternalDocumentation', 'A link to further documentation.', () => ({
  description: field(1, string, { about: 'Short text about the linked documentation.' }),
  url: field(2, string, { about: 'Address of the linked documentation.' }),
}));

const validationRule = struct(home, 'ValidationRule', 'One CEL rule on a value in a custom resource.', () => ({
  rule: field(1, string, {
    always: true,
    required: true,
    about: 'CEL expression that must return true; self is the value, oldSelf the previous one.',
  }),
  message: field(2, string, { about: 'Text shown when the rule fails; required if the rule spans several lines.' }),
  messageExpression: field(3, string, {
    about: 'CEL expression returning the failure text; takes precedence over message.',
  }),
  reason: field(4, string, {
    goType: 'FieldValueErrorReason',
    pointer: true,
    enum: ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'],
    about: 'Machine-readable failure reason; default FieldValueInvalid.',
  }),
  fieldPath: field(5, string, {
    about: 'Path of the field to blame, relative to this schema, such as ".spec.size"; default is the value itself.',
  }),
  optionalOldSelf: field(6, bool, {
    pointer: true,
    about: 'When true, a rule using oldSelf also runs on creation, with oldSelf as an optional value.',
  }),
}));

export const jsonSchemaProps: StructType<JsonSchemaProps> = struct(
  home,
  'JSONSchemaProps',
  'A JSON schema (a subset of draft 4 with OpenAPI v3 additions).',
  () => ({
    id: field(1, string, { about: 'Identifier of the schema; not allowed in structural schemas.' }),
    $schema: field(2, string, {
      goType: 'JSONSchemaURL',
      about: 'Address of the JSON Schema dialect this schema is written in.',
    }),
    $ref: field(3, string, {
      pointer: true,
      about: 'Reference to another schema; not supported in custom resource definitions.',
    }),
    description: field(4, string, { about: 'Readable explanation of the value, shown where clients explain fields.' }),
    type: field(5, string, { about: 'Type of the value: object, array, string, integer, number or boolean.' }),
    format: field(6, string, {
      about: 'Refines the type, for example date-time, int64, uuid or ipv4; unknown formats are ignored.',
    }),
    title: field(7, string, { about: 'Short heading for the schema.' }),
    default: field(8, anyJson, {
      pointer: true,
      about: 'Value filled in when the field is missing; must itself fit the schema.',
    }),
    maximum: field(9, double, {
      pointer: true,
      about: 'Largest number allowed, inclusive unless exclusiveMaximum is true.',
    }),
    exclusiveMaximum: field(10, bool, { about: 'When true, the value must stay strictly below maximum.' }),
    minimum: field(11, double, {
      pointer: true,
      about: 'Smallest number allowed, inclusive unless exclusiveMinimum is true.',
    }),
    exclusiveMinimum: field(12, bool, { about: 'When true, the value must stay strictly above minimum.' }),
    maxLength: field(13, int64, { pointer: true, about: 'Most characters a string may have.' }),
    minLength: field(14, int64, { pointer: true, about: 'Fewest characters a string may have.' }),
    pattern: field(15, string, {
      about: 'Regular expression (RE2 syntax) that a string must match; unanchored unless you write ^ and $.',
    }),
    maxItems: field(16, int64, { pointer: true, about: 'Most entries a list may have.' }),
    minItems: field(17, int64, { pointer: true, about: 'Fewest entries a list may have.' }),
    uniqueItems: field(18, bool, {
      about: 'Whether list entries must differ; true is not allowed, make the list a set instead.',
    }),
    multipleOf: field(19, double, { pointer: true, about: 'The number must be divisible by this value.' }),
    enum: field(20, listOf(anyJson), { listType: 'atomic', about: 'Complete list of the values that are allowed.' }),
    maxProperties: field(21, int64, { pointer: true, about: 'Most keys an object may have.' }),
    minProperties: field(22, int64, { pointer: true, about: 'Fewest keys an object may have.' }),
    required: field(23, listOf(string), { listType: 'atomic', about: 'Names of the properties that must be present.' }),
    items: field(24, jsonSchemaPropsOrArray, {
      pointer: true,
      about: "Schema of the list's entries; custom resources allow a single schema only.",
    }),
    allOf: field(25, listOf(jsonSchemaProps), {
      listType: 'atomic',
      about: 'The value must fit every one of these schemas.',
    }),
    oneOf: field(26, listOf(jsonSchemaProps), {
      listType: 'atomic',
      about: 'The value must fit exactly one of these schemas.',
    }),
    anyOf: field(27, listOf(jsonSchemaProps), {
      listType: 'atomic',
      about: 'The value must fit at least one of these schemas.',
    }),
    not: field(28, jsonSchemaProps, { pointer: true, about: 'The value must not fit this schema.' }),
    properties: field(29, mapOf(jsonSchemaProps, 10_000), { about: 'Schemas of the named fields of an object.' }),
    additionalProperties: field(30, jsonSchemaPropsOrBool, {
      pointer: true,
      about: 'Schema for keys not named in properties, or true; cannot be combined with properties.',
    }),
    patternProperties: field(31, mapOf(jsonSchemaProps, 10_000), {
      about: 'Schemas for keys that match a pattern; not allowed in structural schemas.',
    }),
    dependencies: field(32, mapOf(jsonSchemaPropsOrStringArray, 10_000), {
      goType: 'JSONSchemaDependencies',
      about: 'What else must hold when a key is present; not allowed in structural schemas.',
    }),
    additionalItems: field(33, jsonSchemaPropsOrBool, {
      pointer: true,
      about: 'Rule for list entries beyond items; not allowed in structural schemas.',
    }),
    definitions: field(34, mapOf(jsonSchemaProps, 10_000), {
      goType: 'JSONSchemaDefinitions',
      about: 'Reusable schemas for references; not allowed in structural schemas.',
    }),
    externalDocs: field(35, externalDocumentation, {
      pointer: true,
      about: 'Link to further documentation of this value.',
    }),
    example: field(36, anyJson, { pointer: true, about: 'Sample value, for documentation only.' }),
    nullable: field(37, bool, { about: 'When true, null is a valid value; default false.' }),
    [schemaExtension('preserve-unknown-fields')]: field(38, bool, {
      pointer: true,
      about: 'Set true to keep fields the schema does not name, instead of dropping them.',
    }),
    [schemaExtension('embedded-resource')]: field(39, bool, {
      about: 'Set true if the value is a whole object with apiVersion, kind and metadata.',
    }),
    [schemaExtension('int-or-string')]: field(40, bool, {
      about: 'Set true if the value may be an integer or a string; leave type unset then.',
    }),
    [schemaExtension('list-map-keys')]: field(41, listOf(string), {
      listType: 'atomic',
      about: 'Fields that together identify an entry; only for lists of type map.',
    }),
    [schemaExtension('list-type')]: field(42, string, {
      pointer: true,
      about: 'How lists merge: atomic (default) as one value, set of scalars, or map keyed by fields.',
    }),
    [schemaExtension('map-type')]: field(43, string, {
      pointer: true,
      about: 'How objects merge: granular (default) per key, or atomic as one value.',
    }),
    [schemaExtension('validations')]: field(44, listOf(validationRule), {
      goType: 'ValidationRules',
      listType: 'map',
      mapKeys: ['rule'],
      patchStrategy: 'merge',
      patchMergeKey: 'rule',
      about: 'CEL rules that the value must satisfy.',
    }),
  }),
);
