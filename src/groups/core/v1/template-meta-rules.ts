// Labels and annotations that are kept for objects to come.

import { invalidValue, tooLong } from '../../../meta/field-errors.ts';
import { checkLabelValue, checkQualifiedName } from '../../../meta/names.ts';
import { checked, type ValidationErrors } from '../../rules.ts';

type Texts = Readonly<Record<string, string>>;

const maxAnnotationBytes = 256 * 1024;

export function validateLabels(labels: Texts | undefined, at: string): ValidationErrors {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...checked(at, key, checkQualifiedName),
    ...checked(at, value, checkLabelValue),
  ]);
}

export function validateAnnotations(annotations: Texts | undefined, at: string): ValidationErrors {
  const entries = Object.entries(annotations ?? {});
  const total = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => checkQualifiedName(key.toLowerCase()).map((e) => invalidValue(at, key, e))),
    ...(total > maxAnnotationBytes ? [tooLong(at, maxAnnotationBytes)] : []),
  ];
}
