// Whether a value is what a structural schema says: types, limits, members, alternatives.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { FieldError } from '../../meta/status.ts';
import { isUnchanged, oldItems, oldMember } from './correlate.ts';
import { Report } from './report.ts';
import { checkEnum, checkNumber, checkText, checkType } from './scalars.ts';
import { additionalOf, itemsOf, type Schema } from './schema.ts';
import { distinctFrom } from './unique-items.ts';

/**
 * The errors of a value; `at` is where it stands, empty for a whole object. Errors that `old` had as well are left out. `onLong` is
 * called once where this takes long.
 */
export function validateValue(
  value: JsonValue,
  schema: Schema,
  at = '',
  old?: JsonValue,
  onLong?: () => void,
): readonly FieldError[] {
  const report = new Report(at, { onLong });
  check(value, schema, '', report, old);
  return report.errors;
}

/** What is wrong with a default. compat: an integer or a string may be anything there, and so may what a list holds twice */
export function validateDefaultValue(value: JsonValue, schema: Schema, at: string): readonly FieldError[] {
  const report = new Report(at, { anyType: true });
  check(value, schema, '', report);
  return report.errors;
}

/** `old` is undefined where a value cannot be compared with what it was. */
function check(value: JsonValue, schema: Schema, name: string, report: Report, old?: JsonValue): void {
  const before = report.errors.length;
  checkType(value, schema, name, report);
  if (value !== null) {
    report.matches++;
    if (hasAlternatives(schema)) checkAlternatives(value, schema, name, report);
    if (typeof value === 'string') checkText(value, schema, name, report);
    else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, schema, name, report);
    else if (Array.isArray(value)) checkItems(value, schema, name, report, old);
  }
  checkEnum(value, schema, name, report);
  if (isJsonObject(value)) checkMembers(value, schema, name, report, old);
  if (old !== undefined && report.errors.length > before && isUnchanged(value, old, schema)) report.forget(before);
  report.spendOnCheck();
}

const hasAlternatives = ({ anyOf, oneOf, allOf, not }: Schema): boolean =>
  (anyOf ?? oneOf ?? allOf ?? not) !== undefined;

const isLong = (value: JsonValue): boolean => typeof value === 'string' && value.length > shortText;

/** Longer ones may take a while. */
const shortText = 1000;

/** Texts, numbers and the like, which have nothing inside; true where that was all. */
function checkSimple(value: JsonValue, schema: Schema, name: string, report: Report, old?: JsonValue): boolean {
  if (typeof value === 'object' || hasAlternatives(schema) || isLong(value)) return false;
  const before = report.errors.length;
  checkType(value, schema, name, report);
  report.matches++;
  if (typeof value === 'string') checkText(value, schema, name, report);
  else if (typeof value !== 'boolean') checkNumber(value, schema, name, report);
  checkEnum(value, schema, name, report);
  if (old !== undefined && report.errors.length > before && isUnchanged(value, old, schema)) report.forget(before);
  return true;
}

function checkItems(value: readonly JsonValue[], schema: Schema, name: string, report: Report, old?: JsonValue): void {
  const { minItems, maxItems, uniqueItems } = schema;
  const items = itemsOf(schema);
  report.matches++;
  if (items !== undefined) {
    const before = oldItems(schema, old);
    for (const [index, item] of value.entries()) {
      const place = `${name}[${index}]`;
      if (!checkSimple(item, items, place, report, before(item))) check(item, items, place, report, before(item));
      else report.spendOnCheck();
    }
  }
  if (minItems !== undefined && value.length < minItems)
    report.invalid(name, value.length, `should have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) report.tooMany(name, value.length, maxItems);
  if (uniqueItems && distinctFrom(value).length < value.length)
    report.invalid(name, '', "shouldn't contain duplicates");
}

const memberOf = (name: string, key: string) => (name === '' ? key : `${name}.${key}`);

function checkMembers(value: JsonObject, schema: Schema, name: string, report: Report, old?: JsonValue): void {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  report.matches++;
  if (minProperties !== undefined && count < minProperties)
    report.invalid(name, count, `should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && count > maxProperties) report.tooMany(name, count, maxProperties);
  checkOthers(value, schema, name, report, old);
  checkNamed(value, schema, name, report, old);
}

/** What an object says it is was made the same in both. */
const isTypeName = (name: string, key: string): boolean => name === '' && (key === 'kind' || key === 'apiVersion');

function checkNamed(value: JsonObject, schema: Schema, name: string, report: Report, old?: JsonValue): void {
  const { required = [], properties = {} } = schema;
  for (const key in properties) {
    const member = getOwn(value, key);
    if (member === undefined) continue;
    const one = properties[key] as Schema;
    const before = isTypeName(name, key) ? undefined : oldMember(old, key);
    const place = memberOf(name, key);
    if (!checkSimple(member, one, place, report, before)) check(member, one, place, report, before);
    else report.spendOnCheck();
  }
  for (const key of required) if (!Object.hasOwn(value, key)) report.missing(memberOf(name, key));
}

/** Members that the schema does not name. */
function checkOthers(value: JsonObject, schema: Schema, name: string, report: Report, old?: JsonValue): void {
  const { additionalProperties, properties = {} } = schema;
  const others = additionalOf(schema);
  if (additionalProperties !== false && others === undefined) return;
  for (const [key, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) continue;
    if (others === undefined) report.invalid(memberOf(name, key), key, 'is a forbidden property');
    else check(member, others, memberOf(name, key), report, oldMember(old, key));
  }
}

function checkAlternatives(value: JsonValue, schema: Schema, name: string, report: Report): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length > 0) checkAnyOf(tried(value, anyOf, name, report), name, report);
  if (oneOf.length > 0) checkOneOf(tried(value, oneOf, name, report), name, report);
  if (allOf.length > 0) checkAllOf(tried(value, allOf, name, report), name, report);
  if (not && tried(value, [not], name, report)[0]?.isValid)
    report.alternatives(name, 'must not validate the schema (not)');
}

function tried(value: JsonValue, schemas: readonly Schema[], name: string, report: Report): readonly Report[] {
  const outcomes: Report[] = [];
  for (const one of schemas) {
    const outcome = report.fork();
    if (!checkSimple(value, one, name, outcome)) check(value, one, name, outcome);
    outcomes.push(outcome);
    report.spendOnCheck();
  }
  return outcomes;
}

function checkAnyOf(outcomes: readonly Report[], name: string, report: Report): void {
  const fitting = outcomes.find(({ isValid }) => isValid);
  if (fitting === undefined) report.alternatives(name, 'must validate at least one schema (anyOf)');
  report.merge(fitting ?? closest(outcomes));
}

function checkOneOf(outcomes: readonly Report[], name: string, report: Report): void {
  const fitting = outcomes.filter(({ isValid }) => isValid);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) {
    report.merge(only);
    return;
  }
  const found = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
  report.alternatives(name, `must validate one and only one schema (oneOf). ${found}`);
  if (fitting.length === 0) report.merge(closest(outcomes));
}

function checkAllOf(outcomes: readonly Report[], name: string, report: Report): void {
  for (const outcome of outcomes) report.merge(outcome);
  const fitting = outcomes.filter(({ isValid }) => isValid).length;
  const none = fitting === 0 ? '. None validated' : '';
  if (fitting < outcomes.length) report.alternatives(name, `must validate all the schemas (allOf)${none}`);
}

/** The alternative with the most checks that the value passed, the first of them. */
function closest(outcomes: readonly Report[]): Report {
  return outcomes.reduce((best, one) => (one.matches > best.matches ? one : best));
}
