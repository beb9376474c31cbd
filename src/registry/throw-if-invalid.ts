// The verdict on an object that is to be stored.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import type { ExpressionRun, Strategy } from '../schema/strategy.ts';
import type { Registry } from './registry.ts';

/** Throws what was found to be wrong with an object, together with what is wrong with its expressions. */
export function throwIfInvalid(
  registry: Registry,
  next: ApiObject,
  old: ApiObject | undefined,
  validationErrors: readonly FieldError[],
  run: ExpressionRun,
  rules: { readonly validateExpressions?: Strategy['validateExpressions'] } = registry.strategy,
): MaybePromise<void> {
  const name = (old ?? next).metadata.name ?? '';
  if (rules.validateExpressions === undefined) return registry.refuse(name, validationErrors);
  return rules
    .validateExpressions(next, old, registry.context, run)
    .then((more) => registry.refuse(name, more.length > 0 ? [...validationErrors, ...more] : validationErrors));
}
