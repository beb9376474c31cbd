// Conditions of CustomResourceDefinitions, one of each type.

import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';

export type DefinitionStatus = NonNullable<CustomResourceDefinition['status']>;
type Condition = NonNullable<DefinitionStatus['conditions']>[number];
/** A condition before it is known since when it holds. */
export type ValidationError = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

const conditionsOf = ({ conditions }: DefinitionStatus): readonly Condition[] => conditions ?? [];

export const findCondition = (status: DefinitionStatus, type: string): Condition | undefined =>
  conditionsOf(status).find((condition) => condition.type === type);

export const isTrue = (status: DefinitionStatus, type: string): boolean =>
  findCondition(status, type)?.status === 'True';

export function isSame(a: ValidationError, b: ValidationError | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** The status with a condition in place of the one of its type; the very same status where nothing is new. */
export function withCondition(
  status: DefinitionStatus,
  validationError: ValidationError,
  now: string,
): DefinitionStatus {
  const old = findCondition(status, validationError.type ?? '');
  if (isSame(validationError, old)) return status;
  const lastTransitionTime = old?.status === validationError.status ? (old?.lastTransitionTime ?? now) : now;
  const next: Condition = { ...old, ...validationError, lastTransitionTime };
  const conditions = old
    ? conditionsOf(status).map((condition) => (condition === old ? next : condition))
    : [...conditionsOf(status), next];
  return { ...status, conditions };
}

export function withoutCondition(status: DefinitionStatus, type: string): DefinitionStatus {
  if (findCondition(status, type) === undefined) return status;
  return { ...status, conditions: conditionsOf(status).filter((condition) => condition.type !== type) };
}
