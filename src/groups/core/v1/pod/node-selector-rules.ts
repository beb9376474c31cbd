// What a choice of nodes may say.

import { forbiddenField, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelValue, checkQualifiedName } from '../../../../meta/names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { nodeSelector, nodeSelectorRequirement } from '../selectors.ts';

type Requirement = Infer<typeof nodeSelectorRequirement>;

export function validateNodeSelector(selector: Infer<typeof nodeSelector>, at: string): readonly FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(`${at}.nodeSelectorTerms`, 'must have at least one node selector term')];
  return findEach(terms, ({ matchExpressions = [], matchFields = [] }, index) => {
    const term = `${at}.nodeSelectorTerms[${index}]`;
    return [
      ...findEach(matchExpressions, (one, i) => validateExpression(one, `${term}.matchExpressions[${i}]`)),
      ...findEach(matchFields, (one, i) => validateField(one, `${term}.matchFields[${i}]`)),
    ];
  });
}

function validateExpression(one: Requirement, at: string): readonly FieldError[] {
  const { key = '', values = [] } = one;
  return [
    ...validateValues(one, at),
    ...checkQualifiedName(key).map((e) => invalidValue(`${at}.key`, key, e)),
    ...findEach(values, (value, i) => checkLabelValue(value).map((e) => invalidValue(`${at}.values[${i}]`, value, e))),
  ];
}

function validateValues({ operator = '', values = [] }: Requirement, at: string): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Of the fields of a node only its name can be chosen by. */
function validateField({ key = '', operator = '', values = [] }: Requirement, at: string): readonly FieldError[] {
  const byOperator =
    operator === 'In' || operator === 'NotIn'
      ? values.length === 1
        ? []
        : [
            required(
              `${at}.values`,
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ),
          ]
      : [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')];
  return [
    ...byOperator,
    ...(key === 'metadata.name' ? [] : [invalidValue(`${at}.key`, key, 'not a valid field selector key')]),
  ];
}
