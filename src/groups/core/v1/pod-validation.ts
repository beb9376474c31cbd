// What is wrong with a pod's description, in the words and at the fields that clients know.

import { required } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { PodTemplateSpec } from './pod-spec.ts';

/** Findings about a template at a field such as `spec.template`; safe on anything that was decoded. */
export function validatePodTemplate(template: PodTemplateSpec | undefined, at: string): readonly FieldError[] {
  const { containers = [] } = template?.spec ?? {};
  return containers.length === 0 ? [required(`${at}.spec.containers`)] : [];
}
