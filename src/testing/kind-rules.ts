// The rules of one kind without a server: the object that a write would store, and its errors.

import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { KindDefinition } from '../schema/resource.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import { lines } from './error-lines.ts';
import { FakeClock } from './fake-clock.ts';
import { foundBy } from './found-by-rules.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };

interface KindRules {
  /** The object as it is after decoding and defaulting. */
  defaulted(fields: object): ApiObject;
  /** `Reason field` of everything wrong with a new object. */
  create(fields: object): string[];
  /** The errors of a change. */
  update(next: object, old: object): string[];
  /** `field: message` of everything wrong with an object, new or changed. */
  complaints(next: object, old?: object): readonly string[];
  /** The errors of its expressions. */
  expressionComplaints(next: object, old?: object): Promise<readonly string[]>;
  /** Cells of the table, by column. */
  cells(fields: object): Record<string, unknown>;
}

/** All errors of a new object by the rules of its kind, except those of expressions. */
export function newErrors(
  { strategy = {} }: Pick<KindDefinition, 'strategy'>,
  object: ApiObject,
  around: StrategyContext = context,
): readonly FieldError[] {
  return [
    ...foundBy(() => strategy.validateName?.(object, around)),
    ...foundBy(() => strategy.validate?.(object, around)),
    ...foundBy(() => strategy.validateWrite?.(object, undefined, around)),
    ...foundBy(() => strategy.validateCreate?.(object, around)),
  ];
}

export function rulesOf(kind: KindDefinition, apiVersion = 'v1'): KindRules {
  const { strategy = {} } = kind;
  const defaulted = (fields: object): ApiObject => {
    const input = { metadata: { name: 'x', namespace: kind.namespaced ? 'n' : undefined }, ...fields };
    const decoded = decoderOf(kind.type)(JSON.parse(JSON.stringify(input)), new DecodeContext()) as ApiObject;
    const object = { ...decoded, kind: kind.kind, apiVersion };
    return strategy.defaults?.(object, context) ?? object;
  };
  const errorsOf = (next: ApiObject, old: ApiObject): readonly FieldError[] =>
    strategy.validateWrite?.(next, old, context) ?? [];
  const createErrors = (fields: object): readonly FieldError[] => {
    const object = defaulted(fields);
    return newErrors(kind, strategy.prepareForCreate?.(object, context) ?? object);
  };
  const updateErrors = (next: object, old: object): readonly FieldError[] => {
    const before = defaulted(old);
    const after = defaulted(next);
    const made = strategy.prepareForUpdate?.(after, before, context) ?? after;
    const fieldErrors = foundBy(() => strategy.validate?.(made, context));
    const again = (strategy.updateChecks?.fields ?? 1) > 1 ? fieldErrors : [];
    return [
      ...fieldErrors,
      ...again,
      ...errorsOf(made, before),
      ...foundBy(() => strategy.validateUpdate?.(made, before, context)),
    ];
  };
  const words = (found: readonly FieldError[]) =>
    found.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);
  return {
    defaulted,
    create: (fields) => words(createErrors(fields)),
    update: (next, old) => words(updateErrors(next, old)),
    complaints: (next, old) => lines(old === undefined ? createErrors(next) : updateErrors(next, old)),
    expressionComplaints: async (next, old) =>
      lines(await strategy.validateExpressions?.(defaulted(next), old && defaulted(old), context)),
    cells(fields) {
      const object = defaulted(fields);
      return Object.fromEntries((kind.columns ?? []).map((column) => [column.name, column.cell(object, context)]));
    },
  };
}
