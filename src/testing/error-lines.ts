// What validation found, one line each, for tests.

import type { FieldError } from '../meta/status.ts';

export const lines = (errors: readonly FieldError[] = []): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);
