// Settings that are passed on to a driver: any keys and values, within bounds.

import { invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';

const maxEntries = 512;
const maxBytes = 256 * 1024;

export function validateParameters(
  parameters: Readonly<Record<string, string>>,
  { needed }: { readonly needed: boolean },
): readonly FieldError[] {
  const at = 'parameters';
  const keys = Object.keys(parameters);
  if (keys.length > maxEntries) return [tooLong(at, maxEntries)];
  const bytes = keys.reduce((sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(parameters[key] ?? ''), 0);
  return [
    ...(Object.hasOwn(parameters, '') ? [invalidValue(at, '', 'field can not be empty.')] : []),
    ...(bytes > maxBytes ? [tooLong(at, maxBytes)] : []),
    ...(needed && keys.length === 0 ? [required(at, 'must contain at least one key/value pair')] : []),
  ];
}
