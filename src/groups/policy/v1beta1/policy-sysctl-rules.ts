// Lists of sysctls in a PodSecurityPolicy: names, or beginnings of names with an asterisk behind.

import { forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import type { ValidationErrors } from '../../rules.ts';

const maxLength = 253;
const form = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]$/;
const advice = `must have at most ${maxLength} characters and match regex ${form.source.slice(1, -1)}`;

export function validateSysctlLists(allowed: readonly string[], forbidden: readonly string[]): ValidationErrors {
  const [atAllowed, atForbidden] = ['spec.allowedUnsafeSysctls', 'spec.forbiddenSysctls'];
  return [
    ...validateSysctls(atAllowed, allowed),
    ...validateSysctls(atForbidden, forbidden),
    ...overlaps({ at: atAllowed, names: allowed }, { at: atForbidden, names: forbidden }),
  ];
}

function validateSysctls(at: string, names: readonly string[]): ValidationErrors {
  const isOdd = (name: string) => name.length > maxLength || !form.test(name);
  const odd = findEach(names, (name, index) => {
    if (name === '') return [invalidValue(`${at}[${index}]`, name, 'empty sysctl not allowed')];
    return isOdd(name) ? [invalidValue(`${at}[${index}]`, name, advice)] : [];
  });
  const coversAll = names.length > 1 && names.some((name) => !isOdd(name) && name.startsWith('*'));
  return coversAll ? [...odd, forbiddenField(`${at}.items`, "if '*' is present, must not specify other sysctls")] : odd;
}

interface Listed {
  readonly at: string;
  readonly names: readonly string[];
}

/** Whether a pattern covers another one, or a name. */
export const coversSysctl = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** What is allowed and forbidden is reported where the narrower one stands. */
function overlaps(allowed: Listed, forbidden: Listed): ValidationErrors {
  const bare = (name: string) => (name.endsWith('*') ? name.slice(0, -1) : name);
  return findEach(allowed.names, (yes, i) =>
    findEach(forbidden.names, (no, j) => {
      if (coversSysctl(no, bare(yes)) && (no.endsWith('*') || !yes.endsWith('*')))
        return [invalidValue(`${allowed.at}[${i}]`, yes, `sysctl overlaps with ${no}`)];
      if (yes.endsWith('*') && coversSysctl(yes, bare(no)))
        return [invalidValue(`${forbidden.at}[${j}]`, no, `sysctl overlaps with ${yes}`)];
      return [];
    }),
  );
}
