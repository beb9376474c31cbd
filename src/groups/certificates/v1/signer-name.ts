// Names of signers: `example.com/my-signer`.

import { invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { ValidationErrors } from '../../rules.ts';

const maxDomain = 253;
const maxPath = 317;
const maxName = 571;
const formAdvice = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

export function validateSignerName(name: string, at: string): ValidationErrors {
  if (name === '') return [required(at)];
  const [domain = '', path = '', ...more] = name.split('/');
  if (more.length > 0 || !name.includes('/')) return [invalidValue(at, name, formAdvice)];
  const labels = domain.split('.');
  const about = (whole: string, label: string, check: (text: string) => readonly string[]) =>
    check(label).map((detail) => invalidValue(at, whole, `validating label ${JSON.stringify(label)}: ${detail}`));
  return [
    ...(domain.length > maxDomain ? [tooLong(at, maxDomain)] : []),
    ...labels.flatMap((label) => about(domain, label, checkLabelName)),
    ...(labels.length < 2
      ? [invalidValue(at, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...path.split('.').flatMap((label) => about(path, label, checkSubdomain)),
    ...(path.length > maxPath ? [tooLong(at, maxPath)] : []),
    ...(name.length > maxName ? [tooLong(at, maxName)] : []),
  ];
}
