// Errors of a value that breaks a rule of its schema.

import { duplicate, forbiddenField, invalidAt, invalidValue, required } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import { findField } from '../../schema/structural/field-path.ts';
import type { Schema } from '../../schema/structural/schema.ts';
import type { Outcome } from '../compile.ts';
import type { Rule } from './compile-rules.ts';

/** The value of a schema, where it stands. */
export interface Subject {
  readonly schema: Schema;
  readonly value: unknown;
  readonly at: string;
}

/** The rule does not hold. */
export function brokenRule({ schema, value, at }: Subject, rule: Rule, detail: string): FieldError {
  const place = blamed(rule, schema, at);
  const isShown = schema.type !== 'object' && schema.type !== 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(place, detail);
    case 'FieldValueRequired':
      return required(place, detail);
    case 'FieldValueDuplicate':
      return isShown
        ? duplicate(place, value)
        : { reason: 'FieldValueDuplicate', field: place, message: 'Duplicate value' };
    default:
      return isShown ? invalidValue(place, value, detail) : invalidAt(place, detail);
  }
}

function blamed({ fieldPath = '' }: Rule, schema: Schema, at: string): string {
  const target = fieldPath === '' ? undefined : findField(fieldPath, schema);
  if (target === undefined || 'problem' in target) return at || '<nil>';
  return at === '' ? target.path : `${at}.${target.path}`;
}

/** The value could not be judged: the rule or the run failed. */
export function unjudged({ schema, at }: Subject, problem: string, rule: Rule = {}): FieldError {
  return invalidValue(blamed(rule, schema, at), schema.type ?? '', problem);
}

const spent = 'due to running out of cost budget, no further validation rules will be run';
export const outOfBudget = `validation failed ${spent}`;
export const messageOutOfBudget = `messageExpression evaluation failed ${spent}`;
export const messageTooDear = (expression: string): string =>
  `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(expression)}`;

export function failedRun({ error, reason }: Extract<Outcome, { readonly error: string }>, rule: Rule): string {
  const ruleText = shownRule(rule);
  if (reason === 'budget')
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText}`;
  return error.startsWith('no such overload')
    ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText}`
    : `${error} evaluating rule: ${ruleText}`;
}

const shownRule = ({ rule = '', message = '' }: Rule): string => (message === '' ? rule : message).trim();

/** The message of a rule without a message expression. */
export const messageOf = (rule: Rule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${shownRule(rule)}`;
