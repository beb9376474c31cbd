// Checks of a configured issuer, except its expressions.

import { X509Certificate } from 'node:crypto';
import type { Dialect } from '../../meta/dialect.ts';
import { domainPathErrors } from '../../meta/domain-path.ts';
import { duplicate, invalidAt, invalidValue, required } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import type { IssuerSpec } from './configuration.ts';

/** A validation error for every value that was there before. */
export function repeated(values: readonly (string | undefined)[], field: (index: number) => string): FieldError[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (value === undefined || value === '') return [];
    if (seen.has(value)) return [duplicate(field(index), value)];
    seen.add(value);
    return [];
  });
}

/** Keys of extra information belong to a domain, and not to one of the server's. */
export function keyErrors(key: string, field: string, { apiDomain, labelDomain }: Dialect): FieldError[] {
  const validationErrors = [...domainPathErrors(field, key)];
  const [domain] = key.split('/');
  if (key !== key.toLowerCase()) validationErrors.push(invalidValue(field, key, 'must be lowercase'));
  const isReserved = [apiDomain, labelDomain].some((own) => domain === own || domain?.endsWith(`.${own}`));
  if (isReserved)
    validationErrors.push(
      invalidValue(field, key, `${apiDomain}, ${labelDomain} and their subdomains are reserved for the server's use`),
    );
  return validationErrors;
}

export function issuerErrors(issuer: IssuerSpec, field: string, ownIssuers: readonly string[]): FieldError[] {
  const { url, discoveryURL: discovery, certificateAuthority: pem, egressSelectorType: egress } = issuer;
  const validationErrors = url === undefined ? [required(`${field}.url`)] : urlErrors(url, `${field}.url`);
  if (url !== undefined && ownIssuers.includes(url))
    validationErrors.push(
      invalidValue(`${field}.url`, url, `URL must not overlap with disallowed issuers: [${ownIssuers.join(' ')}]`),
    );
  if (discovery !== undefined) {
    const isSame = url !== undefined && withoutSlashes(url) === withoutSlashes(discovery);
    if (isSame)
      validationErrors.push(
        invalidValue(`${field}.discoveryURL`, discovery, 'discoveryURL must be different from URL'),
      );
    validationErrors.push(...urlErrors(discovery, `${field}.discoveryURL`));
  }
  validationErrors.push(...audienceErrors(issuer, field));
  if (pem !== undefined && !holdsCertificates(pem))
    validationErrors.push(
      invalidAt(`${field}.certificateAuthority`, '"<omitted>": data does not contain any valid certificates'),
    );
  if (egress !== undefined && egress !== 'controlplane' && egress !== 'cluster')
    validationErrors.push(
      invalidValue(`${field}.egressSelectorType`, egress, 'egress selector must be either controlplane or cluster'),
    );
  return validationErrors;
}

const withoutSlashes = (url: string) => url.replace(/\/+$/, '');

function urlErrors(text: string, field: string): FieldError[] {
  if (!URL.canParse(text)) return [invalidValue(field, text, 'this is not a URL')];
  const url = new URL(text);
  const wrong = (isWrong: boolean, detail: string) => (isWrong ? [invalidValue(field, text, detail)] : []);
  return [
    ...wrong(url.protocol !== 'https:', 'URL scheme must be https'),
    ...wrong(url.username !== '' || url.password !== '', 'URL must not contain a username or password'),
    ...wrong(url.search !== '', 'URL must not contain a query'),
    ...wrong(url.hash !== '', 'URL must not contain a fragment'),
  ];
}

function audienceErrors({ audiences = [], audienceMatchPolicy: policy }: IssuerSpec, path: string): FieldError[] {
  const field = `${path}.audiences`;
  if (audiences.length === 0) return [required(field, `at least one ${field} is required`)];
  const validationErrors = audiences.flatMap((audience, index) =>
    audience === '' ? [required(`${field}[${index}]`)] : [],
  );
  validationErrors.push(...repeated(audiences, (index) => `${field}[${index}]`));
  if (audiences.length > 1 && policy !== 'MatchAny')
    validationErrors.push(
      invalidValue(
        `${path}.audienceMatchPolicy`,
        policy ?? '',
        'audienceMatchPolicy must be MatchAny for multiple audiences',
      ),
    );
  else if (policy !== undefined && policy !== 'MatchAny')
    validationErrors.push(
      invalidValue(
        `${path}.audienceMatchPolicy`,
        policy,
        'audienceMatchPolicy must be empty or MatchAny for single audience',
      ),
    );
  return validationErrors;
}

export const certificateBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];

function holdsCertificates(pem: string): boolean {
  try {
    const blocks = certificateBlocks(pem);
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0;
  } catch {
    return false;
  }
}
