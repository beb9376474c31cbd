// Rules of the kinds that keep pods running from a template: the selector, the template, and that the two agree.

import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { shownField } from '../../../schema/given-empty.ts';
import type { Infer } from '../../../schema/types.ts';
import { type PodRules, validatePodTemplate, validateTemplateMeta } from '../../core/v1/pod/pod-rules.ts';
import type { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { type LabelSelector, selects, validateLabelSelector } from '../../meta/v1/label-selector.ts';
import type { ValidationErrors } from '../../rules.ts';

export type PodTemplate = Infer<typeof podTemplateSpec>;

interface TemplateOwner {
  readonly selector?: LabelSelector | null;
  readonly template?: PodTemplate;
}

interface OwnerWords {
  /** The kind as the message about deadlines has it. */
  readonly kind: string;
  /** What is said of a selector that selects everything. */
  readonly emptySelector: string;
  /** What is said, besides what is wrong with it, of a selector that means nothing. */
  readonly malformedSelector?: string;
  /** Labels and annotations of the template are looked at once more. */
  readonly looksTwice?: true;
}

/** Pods that a selector does not find again would be made forever; one that means nothing hides what is wrong with them. */
export function validateOwnedTemplate(
  { selector, template = {} }: TemplateOwner,
  words: OwnerWords,
  rules: PodRules,
): ValidationErrors {
  const own = validateOwnSelector(selector ?? undefined, words);
  const ofTemplate = () => [
    ...agreement(selector ?? undefined, template, 'spec.template'),
    ...validatePodTemplate(template, 'spec.template', rules),
    ...(words.looksTwice ? validateTemplateMeta(template, 'spec.template', rules) : []),
    ...runsForever(template, words),
  ];
  const { malformedSelector = 'invalid label selector' } = words;
  const malformed = [
    invalidValue('spec.selector', selector, malformedSelector),
    ...(words.looksTwice ? runsForever(template, words) : []),
  ];
  return [...own, ...unlessMalformed(selector, ofTemplate, malformed)];
}

/** What rules find that need a selector which means something, or else what is said where there is none. */
export function unlessMalformed(
  selector: LabelSelector | null | undefined,
  rules: () => ValidationErrors,
  otherwise: ValidationErrors,
): ValidationErrors {
  return validateLabelSelector(selector ?? undefined, 'spec.selector').length > 0 ? otherwise : rules();
}

function validateOwnSelector(selector: LabelSelector | undefined, words: OwnerWords): ValidationErrors {
  if (selector === undefined) return [required('spec.selector')];
  return validateGivenSelector(selector, words);
}

export function validateGivenSelector(selector: LabelSelector, { emptySelector }: OwnerWords): ValidationErrors {
  const errors = validateLabelSelector(selector, 'spec.selector');
  return isEmpty(selector) ? [...errors, invalidValue('spec.selector', selector, emptySelector)] : errors;
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;

/** No selector at all finds nothing. */
export function agreement(selector: LabelSelector | undefined, template: PodTemplate, at: string): ValidationErrors {
  const { labels } = template.metadata ?? {};
  if (selector !== undefined && selects(selector, labels)) return [];
  return [
    invalidValue(
      `${at}.metadata.labels`,
      shownField(template.metadata, 'labels'),
      '`selector` does not match template `labels`',
    ),
  ];
}

export function runsForever({ spec = {} }: PodTemplate, { kind }: OwnerWords): ValidationErrors {
  const { restartPolicy = '', activeDeadlineSeconds } = spec;
  const at = 'spec.template.spec';
  return [
    ...(restartPolicy === 'Always' ? [] : [notSupported(`${at}.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbiddenField(`${at}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}
