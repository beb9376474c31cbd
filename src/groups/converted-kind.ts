// A version with its own types, stored as another one: rules and columns of the stored version hold for both.

import type { ApiObject } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import type { Column } from '../schema/column.ts';
import { forAnyObject } from '../schema/define-kind.ts';
import type { Conversion, Deprecation, KindDefinition } from '../schema/resource.ts';
import type { ExpressionRun, Strategy, StrategyContext } from '../schema/strategy.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import type { StructType } from '../schema/types.ts';

export interface ConvertedVersion<T extends ApiObject = ApiObject> extends StoredRules {
  readonly type: StructType;
  readonly conversion: Conversion;
  /** Defaults of this version's own fields; those of the stored version are not used. */
  readonly defaults?: Strategy<T>['defaults'];
  readonly selectableFields?: KindDefinition<T>['selectableFields'];
  readonly deprecated?: Deprecation;
}

interface StoredRules {
  /** Rules of this version besides those of the stored one, on objects as they are stored. */
  validateCreate?(object: ApiObject, context: StrategyContext): readonly FieldError[];
  validateUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): readonly FieldError[];
  /** Where this version is looked at more or less often than the stored one. */
  readonly updateChecks?: Strategy['updateChecks'];
}

export function convertedKind<T extends ApiObject>(
  stored: KindDefinition,
  version: ConvertedVersion<T>,
): KindDefinition {
  const { conversion, selectableFields, defaults } = version;
  const { hashedVersion: _, selectableFields: __, deprecated: ___, ...shared } = stored;
  return {
    ...shared,
    type: version.type,
    conversion,
    ...(version.deprecated ? { deprecated: version.deprecated } : {}),
    ...(selectableFields ? forAnyObject<T>({ selectableFields }) : {}),
    ...(stored.columns ? { columns: stored.columns.map((column) => convertedColumn(column, conversion)) } : {}),
    ...(stored.subresources
      ? { subresources: stored.subresources.map((one) => convertedSubresource(one, conversion)) }
      : {}),
    strategy: {
      ...convertedStrategy(withRules(stored.strategy ?? {}, version), conversion),
      ...(defaults ? forAnyObject<T>({ strategy: { defaults } }).strategy : {}),
    },
  };
}

function withRules(stored: Strategy, { validateCreate, validateUpdate, updateChecks }: StoredRules): Strategy {
  return {
    ...stored,
    ...(updateChecks ? { updateChecks } : {}),
    validateCreate: (object, context) => [
      ...(stored.validateCreate?.(object, context) ?? []),
      ...(validateCreate?.(object, context) ?? []),
    ],
    validateUpdate: (next, old, context) => [
      ...(stored.validateUpdate?.(next, old, context) ?? []),
      ...(validateUpdate?.(next, old, context) ?? []),
    ],
  };
}

function convertedColumn(column: Column, { toStorage }: Conversion): Column {
  return { ...column, cell: (object, context) => column.cell(toStorage(object, context.dialect), context) };
}

type Rule = (object: ApiObject, context: StrategyContext) => ApiObject;
type Comparison<T> = (next: ApiObject, old: ApiObject, context: StrategyContext) => T;

/** Rules of the stored version, for objects of the other one. */
export function convertedStrategy(stored: Strategy, conversion: Conversion): Strategy {
  const { prepareForCreate, prepareForUpdate, validate, validateCreate, validateUpdate, beginDeletion, isHeld } =
    stored;
  const { validateName, validateWrite, validateExpressions, warnings, earlyWarnings, updateChecks } = stored;
  const { toStorage } = conversion;
  return {
    ...(updateChecks ? { updateChecks } : {}),
    ...(prepareForCreate ? { prepareForCreate: convertedRule(prepareForCreate, conversion) } : {}),
    ...(prepareForUpdate ? { prepareForUpdate: convertedChange(prepareForUpdate, conversion) } : {}),
    ...(validateName
      ? { validateName: (object, context) => validateName(toStorage(object, context.dialect), context) }
      : {}),
    ...(validate ? { validate: (object, context) => validate(toStorage(object, context.dialect), context) } : {}),
    ...(validateWrite ? { validateWrite: convertedOutlook(validateWrite, conversion) } : {}),
    ...(validateCreate
      ? { validateCreate: (object, context) => validateCreate(toStorage(object, context.dialect), context) }
      : {}),
    ...(validateUpdate ? { validateUpdate: convertedComparison(validateUpdate, conversion) } : {}),
    ...(validateExpressions ? { validateExpressions: convertedOutlook(validateExpressions, conversion) } : {}),
    ...(earlyWarnings
      ? { earlyWarnings: (object, context) => earlyWarnings(toStorage(object, context.dialect), context) }
      : {}),
    ...(warnings ? { warnings: convertedOutlook(warnings, conversion) } : {}),
    ...(beginDeletion ? { beginDeletion: convertedRule(beginDeletion, conversion) } : {}),
    ...(isHeld ? { isHeld: (object, context) => isHeld(toStorage(object, context.dialect), context) } : {}),
  };
}

function convertedRule(rule: Rule, { toStorage, fromStorage }: Conversion): Rule {
  return (object, context) => fromStorage(rule(toStorage(object, context.dialect), context), context.dialect);
}

function convertedComparison<T>(compare: Comparison<T>, { toStorage }: Conversion): Comparison<T> {
  return (next, old, context) => {
    const { dialect } = context;
    return compare(toStorage(next, dialect), toStorage(old, dialect), context);
  };
}

/** A rule for new objects and changed ones. */
type Outlook<T> = (next: ApiObject, old: ApiObject | undefined, context: StrategyContext, run?: ExpressionRun) => T;

function convertedOutlook<T>(look: Outlook<T>, { toStorage }: Conversion): Outlook<T> {
  return (next, old, context, run) => {
    const { dialect } = context;
    return look(toStorage(next, dialect), old && toStorage(old, dialect), context, run);
  };
}

function convertedChange(change: Comparison<ApiObject>, conversion: Conversion): Comparison<ApiObject> {
  const changed = convertedComparison(change, conversion);
  return (next, old, context) => conversion.fromStorage(changed(next, old, context), context.dialect);
}

export function convertedSubresource(one: SubresourceDefinition, conversion: Conversion): SubresourceDefinition {
  if (one.is !== 'part') return one;
  return {
    ...one,
    merge: convertedChange(one.merge, conversion),
    ...(one.validateUpdate ? { validateUpdate: convertedComparison(one.validateUpdate, conversion) } : {}),
    ...(one.warnings ? { warnings: convertedComparison(one.warnings, conversion) } : {}),
  };
}
