// Which schemas a definition may have: keywords that are understood, marks that fit the types they stand at.

import { isJsonObject, type JsonValue } from '../../../base/json/json.ts';
import { countValues } from '../../../base/maps/count-values.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import { givenEmpty, givenEmptyFields } from '../../../schema/given-empty.ts';
import { findField } from '../../../schema/structural/field-path.ts';
import {
  additionalOf,
  alternatives,
  isEmbedded,
  itemsOf,
  mapTypeOf,
  marks,
  type Place,
  propertiesOf,
  type Schema,
  schemaHas,
} from '../../../schema/structural/schema.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { oneOf, type ValidationErrors } from '../../rules.ts';
import { defaultsIn, validateDefault } from './default-rules.ts';
import { validateListMarks } from './list-mark-rules.ts';
import { patternsWeight, validatePatterns } from './pattern-rules.ts';
import { validateStructural } from './structural-rules.ts';
import { findUnfitKeyword } from './unfit-keyword.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const ownMeta = ['metadata', 'kind', 'apiVersion'];

/** Where in the object a schema stands. */
interface Position {
  readonly isRoot?: true;
  /** Describes what every object has, here or in an embedded one. */
  readonly isMeta?: true;
  /** Why there may be no default. */
  readonly noDefaults?: string;
  /** Gets the schemas with validation errors, about them or something in them. */
  readonly faulty?: Set<Schema>;
}

export interface RootRules {
  /** Status is a subresource, and its schema is taken out of the root's properties. */
  readonly hasStatus: boolean;
  /** Whether each value has to be described once. */
  readonly isStructural: boolean;
}

/** Nanoseconds that the rules take for one schema in another, and for a pattern of weight 1. */
const schemaWork = 12_000;
const patternWork = 5_000;
/** Values of refused schemas that are counted. */
const maxRefused = 100_000;

/** About how many nanoseconds the rules of a schema take. */
export function workOf(schema: Schema): number {
  let count = 0;
  schemaHas(schema, (one) => {
    count += 1 + rulesOf(one).length + countRefused(one);
    return false;
  });
  return count * schemaWork + patternsWeight(schema) * patternWork;
}

/** Schemas that are refused are looked at too, with all that is in them. */
function countRefused({ definitions, dependencies, items }: Schema): number {
  const refused = [definitions, dependencies, Array.isArray(items) ? items : undefined].filter((one) => one);
  return refused.length === 0 ? 0 : countValues(refused, maxRefused);
}

export function validateRootSchema(schema: Schema, rules: RootRules, at: string): ValidationErrors {
  const unfit = rules.isStructural ? findUnfitKeyword(schema) : undefined;
  const errors = [
    ...(rules.hasStatus ? validateRootKeywords(schema, at) : []),
    ...(schema.nullable ? [forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root')] : []),
    ...(rules.isStructural ? [] : validatePatterns(schema, at)),
    ...(rules.isStructural && unfit === undefined ? validateDescribed(schema, at) : []),
    ...validateSchema(schema, at, { isRoot: true }),
  ];
  // compat: what a structural schema has no place for is reported where nothing else is
  return errors.length === 0 && unfit !== undefined ? [invalidValue(at, '', unfit)] : errors;
}

/** Values are held to a schema that is structural, whatever else is wrong with it. */
function validateDescribed(schema: Schema, at: string): ValidationErrors {
  const errors = validateStructural(schema, at);
  return errors.length > 0 ? errors : defaultsIn(schema, at).flatMap(validateDefault);
}

/** The schemas that have faults, in themselves or inside: nothing else can be said of these. */
export function faultySchemas(schema: Schema): ReadonlySet<Schema> {
  const faulty = new Set<Schema>();
  validateSchema(schema, '', { isRoot: true, faulty });
  return faulty;
}

/** compat: what may stand at the root of a schema is listed in the reference implementation's own names */
const rootKeywords: Readonly<Record<string, string>> = {
  description: 'Description',
  type: 'Type',
  format: 'Format',
  title: 'Title',
  maximum: 'Maximum',
  exclusiveMaximum: 'ExclusiveMaximum',
  minimum: 'Minimum',
  exclusiveMinimum: 'ExclusiveMinimum',
  maxLength: 'MaxLength',
  minLength: 'MinLength',
  pattern: 'Pattern',
  maxItems: 'MaxItems',
  minItems: 'MinItems',
  uniqueItems: 'UniqueItems',
  multipleOf: 'MultipleOf',
  required: 'Required',
  items: 'Items',
  properties: 'Properties',
  externalDocs: 'ExternalDocs',
  example: 'Example',
  [marks.preserve]: 'XPreserveUnknownFields',
  [marks.validations]: 'XValidations',
};

function validateRootKeywords(schema: Schema, at: string): ValidationErrors {
  const rule = 'at the root of the schema if the status subresource is enabled';
  const { type = '' } = schema;
  if (type !== '' && type !== 'object')
    return [invalidValue(`${at}.type`, type, `only "object" is allowed as the type ${rule}`)];
  const keywords = [...Object.keys(schema), ...givenEmptyFields(schema)];
  if (keywords.every((keyword) => Object.hasOwn(rootKeywords, keyword))) return [];
  return [
    invalidValue(at, shownSchema(schema), `only [${Object.values(rootKeywords).join(' ')}] fields are allowed ${rule}`),
  ];
}

/** Each schema has all fields in the form that messages show, which would be too much of a large one. */
const mostShown = 2000;

const shownSchema = (schema: Schema): unknown =>
  countValues(schema, mostShown) < mostShown ? inReferenceForm('JSONSchemaProps', schema) : schema;

function validateSchema(schema: Schema, at: string, position: Position): ValidationErrors {
  const errors: FieldError[] = [];
  checkSchema(schema, at, position, errors);
  return errors;
}

function checkSchema(schema: Schema, at: string, position: Position, errors: FieldError[]): void {
  const before = errors.length;
  errors.push(...checkBeforeInner(schema, at, position));
  for (const inner of schemasInside(schema, at, position)) checkSchema(inner.schema, inner.at, inner.position, errors);
  for (const error of checkAfterInner(schema, at)) errors.push(error);
  if (errors.length > before) position.faulty?.add(schema);
}

function checkBeforeInner(schema: Schema, at: string, position: Position): ValidationErrors {
  return [
    ...validateKeywords(schema, at, position),
    ...(schema['uniqueItems']
      ? [
          forbiddenField(
            `${at}.uniqueItems`,
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...validateAdditional(schema, at),
  ];
}

function checkAfterInner(schema: Schema, at: string): ValidationErrors {
  const place = `${at}.${marks.preserve}`;
  return [
    ...(schema[marks.preserve] === false ? [invalidValue(place, false, 'must be true or undefined')] : []),
    ...validateMapType(schema, at),
    ...validateListMarks(schema, at),
    ...rulesOf(schema).flatMap((rule, index) =>
      validateValidation(rule, schema, `${at}.${marks.validations}[${index}]`),
    ),
  ];
}

const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function validateKeywords(schema: Schema, at: string, { isMeta, noDefaults }: Position): ValidationErrors {
  const { type = '' } = schema;
  const inMeta = isMeta && isEmbedded(schema);
  return [
    ...(type === '' ? [] : oneOf(`${at}.type`, type, types)),
    ...(schema.default !== undefined && noDefaults
      ? [forbiddenField(`${at}.default`, `must not be set ${noDefaults}`)]
      : []),
    ...unsupported
      .filter((keyword) => schema[keyword] !== undefined || (keyword === 'dependencies' && givenEmpty(schema, keyword)))
      .map((keyword) => forbiddenField(`${at}.${keyword}`, `${keyword} is not supported`)),
    ...(type === 'null'
      ? [forbiddenField(`${at}.type`, 'type cannot be set to null, use nullable as an alternative')]
      : []),
    ...(listedItems(schema).length > 0
      ? [forbiddenField(`${at}.items`, 'items must be a schema object and not an array')]
      : []),
    ...(inMeta ? [forbiddenField(`${at}.${marks.embedded}`, 'must not be used inside of resource meta')] : []),
  ];
}

/** compat: items may be told one by one, only to be refused */
const listedItems = ({ items }: Schema): readonly Schema[] =>
  Array.isArray(items) ? (items as readonly Schema[]) : [];

/** Schemas that are refused, each under its name; instead of some there are names of fields, or nothing. */
function namedSchemas(schema: Schema, keyword: 'definitions' | 'dependencies', at: string): readonly Place[] {
  const named = (schema[keyword] ?? {}) as Readonly<Record<string, JsonValue>>;
  return Object.keys(named).flatMap((name) => {
    const one = named[name] as JsonValue;
    return isJsonObject(one) ? [{ schema: one as Schema, at: `${at}.${keyword}[${name}]` }] : [];
  });
}

/** Either fields are named, or all have one schema. */
function validateAdditional(schema: Schema, at: string): ValidationErrors {
  const { additionalProperties: additional, properties = {} } = schema;
  if (additional === undefined || additional === true || Object.keys(properties).length === 0) return [];
  return [forbiddenField(`${at}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')];
}

interface Placed {
  readonly schema: Schema;
  readonly at: string;
  readonly position: Position;
}

function schemasInside(schema: Schema, at: string, position: Position): readonly Placed[] {
  const { isRoot: _, ...below } = position;
  const additional = additionalOf(schema);
  const items = itemsOf(schema);
  const ofMap = { ...below, noDefaults: 'inside additionalProperties applying to object metadata' };
  const place = (one: Place): Placed => ({ ...one, position: below });
  return [
    ...(additional
      ? [{ schema: additional, at: `${at}.additionalProperties`, position: below.isMeta ? ofMap : below }]
      : []),
    ...propertiesInside(schema, at, position),
    ...(schema.not ? [{ schema: schema.not, at: `${at}.not`, position: below }] : []),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((keyword) => alternatives(schema, keyword, at).map(place)),
    ...namedSchemas(schema, 'definitions', at).map(place),
    ...(items ? [{ schema: items, at: `${at}.items`, position: below }] : []),
    ...listedItems(schema).map((one, index) => ({ schema: one, at: `${at}.items[${index}]`, position: below })),
    ...namedSchemas(schema, 'dependencies', at).map(place),
  ];
}

function propertiesInside(schema: Schema, at: string, { isRoot, ...below }: Position): readonly Placed[] {
  const hasMeta = isRoot || isEmbedded(schema);
  return propertiesOf(schema, at).map(({ name, schema: one, at: place }) => {
    const without = isRoot ? { noDefaults: `in top-level ${name}` } : {};
    const isMeta = hasMeta && ownMeta.includes(name);
    return { schema: one, at: place, position: isMeta ? { ...below, isMeta, ...without } : below };
  });
}

function validateMapType(schema: Schema, at: string): ValidationErrors {
  const mapType = mapTypeOf(schema);
  if (mapType === undefined) return [];
  const { type = '' } = schema;
  const detail = `must be object if ${marks.mapType} is specified`;
  return [
    ...(type === ''
      ? [required(`${at}.type`, detail)]
      : type === 'object'
        ? []
        : [invalidValue(`${at}.type`, type, detail)]),
    ...oneOf(`${at}.${marks.mapType}`, mapType, ['atomic', 'granular']),
  ];
}

interface ValidationRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const rulesOf = (schema: Schema) => (schema[marks.validations] ?? []) as readonly ValidationRule[];

const hasLineBreaks = (text: string) => /[\n\r]/.test(text);
const isBlank = (text: string) => text !== '' && text.trim() === '';

function validateValidation(one: ValidationRule, schema: Schema, at: string): ValidationErrors {
  const { messageExpression = '', reason, fieldPath = '' } = one;
  return [
    ...validateMessage(one, at),
    ...(isBlank(messageExpression)
      ? [required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(reason === undefined || reasons.includes(reason) ? [] : [notSupported(`${at}.reason`, reason, reasons)]),
    ...(fieldPath === '' ? [] : validateFieldPath(fieldPath, schema, `${at}.fieldPath`)),
  ];
}

function validateFieldPath(path: string, schema: Schema, at: string): ValidationErrors {
  const refuse = (detail: string) => [invalidValue(at, path, detail)];
  return [
    ...(isBlank(path) ? refuse('must be non-empty if specified') : []),
    ...(hasLineBreaks(path) ? refuse('must not contain line breaks') : []),
    ...('problem' in findField(path, schema) ? refuse('must be a valid path') : []),
  ];
}

/** The first thing wrong with a rule and what it says when it fails. */
function validateMessage({ rule = '', message = '' }: ValidationRule, at: string): ValidationErrors {
  const text = message.trim();
  if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')];
  if (isBlank(message)) return [invalidValue(`${at}.message`, message, 'must be non-empty if specified')];
  if (hasLineBreaks(text)) return [invalidValue(`${at}.message`, message, 'must not contain line breaks')];
  return hasLineBreaks(rule.trim()) && text === ''
    ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
    : [];
}
