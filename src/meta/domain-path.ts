// `example.com/path`: names that belong to a domain, as controllers and keys of extra information have them.

import { invalidValue, required } from './field-errors.ts';
import { checkSubdomain } from './names.ts';
import type { FieldError } from './status.ts';

const pathForm = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const pathAdvice = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

/** A domain, a slash and a path. Errors of each part are reported separately. */
export function domainPathErrors(at: string, text: string): readonly FieldError[] {
  if (text === '') return [required(at)];
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1)
    return [invalidValue(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const domain = text.slice(0, slash);
  const path = text.slice(slash + 1);
  return [
    ...checkSubdomain(domain).map((detail) => invalidValue(at, domain, detail)),
    ...(pathForm.test(path) ? [] : [invalidValue(at, path, pathAdvice)]),
  ];
}
