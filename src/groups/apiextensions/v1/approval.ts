// Groups of the product's own domains are for resources that its makers have agreed to; definitions in them say so by an annotation.

import { approvalPage, type Dialect, isReservedGroup } from '../../../meta/dialect.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import type { ValidationErrors } from '../../rules.ts';
import type { CustomResourceDefinition } from './custom-resource-definition-type.ts';

type Approval = 'given' | 'bypassed' | 'missing' | 'invalid';

const groupOf = (object: ApiObject) => (object as CustomResourceDefinition).spec?.group ?? '';
const keyIn = ({ labelDomain }: Dialect) => `api-approved.${labelDomain}`;

function approvalOf({ metadata }: ApiObject, key: string): Approval {
  const value = metadata.annotations?.[key] ?? '';
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  return /^[a-z][-+.a-z0-9]*:\/\/[^/]/i.test(value) ? 'given' : 'invalid';
}

const choices = ' with either a URL or a reason starting with "unapproved"';

/** What is missing, and what the annotation may say. */
function advice(dialect: Dialect, more = ''): string {
  // compat: messages about approval name the page on which the policy was agreed
  const page = approvalPage(dialect);
  const see = page === undefined ? '' : `, see ${page}`;
  return `protected groups must have approval annotation ${JSON.stringify(keyIn(dialect))}${more}${see}`;
}

export function validateApproval(
  next: ApiObject,
  old: ApiObject | undefined,
  { dialect }: StrategyContext,
): ValidationErrors {
  if (!isReservedGroup(dialect, groupOf(next))) return [];
  const key = keyIn(dialect);
  const approval = approvalOf(next, key);
  if (approval === 'given' || approval === 'bypassed' || (old && approvalOf(old, key) === approval)) return [];
  const at = `metadata.annotations[${key}]`;
  if (approval === 'missing') return [required(at, advice(dialect))];
  return [invalidValue(at, next.metadata.annotations?.[key], advice(dialect, choices))];
}

/** What a condition says of the approval. */
interface ApprovalError {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Undefined for groups that need none. */
export function approvalError(object: ApiObject, dialect: Dialect): ApprovalError | undefined {
  if (!isReservedGroup(dialect, groupOf(object))) return undefined;
  const key = keyIn(dialect);
  const value = object.metadata.annotations?.[key] ?? '';
  const validationErrors: Readonly<Record<Approval, ApprovalError>> = {
    given: { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` },
    bypassed: { status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(value)}` },
    missing: { status: 'False', reason: 'MissingAnnotation', message: advice(dialect) },
    invalid: { status: 'False', reason: 'InvalidAnnotation', message: advice(dialect, choices) },
  };
  return validationErrors[approvalOf(object, key)];
}
