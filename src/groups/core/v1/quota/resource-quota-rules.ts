// What a quota may limit, and for which objects.

import { isSameJson } from '../../../../base/json/json.ts';
import type { Dialect } from '../../../../meta/dialect.ts';
import { invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../../meta/find-each.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { shownField } from '../../../../schema/given-empty.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import { isQuotaResource, tooManyResources, validateAmount, validateQuotaResourceName } from '../pod/resource-names.ts';
import type { ResourceQuota } from './resource-quota-type.ts';

type Spec = NonNullable<ResourceQuota['spec']>;
type Amounts = Readonly<Record<string, string>>;

const podResources = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const claimResources = new Set(['persistentvolumeclaims', 'requests.storage']);

/** Which resources each scope can tell apart. */
const scopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', podResources],
  ['NotTerminating', podResources],
  ['NotBestEffort', podResources],
  ['BestEffort', new Set(['pods'])],
  ['PriorityClass', podResources],
  ['CrossNamespacePodAffinity', podResources],
  ['VolumeAttributesClass', claimResources],
]);
/** Scopes that an object is in or is not: there is nothing to compare with. */
const withoutValues = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
]);

export function validateQuota({ spec = {} }: ResourceQuota, dialect: Dialect): readonly FieldError[] {
  return [
    ...validateAmounts(spec.hard ?? {}, dialect, 'spec.hard'),
    ...validateScopes(spec),
    ...validateSelector(spec),
  ];
}

export function validateQuotaStatus({ status = {} }: ResourceQuota, dialect: Dialect): readonly FieldError[] {
  return [
    ...validateAmounts(status.hard ?? {}, dialect, 'status.hard'),
    ...validateAmounts(status.used ?? {}, dialect, 'status.used'),
  ];
}

function validateAmounts(amounts: Amounts, dialect: Dialect, at: string): readonly FieldError[] {
  const wrong = tooManyResources(amounts, at);
  if (wrong.length > 0) return wrong;
  return findEachEntry(amounts, (name, amount) => [
    ...validateQuotaResourceName(name, `${at}[${name}]`),
    ...validateAmount(name, amount, dialect, `${at}[${name}]`),
  ]);
}

/** A validation error for each resource that a scope says nothing about, made once for each scope however often it is named. */
function unfitFor(hard: Amounts | undefined, error: () => FieldError): (scope: string) => readonly FieldError[] {
  const limited = Object.keys(hard ?? {}).filter(isQuotaResource);
  const known = new Map<string, readonly FieldError[]>();
  return (scope) => {
    const told = known.get(scope);
    if (told !== undefined) return told;
    // of a scope that is not known nothing can be said
    const unfit = limited.filter((name) => scopes.get(scope)?.has(name) === false).map(() => error());
    if (scopes.has(scope)) known.set(scope, unfit);
    return unfit;
  };
}

const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

function conflicts(all: readonly string[], at: string, shown: unknown): readonly FieldError[] {
  const both = opposites.filter((pair) => pair.every((scope) => all.includes(scope)));
  return both.map(() => invalidValue(at, shown, 'conflicting scopes'));
}

function validateScopes({ hard, scopes: given = [] }: Spec): readonly FieldError[] {
  const at = 'spec.scopes';
  const unfit = unfitFor(hard, () => invalidValue(at, given, 'unsupported scope applied to resource'));
  return [
    ...findEach(given, (scope) => [
      ...(scopes.has(scope) ? [] : [invalidValue(at, given, 'unsupported scope')]),
      ...unfit(scope),
    ]),
    ...conflicts(given, at, given),
  ];
}

function validateSelector({ hard, scopes: given, scopeSelector }: Spec): readonly FieldError[] {
  const at = 'spec.scopeSelector.matchExpressions';
  const expressions = scopeSelector?.matchExpressions ?? [];
  let wrong: FieldError | undefined;
  const unfit = unfitFor(hard, () => {
    wrong ??= invalidValue(
      at,
      inReferenceForm('ScopeSelector', scopeSelector),
      'unsupported scope applied to resource',
    );
    return wrong;
  });
  return [
    ...findEach(expressions, ({ scopeName: scope = '', operator = '', values = [] }) => [
      ...(scopes.has(scope) ? [] : [invalidValue(`${at}.scopeName`, scope, 'unsupported scope')]),
      ...unfit(scope),
      ...validateOperator(scope, operator, values, at),
    ]),
    ...conflicts(
      expressions.map(({ scopeName = '' }) => scopeName),
      at,
      given ?? null,
    ),
  ];
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateOperator(
  scope: string,
  operator: string,
  values: readonly string[],
  at: string,
): readonly FieldError[] {
  const fixed = withoutValues.has(scope) && operator !== 'Exists';
  const errors = fixed ? [invalidValue(`${at}.operator`, operator, onlyExists)] : [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return errors;
      return [
        ...errors,
        required(`${at}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return errors;
      return [
        ...errors,
        invalidValue(
          `${at}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [...errors, invalidValue(`${at}.operator`, operator, 'not a valid selector operator')];
  }
}

/** The objects that a quota is about stay the same. */
export function validateQuotaUpdate(next: ResourceQuota, old: ResourceQuota): readonly FieldError[] {
  const sorted = ({ spec }: ResourceQuota) => [...new Set(spec?.scopes ?? [])].sort();
  if (isSameJson(sorted(next), sorted(old))) return [];
  return [invalidValue('spec.scopes', shownField(next.spec, 'scopes'), 'field is immutable')];
}
