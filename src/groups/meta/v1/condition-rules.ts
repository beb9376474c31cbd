// Rules of the conditions that status lists share.

import { duplicate, invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkQualifiedName } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, notNegative, oneOf, type ValidationErrors } from '../../rules.ts';
import type { condition } from './types.ts';

type Condition = Infer<typeof condition>;

const longestReason = 1024;
const longestMessage = 32 * 1024;
const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonAdvice =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

export function validateConditionList(conditions: readonly Condition[] = [], at: string): ValidationErrors {
  const seen = new Set<string>();
  return findEach(conditions, (one, index) => {
    const again = seen.has(one.type ?? '');
    seen.add(one.type ?? '');
    return [
      ...(again ? [duplicate(`${at}[${index}].type`, one.type)] : []),
      ...validateCondition(one, `${at}[${index}]`),
    ];
  });
}

function validateCondition(one: Condition, at: string): ValidationErrors {
  const { type = '', status = '', reason = '', message = '' } = one;
  return [
    ...checked(`${at}.type`, type, checkQualifiedName),
    ...oneOf(`${at}.status`, status, ['False', 'True', 'Unknown']),
    ...notNegative(`${at}.observedGeneration`, one.observedGeneration),
    ...(one.lastTransitionTime ? [] : [required(`${at}.lastTransitionTime`)]),
    ...validateReason(reason, `${at}.reason`),
    ...(Buffer.byteLength(message) > longestMessage ? [tooLong(`${at}.message`, longestMessage)] : []),
  ];
}

function validateReason(reason: string, at: string): ValidationErrors {
  if (reason === '') return [required(at)];
  return [
    ...(Buffer.byteLength(reason) > longestReason ? [tooLong(at, longestReason)] : []),
    ...(reasonForm.test(reason) ? [] : [invalidValue(at, reason, reasonAdvice)]),
  ];
}
