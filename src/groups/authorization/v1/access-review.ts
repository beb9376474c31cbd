// Access reviews: a question to the authorizers, answered in the status.

import { isSameJson, setOwn } from '../../../base/json/json.ts';
import { type AccessAttributes, pathAccess, resourceAccess } from '../../../meta/access.ts';
import { groupName } from '../../../meta/dialect.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import { type FieldSelector, parseFieldSelector } from '../../../meta/field-selector.ts';
import { type LabelSelector, parseLabelSelector } from '../../../meta/label-selector.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { type FieldError, invalid } from '../../../meta/status.ts';
import type { UserInfo } from '../../../meta/user.ts';
import type { Action, ActionCall } from '../../../schema/action.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { validateKnownRequirement, validateValues } from '../../meta/v1/label-selector.ts';
import type { resourceAttributes, subjectAccessReviewSpec } from './attributes.ts';

type Spec = Infer<typeof subjectAccessReviewSpec>;
type ResourceAttributes = Infer<typeof resourceAttributes>;

interface Review extends ApiObject {
  readonly spec?: Spec;
}

const specOf = ({ spec = {} }: Review): Spec => spec;

/** May a user do something? */
export const reviewSubject: Action<Review> = {
  async run(review, call) {
    refuse(call, [...validateSpec(specOf(review)), ...validateSubject(specOf(review)), ...metadataErrors(review)]);
    return answer(review, subjectOf(specOf(review)), call);
  },
};

/** May I do something? */
export const reviewSelf: Action<Review> = {
  async run(review, call) {
    refuse(call, [...validateSpec(specOf(review)), ...metadataErrors(review)]);
    return answer(review, call.user, call);
  },
};

/** May a user do something in this namespace? */
export const reviewLocally: Action<Review> = {
  async run(review, call) {
    const spec = specOf(review);
    const errors = [...validateSpec(spec), ...validateSubject(spec), ...metadataErrors(review)];
    refuse(call, [...errors, ...localErrors(spec, review.metadata.namespace ?? '')]);
    return answer(review, subjectOf(spec), call);
  },
};

/** compat: validation errors about a review name its group and no kind. */
function refuse({ dialect }: ActionCall, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: groupName(dialect, 'authorization'), kind: '', name: '' }, errors);
}

function validateSpec({ resourceAttributes: resource, nonResourceAttributes: path }: Spec): FieldError[] {
  const errors: FieldError[] = [];
  if (resource != null && path != null)
    errors.push(
      invalidValue(
        'spec.nonResourceAttributes',
        inReferenceForm('NonResourceAttributes', path),
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  if (resource == null && path == null)
    errors.push(
      invalidValue(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  for (const name of ['fieldSelector', 'labelSelector'] as const)
    for (const wrong of validateSelector(resource?.[name], `spec.resourceAttributes.${name}`, requirementRules[name]))
      errors.push(wrong);
  return errors;
}

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
}

type Requirement = NonNullable<SelectorAttributes['requirements']>[number];
type RequirementRule = (one: Requirement, at: string) => readonly FieldError[];

/** Operators may be newer than this server: those it does not know are ignored. */
const requirementRules: Readonly<Record<'fieldSelector' | 'labelSelector', RequirementRule>> = {
  fieldSelector: (one, at) => [
    ...(one.key ? [] : [required(`${at}.key`, 'must be specified')]),
    ...validateValues(one, at),
  ],
  labelSelector: validateKnownRequirement,
};

function validateSelector(
  selector: SelectorAttributes | null | undefined,
  at: string,
  rule: RequirementRule,
): FieldError[] {
  if (selector == null) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0)
    errors.push(invalidValue(`${at}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  if (rawSelector === '' && requirements.length === 0)
    errors.push(required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`));
  return [...errors, ...requirements.flatMap((one, index) => rule(one, `${at}.requirements[${index}]`))];
}

function validateSubject({ user = '', groups = [] }: Spec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [invalidValue('spec.user', user, 'at least one of user or group must be specified')];
}

function metadataErrors({ metadata }: ApiObject): FieldError[] {
  const { namespace, managedFields: _, ...rest } = metadata;
  const detail = namespace === undefined ? 'must be empty' : 'must be empty except for namespace';
  return isSameJson(rest, {}) ? [] : [invalidValue('metadata', metadata, detail)];
}

function localErrors({ resourceAttributes: resource, nonResourceAttributes: path }: Spec, namespace: string) {
  const errors: FieldError[] = [];
  if (resource != null && (resource.namespace ?? '') !== namespace)
    errors.push(
      invalidValue('spec.resourceAttributes.namespace', resource.namespace ?? '', 'must match metadata.namespace'),
    );
  if (path != null)
    errors.push(
      invalidValue(
        'spec.nonResourceAttributes',
        inReferenceForm('NonResourceAttributes', path),
        'disallowed on this kind of request',
      ),
    );
  return errors;
}

/** By keys: of a large map V8 takes three times as long to list entries. */
function subjectOf({ user = '', uid, groups = [], extra = {} }: Spec): UserInfo {
  const keys = Object.keys(extra);
  const lowered: Record<string, readonly string[]> = {};
  for (const key of keys) setOwn(lowered, key.toLowerCase(), extra[key] as readonly string[]);
  return { name: user, ...(uid ? { uid } : {}), groups, ...(keys.length === 0 ? {} : { extra: lowered }) };
}

async function answer(review: ApiObject, user: UserInfo, { access, dialect }: ActionCall): Promise<ApiObject> {
  const { resourceAttributes: resource, nonResourceAttributes: path } = specOf(review);
  const { asked, problems } =
    resource == null
      ? { asked: pathAccess(user, path?.verb ?? '', path?.path ?? ''), problems: [] }
      : questionAbout(user, resource);
  const { kind, reason = '', error = '' } = await access.decide(asked);
  const said = [error, ...problems].filter((text) => text !== '').join(', ');
  const status = {
    allowed: kind === 'allow',
    ...(kind === 'deny' || dialect.rules.reviewFlags === 'stated' ? { denied: kind === 'deny' } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(said === '' ? {} : { evaluationError: said }),
  };
  return { ...review, status };
}

const selectingVerbs = new Set(['list', 'watch', 'deletecollection']);

function questionAbout(
  user: UserInfo,
  attributes: ResourceAttributes,
): { asked: AccessAttributes; problems: string[] } {
  const {
    verb = '',
    group = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = attributes;
  const asked = resourceAccess({ user, verb, group, version, resource, subresource, namespace, name });
  if (!selectingVerbs.has(verb)) return { asked, problems: [] };
  const problems: string[] = [];
  const attempt = <T>(field: string, read: () => T | undefined): T | undefined => {
    try {
      return read();
    } catch {
      problems.push(`spec.resourceAttributes.${field} ignored due to parse error`);
      return undefined;
    }
  };
  const fieldSelector = attempt('fieldSelector', () => fieldsOf(attributes.fieldSelector));
  const labelSelector = attempt('labelSelector', () => labelsOf(attributes.labelSelector));
  const selectors = {
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
  return { asked: { ...asked, ...selectors }, problems };
}

function fieldsOf(selector: SelectorAttributes | null | undefined): FieldSelector | undefined {
  if (selector == null) return undefined;
  if (selector.rawSelector) return parseFieldSelector(selector.rawSelector);
  return selector.requirements?.map(({ key = '', operator, values = [] }) => {
    const known = (operator === 'In' || operator === 'NotIn') && values.length === 1;
    if (!known) throw new Error('fields can be equal to one value, or not');
    return { field: key, operator: operator === 'In' ? '=' : '!=', value: values[0] as string };
  });
}

const labelOperators: Readonly<Record<string, LabelSelector[number]['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function labelsOf(selector: SelectorAttributes | null | undefined): LabelSelector | undefined {
  if (selector == null) return undefined;
  if (selector.rawSelector) return parseLabelSelector(selector.rawSelector);
  return selector.requirements?.map(({ key = '', operator = '', values = [] }) => {
    const known = Object.hasOwn(labelOperators, operator) ? labelOperators[operator] : undefined;
    if (known === undefined) throw new Error('not an operator of label selectors');
    return { key, operator: known, values };
  });
}
