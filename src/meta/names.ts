// Rules for names, labels and annotations. Each check returns the error texts of a value.

/** No name that is in order is longer. */
const longest = 253;

/** How a name is written. Texts that are far too long are searched for a flaw: to match them would mean to go back over them. */
function form(whole: RegExp, flaw: RegExp): { test(text: string): boolean } {
  return { test: (text) => (text.length <= longest ? whole.test(text) : !flaw.test(text)) };
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123Label = form(new RegExp(`^${label}$`), /[^-a-z0-9]|^-|-$/);
const dns1035Label = form(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, /[^-a-z0-9]|^[^a-z]|-$/);
const dns1123Subdomain = form(new RegExp(`^${label}(\\.${label})*$`), /[^-a-z0-9.]|^[-.]|[-.]$|\.[-.]|-\./);
const searchLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const searchDomain = new RegExp(`^${searchLabel}(\\.${searchLabel})*$`);
const qualifiedName = form(/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/, /[^-A-Za-z0-9_.]|^[-_.]|[-_.]$/);
const configKey = /^[-._a-zA-Z0-9]+$/;

const labelAdvice =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const letterFirstAdvice =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const subdomainAdvice =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const searchAdvice =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const qualifiedAdvice =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueAdvice =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const configKeyAdvice =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** A check of one name; with `prefix` set, the text is the beginning of a name still to be generated. */
export type NameCheck = (name: string, prefix?: boolean) => readonly string[];

// A prefix may end in a dash: the generated name does not.
const complete = (name: string, prefix: boolean) =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name;

function bounded(limit: number, text: string, advice: readonly string[]): readonly string[] {
  return text.length > limit ? [`must be no more than ${limit} characters`, ...advice] : advice;
}

export const checkSubdomain: NameCheck = (name, prefix = false) =>
  bounded(253, name, dns1123Subdomain.test(complete(name, prefix)) ? [] : [subdomainAdvice]);

/**
 * Checks names of kinds that are checked only when complete.
 * compat: what names begin with may be anything where only whole names are looked at
 */
export const checkWholeSubdomain: NameCheck = (name, prefix = false) =>
  prefix ? none : checkSubdomain(name).map((e) => e.replace(/characters$/, 'bytes'));

/** A domain in which names are looked up: services are found below names that begin with an underscore. */
export const checkSearchDomain = (name: string): readonly string[] =>
  bounded(253, name, searchDomain.test(name) ? [] : [searchAdvice]);

export const checkLabelName: NameCheck = (name, prefix = false) => {
  const text = complete(name, prefix);
  if (dns1123Label.test(text)) return bounded(63, name, []);
  return bounded(63, name, [dns1123Subdomain.test(text) ? 'must not contain dots' : labelAdvice]);
};

/** A label that begins with a letter, as versions and kinds are written. */
export const checkLetterFirstLabel: NameCheck = (name, prefix = false) =>
  bounded(63, name, dns1035Label.test(complete(name, prefix)) ? [] : [letterFirstAdvice]);

/** URLs are not longer: an object with a longer name could be neither reached nor listed in pages. */
export const maxNameLength = 4096;

const none: readonly string[] = [];

/** The least any name must satisfy: it stands in a URL and in a storage key. */
export const checkPathSegment: NameCheck = (name, prefix = false) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  if (!name.includes('/') && !name.includes('%')) return none;
  return ['/', '%'].filter((c) => name.includes(c)).map((c) => `may not contain '${c}'`);
};

/** Checks names of roles, which are checked as a whole even if they are prefixes. */
export const checkRoleName: NameCheck = (name) => checkPathSegment(name);

/** Whether a name with a prefix is valid; faster than listing its errors. */
function isPrefixed(text: string, slash: number): boolean {
  if (slash > 253 || text.length - slash - 1 > 63) return false;
  return dns1123Subdomain.test(text.slice(0, slash)) && qualifiedName.test(text.slice(slash + 1));
}

/** `[prefix/]name`, as label and annotation keys and finalizers are written. */
export function checkQualifiedName(text: string): readonly string[] {
  const slash = text.indexOf('/');
  if (slash < 0 ? text.length <= 63 && qualifiedName.test(text) : isPrefixed(text, slash)) return none;
  if (text.indexOf('/', slash + 1) > slash) {
    return [
      `a valid label key ${qualifiedAdvice} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = text.slice(slash + 1);
  const errors: string[] = [];
  if (slash >= 0) {
    const prefix = text.slice(0, slash);
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...checkSubdomain(prefix).map((e) => `prefix part ${e.replace(/characters$/, 'bytes')}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > 63) errors.push('name part must be no more than 63 bytes');
  if (!qualifiedName.test(name)) errors.push(`name part ${qualifiedAdvice}`);
  return errors;
}

export function checkLabelValue(text: string): readonly string[] {
  const isRight = text === '' || qualifiedName.test(text);
  if (isRight && text.length <= 63) return none;
  return [...(text.length > 63 ? ['must be no more than 63 bytes'] : []), ...(isRight ? [] : [labelValueAdvice])];
}

export function checkConfigKey(key: string): readonly string[] {
  return [
    ...(key.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(configKey.test(key) ? [] : [configKeyAdvice]),
    ...(key === '.' || key === '..'
      ? [`must not be '${key}'`]
      : key.startsWith('..')
        ? ["must not start with '..'"]
        : []),
  ];
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxGeneratedPrefix = 63 - suffixLength;

/** `base` plus five random characters, cut so that the whole is no longer than a DNS label. */
export function generateName(base: string, random: () => number = Math.random): string {
  let suffix = '';
  for (let i = 0; i < suffixLength; i++) suffix += suffixAlphabet[Math.floor(random() * suffixAlphabet.length)];
  return base.slice(0, maxGeneratedPrefix) + suffix;
}
