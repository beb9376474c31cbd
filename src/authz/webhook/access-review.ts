// A question to the authorizers as a SubjectAccessReview asks it.

import type { AccessAttributes } from '../../meta/access.ts';
import { apiGroup, type Dialect } from '../../meta/dialect.ts';
import type { FieldSelector } from '../../meta/field-selector.ts';
import type { LabelOperator, LabelSelector } from '../../meta/label-selector.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The spec of the review, in version v1; empty fields are left out. */
export interface ReviewSpec {
  readonly resourceAttributes?: Readonly<Record<string, unknown>>;
  readonly nonResourceAttributes?: Readonly<Record<string, unknown>>;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

export function reviewSpec(attributes: AccessAttributes): ReviewSpec {
  const { user, verb, path } = attributes;
  const about = attributes.isResource
    ? { resourceAttributes: resourceAttributes(attributes) }
    : { nonResourceAttributes: withoutEmpty({ path, verb }) };
  return {
    ...about,
    ...withoutEmpty({ user: user.name }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(user.extra === undefined || Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    ...withoutEmpty({ uid: user.uid ?? '' }),
  };
}

/** The whole review. Version v1beta1 calls the groups by another name. */
export function accessReview(spec: ReviewSpec, version: ReviewVersion, dialect: Dialect) {
  const { groups, ...others } = spec;
  return {
    kind: 'SubjectAccessReview',
    apiVersion: `${apiGroup(dialect, 'authorization')}/${version}`,
    metadata: {},
    spec: version === 'v1' || groups === undefined ? spec : { ...others, group: groups },
    status: { allowed: false },
  };
}

function resourceAttributes(attributes: AccessAttributes): Readonly<Record<string, unknown>> {
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const fields = fieldRequirements(attributes.fieldSelector ?? []);
  const labels = labelRequirements(attributes.labelSelector ?? []);
  return {
    ...withoutEmpty({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

const withoutEmpty = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

const fieldRequirements = (selector: FieldSelector): readonly SelectorRequirement[] =>
  selector.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));

/** Comparisons have no name in reviews; leaving one out asks for more, never for less. */
const labelOperators: Readonly<Record<LabelOperator, string | undefined>> = {
  in: 'In',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
  '>': undefined,
  '<': undefined,
};

function labelRequirements(selector: LabelSelector): readonly SelectorRequirement[] {
  return selector.flatMap(({ key, operator, values }) => {
    const reviewOperator = labelOperators[operator];
    return reviewOperator === undefined
      ? []
      : [{ key, operator: reviewOperator, ...(values.length === 0 ? {} : { values }) }];
  });
}
