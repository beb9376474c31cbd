// Names of signers: `example.com/my-signer`.

import { invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { ValidationErrors } from '../../rules.ts';

const maxDomain = 253;
const maxName = 571;
const formAdvice = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

export function validateSignerName(name: string, at: string): ValidationErrors {
  if (name === '') return [required(at)];
  const [domain = '', path = '', ...more] = name.split('/');
  if (more.length > 0 || !name.includes('/')) return [invalidValue(at, name, formAdvice)];
  const labels = domain.split('.');
  const about = (whole: string, parts: readonly string[], check: (text: string) => readonly string[]) => {
    const label = parts.find((one) => check(one).length > 0);
    if (label === undefined) return [];
    return check(label).map((e) => invalidValue(at, whole, `validating label ${JSON.stringify(label)}: ${e}`));
  };
  return [
    ...(domain.length > maxDomain ? [tooLong(at, maxDomain)] : []),
    ...about(domain, labels, checkLabelName),
    ...(labels.length < 2
      ? [invalidValue(at, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...about(path, path.split('.'), checkSubdomain),
    ...(name.length > maxName ? [tooLong(at, maxName)] : []),
  ];
}
