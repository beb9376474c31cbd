// What the status of a CustomResourceDefinition should say: which names it has, whether it is served, and what is odd about it.

import { isDeepStrictEqual } from 'node:util';
import { approvalError } from '../../groups/apiextensions/v1/approval.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { bundleProblem } from '../../groups/webhook-client-rules.ts';
import type { Dialect } from '../../meta/dialect.ts';
import {
  type DefinitionStatus,
  findCondition,
  isSame,
  isTrue,
  type ValidationError,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { hasAllNames, judgeNames, type UsedNames } from './names.ts';
import type { StructuralProblems } from './structural-problems.ts';

interface StatusContext {
  readonly used: UsedNames;
  readonly dialect: Dialect;
  readonly problems: StructuralProblems;
  /** As conditions have it. */
  readonly now: string;
}

const installing: ValidationError = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};
const established: ValidationError = { ...installing, status: 'True', reason: 'InitialNamesAccepted' };
const notAccepted: ValidationError = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
const invalidBundle: ValidationError = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

/** The very same status where there is nothing to change. A definition is established by its own look, after its names are known. */
export function nextStatus(definition: CustomResourceDefinition, context: StatusContext): DefinitionStatus {
  const status = definition.status ?? {};
  const judged = withOddities(definition, withNames(definition, status, context), context);
  return judged === status ? withEstablishing(definition, status, context.now) : judged;
}

function withNames(
  definition: CustomResourceDefinition,
  status: DefinitionStatus,
  { used, now }: StatusContext,
): DefinitionStatus {
  if (hasAllNames(definition)) return status;
  const { accepted, condition } = judgeNames(definition, used);
  const isKnown = isSame(condition, findCondition(status, 'NamesAccepted'));
  if (isKnown && isDeepStrictEqual(accepted, status.acceptedNames)) return status;
  const named = withCondition({ ...status, acceptedNames: accepted }, condition, now);
  if (isTrue(named, 'Established')) return named;
  const before = findCondition(named, 'Established') ?? notAccepted;
  return withCondition(named, condition.status === 'True' ? installing : before, now);
}

function withEstablishing({ spec }: CustomResourceDefinition, status: DefinitionStatus, now: string): DefinitionStatus {
  if (!isTrue(status, 'NamesAccepted') || isTrue(status, 'Established')) return status;
  const { caBundle } = spec?.conversion?.webhook?.clientConfig ?? {};
  const isWrong = caBundle !== undefined && caBundle !== '' && bundleProblem(caBundle) !== undefined;
  return withCondition(status, isWrong ? invalidBundle : established, now);
}

function withOddities(
  definition: CustomResourceDefinition,
  status: DefinitionStatus,
  { dialect, problems, now }: StatusContext,
): DefinitionStatus {
  const approval = approvalError(definition, dialect);
  const approved = approval
    ? withCondition(status, { type: 'KubernetesAPIApprovalPolicyConformant', ...approval }, now)
    : status;
  const message = problems.of(definition);
  if (message === undefined) return withoutCondition(approved, nonStructural);
  return withCondition(approved, { type: nonStructural, status: 'True', reason: 'Violations', message }, now);
}

const nonStructural = 'NonStructuralSchema';
