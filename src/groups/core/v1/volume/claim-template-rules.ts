// What is wrong with the claim that a pod has made for one of its volumes.

import { forbiddenField } from '../../../../meta/field-errors.ts';
import type { ObjectMeta } from '../../../../meta/object.ts';
import { givenEmptyFields, shownField } from '../../../../schema/given-empty.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { ValidationErrors } from '../../../rules.ts';
import { validateAnnotations, validateLabels } from '../template-meta-rules.ts';
import { validateClaimSpec } from './persistent-volume-claim-rules.ts';
import type { persistentVolumeClaimTemplate } from './volume.ts';

type ClaimTemplate = Infer<typeof persistentVolumeClaimTemplate>;

export function validateClaimTemplate({ metadata = {}, spec = {} }: ClaimTemplate, at: string): ValidationErrors {
  return [...validateTemplateMeta(metadata as ObjectMeta, `${at}.metadata`), ...validateClaimSpec(spec, `${at}.spec`)];
}

/** What is made from a template has labels and annotations from it, and nothing else. */
export function validateTemplateMeta(given: ObjectMeta, at: string): ValidationErrors {
  const { labels, annotations, ...others } = given;
  const named = [...Object.keys(others), ...givenEmptyFields(others)];
  const unwanted = named.filter((name) => shownField(others, name) !== null && shownField(others, name) !== '');
  return [
    ...validateAnnotations(annotations, `${at}.annotations`),
    ...validateLabels(labels, `${at}.labels`),
    // compat: one field of metadata is spelt in another way here
    ...unwanted.map((name) => forbiddenField(`${at}.${name === 'uid' ? 'uID' : name}`, 'cannot be set')),
  ];
}
