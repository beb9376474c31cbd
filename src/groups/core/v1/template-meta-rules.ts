// Labels and annotations that are kept for objects to come.

import {
  validateAnnotations as validateAllAnnotations,
  validateLabels as validateAllLabels,
} from '../../../meta/metadata-rules.ts';
import type { ValidationErrors } from '../../rules.ts';

type Texts = Readonly<Record<string, string>>;

export const validateLabels = (labels: Texts | undefined, at: string): ValidationErrors =>
  labels === undefined ? [] : validateAllLabels(labels, at);

export const validateAnnotations = (annotations: Texts | undefined, at: string): ValidationErrors =>
  annotations === undefined ? [] : validateAllAnnotations(annotations, at);
