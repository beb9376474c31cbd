// Selectors inside objects, by labels and by fields, and what they mean.

import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../meta/find-each.ts';
import { type LabelTest, labelMatcher } from '../../../meta/label-tests.ts';
import { checkLabelValue, checkQualifiedName } from '../../../meta/names.ts';
import type { Labels } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { field, type Infer, listOf, mapOf, string, struct } from '../../../schema/types.ts';

const home = 'meta/v1';
export const labelSelectorRequirement = struct(home, 'LabelSelectorRequirement', 'A requirement on one label.', () => ({
  key: field(1, string, { always: true, required: true, about: 'Key of the label.' }),
  operator: field(2, string, {
    goType: 'LabelSelectorOperator',
    always: true,
    required: true,
    about: 'In, NotIn, Exists or DoesNotExist.',
  }),
  values: field(3, listOf(string), { listType: 'atomic', about: 'Values for In and NotIn; empty for the others.' }),
}));

export const labelSelector = struct(
  home,
  'LabelSelector',
  'Selects objects by their labels; all requirements must hold. An empty selector selects everything.',
  () => ({
    matchLabels: field(1, mapOf(string), { about: 'Labels that must have exactly these values.' }),
    matchExpressions: field(2, listOf(labelSelectorRequirement), {
      listType: 'atomic',
      about: 'Further requirements on labels.',
    }),
  }),
  { mapType: 'atomic' },
);

export const fieldSelectorRequirement = struct(home, 'FieldSelectorRequirement', 'A requirement on one field.', () => ({
  key: field(1, string, { always: true, required: true, about: 'Path of the field.' }),
  operator: field(2, string, {
    goType: 'FieldSelectorOperator',
    always: true,
    required: true,
    about: 'In, NotIn, Exists or DoesNotExist.',
  }),
  values: field(3, listOf(string), { listType: 'atomic', about: 'Values for In and NotIn; empty for the others.' }),
}));

export type LabelSelector = Infer<typeof labelSelector>;
type LabelSelectorRequirement = Infer<typeof labelSelectorRequirement>;

/** As query parameters write it, keys in order. An empty selector is an empty text. */
export function formatLabelSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = matchExpressions.map((requirement) => ({
    key: requirement.key ?? '',
    text: formatRequirement(requirement),
  }));
  const all = [...labels, ...expressions].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return all.map(({ text }) => text).join(',');
}

function formatRequirement({ key = '', operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${[...values].sort().join(',')})`;
    case 'NotIn':
      return `${key} notin (${[...values].sort().join(',')})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

/** An empty selector matches everything; none at all is for the caller to judge. */
export function selects(selector: LabelSelector, labels?: Labels): boolean {
  let matcher = matchers.get(selector);
  if (matcher === undefined) {
    matcher = selecting(selector);
    matchers.set(selector, matcher);
  }
  return matcher(labels);
}

const matchers = new WeakMap<LabelSelector, (labels?: Labels) => boolean>();

/** For many objects: a selector may have thousands of requirements, which are looked through once. */
export function selecting({ matchLabels = {}, matchExpressions = [] }: LabelSelector): (labels?: Labels) => boolean {
  const equal = Object.entries(matchLabels).map(([key, expected]) => ({
    key,
    needsLabel: true,
    accepts: (value: string) => value === expected,
  }));
  return labelMatcher([...equal, ...matchExpressions.map(testOf)]);
}

function testOf({ key = '', operator, values = [] }: LabelSelectorRequirement): LabelTest {
  switch (operator) {
    case 'In': {
      const allowed = new Set(values);
      return { key, needsLabel: true, accepts: (value) => allowed.has(value) };
    }
    case 'NotIn': {
      const forbidden = new Set(values);
      return { key, needsLabel: false, accepts: (value) => !forbidden.has(value) };
    }
    case 'Exists':
      return { key, needsLabel: true, accepts: () => true };
    default:
      return { key, needsLabel: false, accepts: () => false };
  }
}

/** What is wrong with a selector at a field. */
export function validateLabelSelector(selector: LabelSelector | undefined, at: string): readonly FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return [
    ...findEachEntry(matchLabels, (key, value) => [
      ...checkQualifiedName(key).map((e) => invalidValue(`${at}.matchLabels`, key, e)),
      ...checkLabelValue(value).map((e) => invalidValue(`${at}.matchLabels`, value, e)),
    ]),
    ...findEach(matchExpressions, (one, index) => validateRequirement(one, `${at}.matchExpressions[${index}]`)),
  ];
}

function validateRequirement(one: LabelSelectorRequirement, at: string): readonly FieldError[] {
  const { operator = '' } = one;
  const wrong = invalidValue(`${at}.operator`, operator, 'not a valid selector operator');
  return [...(operators.includes(operator) ? [] : [wrong]), ...validateKnownRequirement(one, at)];
}

/** Whatever its operator means. */
export function validateKnownRequirement(one: LabelSelectorRequirement, at: string): readonly FieldError[] {
  const { key = '', values = [] } = one;
  return [
    ...validateValues(one, at),
    ...checkQualifiedName(key).map((e) => invalidValue(`${at}.key`, key, e)),
    ...findEach(values, (value, index) =>
      checkLabelValue(value).map((e) => invalidValue(`${at}.values[${index}]`, value, e)),
    ),
  ];
}

/** Operators that compare have something to compare with, and others have not. */
export function validateValues({ operator = '', values = [] }: LabelSelectorRequirement, at: string) {
  const compares = operator === 'In' || operator === 'NotIn';
  if (compares && values.length === 0)
    return [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    return [forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  return [];
}

const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
