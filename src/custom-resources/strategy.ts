// What custom resources are held to: their schema, its rules, and the paths of their scale. What was wrong before and is
// still the same may stay.

import { isSameJson, type JsonObject, type JsonValue } from '../base/json/json.ts';
import type { RuleTimes } from '../base/time/rule-times.ts';
import type { Dialect } from '../meta/dialect.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { checkQualifiedName } from '../meta/names.ts';
import { type ApiObject, foregroundFinalizer, orphanFinalizer } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import { type Warnings, warnEach } from '../meta/warn-each.ts';
import { ValidationTooLongError } from '../meta/write-errors.ts';
import type { PartSubresource } from '../schema/part-subresource.ts';
import type { ExpressionRun, Strategy } from '../schema/strategy.ts';
import { validateEmbedded } from '../schema/structural/embedded.ts';
import type { Schema } from '../schema/structural/schema.ts';
import { repeatedItems } from '../schema/structural/unique-items.ts';
import { validateValue } from '../schema/structural/validate.ts';
import { CustomRules } from './rules.ts';
import { type ScalePaths, validateScaleSpec, validateScaleStatus } from './scale.ts';

type ValidationErrors = readonly FieldError[];

export interface CustomStrategy {
  readonly strategy: Strategy;
  /** The subresource that writes status and nothing else. */
  readonly status: PartSubresource;
}

interface CustomRulesOf {
  readonly schema: Schema;
  readonly scale?: ScalePaths | undefined;
}

export function customStrategy({ schema, scale }: CustomRulesOf): CustomStrategy {
  const validator = new CustomValidator(schema, scale);
  return {
    strategy: {
      // the name was looked at already, and nothing is looked at twice
      updateChecks: { meta: 0 },
      validateCreate: (object, { onLongWork }) => validator.create(object, onLongWork),
      validateUpdate: (next, old, { onLongWork }) => validator.update(next, old, onLongWork),
      validateExpressions: (next, old, { ruleTimes }, run) => validator.expressions(next, old, run, ruleTimes),
      hasExpensiveExpressions: () => validator.hasExpensiveRules,
      warnings: (next, old, { dialect }) => finalizerWarnings(next, old, dialect),
    },
    status: {
      is: 'part',
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: ['metadata', 'spec'],
      merge: mergeStatus,
      validateUpdate: (next, old, { onLongWork }) => validator.status(next, old, onLongWork),
      validateExpressions: (next, old, { ruleTimes }, run) => validator.expressions(next, old, run, ruleTimes),
    },
  };
}

/** Everything but the status, and who owns what of it, stays. */
function mergeStatus(next: ApiObject, old: ApiObject): ApiObject {
  const { status: _, ...rest } = old;
  const { managedFields, resourceVersion } = next.metadata;
  const metadata = { ...old.metadata, managedFields, resourceVersion } as ApiObject['metadata'];
  return next['status'] === undefined ? { ...rest, metadata } : { ...rest, metadata, status: next['status'] };
}

const asJson = (object: ApiObject): JsonObject => object as unknown as JsonObject;

/** Validation errors after which the rules are not run: a value may not be what they take it for. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

class CustomValidator {
  readonly #schema: Schema;
  readonly #scale: ScalePaths | undefined;
  readonly #rules: CustomRules;
  /** Objects whose rules are not run. */
  readonly #blocked = new WeakSet<ApiObject>();

  constructor(schema: Schema, scale: ScalePaths | undefined) {
    this.#schema = schema;
    this.#scale = scale;
    this.#rules = new CustomRules(schema);
  }

  get hasExpensiveRules(): boolean {
    return this.#rules.areExpensive;
  }

  create(object: ApiObject, onLong?: () => void): ValidationErrors {
    const value = asJson(object);
    return this.#noted(object, [
      ...validateValue(value, this.#schema, '', undefined, onLong),
      ...this.#scaleErrors(object),
      ...validateEmbedded(value, this.#schema, ''),
      ...repeatedItems(value, this.#schema, ''),
    ]);
  }

  update(next: ApiObject, old: ApiObject, onLong?: () => void): ValidationErrors {
    const value = asJson(next);
    return this.#noted(next, [
      ...unlessUnchanged(next, old, () => validateValue(value, this.#schema, '', asJson(old), onLong)),
      ...this.#scaleErrors(next),
      ...validateEmbedded(value, this.#schema, ''),
      ...this.#newRepeatedItems(next, old),
    ]);
  }

  status(next: ApiObject, old: ApiObject, onLong?: () => void): ValidationErrors {
    const schema = this.#schema.properties?.['status'];
    const status = next['status'] as JsonValue | undefined;
    const before = old['status'] as JsonValue | undefined;
    const isHeld = schema !== undefined && status !== undefined;
    return this.#noted(next, [
      ...(isHeld ? unlessUnchanged(next, old, () => validateValue(status, schema, 'status', before, onLong)) : []),
      ...(this.#scale === undefined ? [] : validateScaleStatus(next, this.#scale)),
      ...this.#newRepeatedItems(next, old),
    ]);
  }

  /** Remembers whether rules can be run after these validation errors. */
  #noted(object: ApiObject, validationErrors: ValidationErrors): ValidationErrors {
    if (validationErrors.some(({ reason }) => blocking.has(reason))) this.#blocked.add(object);
    return validationErrors;
  }

  async expressions(
    next: ApiObject,
    old: ApiObject | undefined,
    run: ExpressionRun = {},
    times?: RuleTimes,
  ): Promise<ValidationErrors> {
    return this.#rules.exist ? this.#judged(next, old, run, times) : [];
  }

  async #judged(
    next: ApiObject,
    old: ApiObject | undefined,
    run: ExpressionRun,
    times: RuleTimes | undefined,
  ): Promise<ValidationErrors> {
    if (this.#blocked.has(next)) return [invalidValue('<nil>', null, notChecked)];
    const { validationErrors, tolerated } = await this.#rules.judge(next, old, run, times);
    // what breaks a rule as it did before is told, whatever becomes of the rest
    for (const { field, message } of tolerated) run.warn?.(`${field}: ${message}`);
    return validationErrors;
  }

  #scaleErrors(object: ApiObject): ValidationErrors {
    if (this.#scale === undefined) return [];
    return [...validateScaleSpec(object, this.#scale), ...validateScaleStatus(object, this.#scale)];
  }

  /** Items that are in a list twice are errors of objects that had none of them. */
  #newRepeatedItems(next: ApiObject, old: ApiObject): ValidationErrors {
    const errors = repeatedItems(asJson(next), this.#schema, '');
    return errors.length > 0 && repeatedItems(asJson(old), this.#schema, '').length > 0 ? [] : errors;
  }
}

/**
 * A stored object may take too long to validate because its definition was changed. Writes of its metadata pass, so that it
 * can lose its finalizers and be deleted.
 */
function unlessUnchanged(next: ApiObject, old: ApiObject, validate: () => ValidationErrors): ValidationErrors {
  try {
    return validate();
  } catch (error) {
    if (error instanceof ValidationTooLongError && hasSameContents(next, old)) return [];
    throw error;
  }
}

function hasSameContents(next: ApiObject, old: ApiObject): boolean {
  const { metadata: _, ...contents } = next;
  const { metadata: __, ...oldContents } = old;
  return isSameJson(contents, oldContents);
}

const standardFinalizers: ReadonlySet<string> = new Set([orphanFinalizer, foregroundFinalizer]);

function finalizerWarnings(next: ApiObject, old: ApiObject | undefined, { vendor }: Dialect): Warnings {
  const before = new Set(old?.metadata.finalizers);
  const added = [...new Set(next.metadata.finalizers)].filter((name) => !before.has(name)).sort();
  return warnEach(added, (name) => {
    const place = `metadata.finalizers: ${JSON.stringify(name)}:`;
    const problems = checkQualifiedName(name).map((problem) => `${place} ${problem}`);
    if (name.includes('/') || name === vendor || standardFinalizers.has(name)) return problems;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...problems, `${place} ${advice}`];
  });
}
