// The errors that rules of a kind return.

import type { FieldError } from '../meta/status.ts';

export const foundBy = (rules: () => readonly FieldError[] | undefined): readonly FieldError[] => rules() ?? [];
