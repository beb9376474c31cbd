// What custom resources are held to: their schema, its rules, and the paths of their scale. What was wrong before and is
// still the same may stay.

import type { JsonObject, JsonValue } from '../base/json.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { checkQualifiedName } from '../meta/names.ts';
import { type ApiObject, foregroundFinalizer, orphanFinalizer } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import type { PartSubresource, Strategy } from '../schema/resource.ts';
import { validateEmbedded } from '../schema/structural/embedded.ts';
import type { Schema } from '../schema/structural/schema.ts';
import { validateUniqueItems } from '../schema/structural/unique-items.ts';
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
      validateCreate: (object) => validator.noted(object, validator.create(object)),
      validateUpdate: (next, old) => validator.noted(next, validator.update(next, old)),
      validateExpressions: (next, old) => validator.expressions(next, old),
      warnings: (next, old) => [...validator.tolerated(next), ...finalizerWarnings(next, old)],
    },
    status: {
      is: 'part',
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: ['metadata', 'spec'],
      merge: mergeStatus,
      validateUpdate: (next, old) => validator.noted(next, validator.status(next, old)),
      validateExpressions: (next, old) => validator.expressions(next, old),
      warnings: (next) => validator.tolerated(next),
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
  readonly #tolerated = new WeakMap<ApiObject, readonly string[]>();

  constructor(schema: Schema, scale: ScalePaths | undefined) {
    this.#schema = schema;
    this.#scale = scale;
    this.#rules = new CustomRules(schema);
  }

  create(object: ApiObject): ValidationErrors {
    const value = asJson(object);
    return [
      ...validateValue(value, this.#schema),
      ...this.#scaleErrors(object),
      ...validateEmbedded(value, this.#schema, ''),
      ...validateUniqueItems(value, this.#schema, ''),
    ];
  }

  update(next: ApiObject, old: ApiObject): ValidationErrors {
    const value = asJson(next);
    return [
      ...validateValue(value, this.#schema, '', asJson(old)),
      ...this.#scaleErrors(next),
      ...validateEmbedded(value, this.#schema, ''),
      ...this.#repeatedItems(next, old),
    ];
  }

  status(next: ApiObject, old: ApiObject): ValidationErrors {
    const schema = this.#schema.properties?.['status'];
    const status = next['status'] as JsonValue | undefined;
    const before = old['status'] as JsonValue | undefined;
    return [
      ...(schema === undefined || status === undefined ? [] : validateValue(status, schema, 'status', before)),
      ...(this.#scale === undefined ? [] : validateScaleStatus(next, this.#scale)),
      ...this.#repeatedItems(next, old),
    ];
  }

  /** Remembers whether rules can be run after these validation errors. */
  noted(object: ApiObject, validationErrors: ValidationErrors): ValidationErrors {
    if (validationErrors.some(({ reason }) => blocking.has(reason))) this.#blocked.add(object);
    return validationErrors;
  }

  async expressions(next: ApiObject, old: ApiObject | undefined): Promise<ValidationErrors> {
    if (!this.#rules.exist) return [];
    if (this.#blocked.has(next)) return [invalidValue('<nil>', null, notChecked)];
    const { validationErrors, tolerated } = await this.#rules.judge(next, old);
    const texts = tolerated.map(({ field, message }) => `${field}: ${message}`);
    if (texts.length > 0) this.#tolerated.set(next, texts);
    return validationErrors;
  }

  /** What breaks a rule of its schema as it did before. */
  tolerated(object: ApiObject): readonly string[] {
    return this.#tolerated.get(object) ?? [];
  }

  #scaleErrors(object: ApiObject): ValidationErrors {
    if (this.#scale === undefined) return [];
    return [...validateScaleSpec(object, this.#scale), ...validateScaleStatus(object, this.#scale)];
  }

  /** What is in a list twice is told of objects that had nothing of that kind. */
  #repeatedItems(next: ApiObject, old: ApiObject): ValidationErrors {
    const found = validateUniqueItems(asJson(next), this.#schema, '');
    return found.length > 0 && validateUniqueItems(asJson(old), this.#schema, '').length > 0 ? [] : found;
  }
}

const standardFinalizers: ReadonlySet<string> = new Set([orphanFinalizer, foregroundFinalizer, 'kubernetes']);

function* finalizerWarnings(next: ApiObject, old: ApiObject | undefined): Iterable<string> {
  const before = new Set(old?.metadata.finalizers);
  const added = [...new Set(next.metadata.finalizers)].filter((name) => !before.has(name)).sort();
  for (const name of added) {
    const told = `metadata.finalizers: ${JSON.stringify(name)}:`;
    for (const problem of checkQualifiedName(name)) yield `${told} ${problem}`;
    if (name.includes('/') || standardFinalizers.has(name)) continue;
    const path = name.includes('.') ? ' including a path (/)' : '';
    yield `${told} prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
  }
}
