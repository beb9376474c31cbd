// What is wrong with the claim that a pod has made for one of its volumes.

import { forbiddenField } from '../../../meta/field-errors.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import type { Infer } from '../../../schema/types.ts';
import type { Findings } from '../../rules.ts';
import { validateClaimSpec } from './persistent-volume-claim-rules.ts';
import { validateAnnotations, validateLabels } from './template-meta-rules.ts';
import type { persistentVolumeClaimTemplate } from './volume.ts';

type ClaimTemplate = Infer<typeof persistentVolumeClaimTemplate>;

export function validateClaimTemplate({ metadata = {}, spec = {} }: ClaimTemplate, at: string): Findings {
  const here = `${at}.metadata`;
  const { labels, annotations, ...others } = metadata as ObjectMeta;
  const unwanted = Object.entries(others).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return [
    ...validateAnnotations(annotations, `${here}.annotations`),
    ...validateLabels(labels, `${here}.labels`),
    ...unwanted.map(([name]) => forbiddenField(`${here}.${name}`, 'cannot be set')),
    ...validateClaimSpec(spec, `${at}.spec`),
  ];
}
