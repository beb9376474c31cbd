// Rules for what networking fields hold: ports, addresses, ranges, host names.

import { invalidValue } from './field-errors.ts';
import { formatIp, formatRange, type IpAddress, networkOf, parseIp, parseRange, specialPurpose } from './ip.ts';
import { checkLabelName, checkSubdomain } from './names.ts';
import type { FieldError } from './status.ts';

export function checkPortNumber(port: number): readonly string[] {
  return Number.isInteger(port) && port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/** The form of most port names; such a name passes all rules. */
const plainPortName = /^[a-z][a-z0-9]{0,14}$/;
const none: readonly string[] = [];

/** Names of container ports, by which others refer to them. */
export function checkPortName(name: string): readonly string[] {
  if (plainPortName.test(name)) return none;
  const rules: readonly [boolean, string][] = [
    [Buffer.byteLength(name) <= 15, 'must be no more than 15 characters'],
    [/^[-a-z0-9]+$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [!name.includes('--'), 'must not contain consecutive hyphens'],
    [!/^-|-$/.test(name), 'must not begin or end with a hyphen'],
  ];
  return rules.filter(([holds]) => !holds).map(([, advice]) => advice);
}

export function validatePort(port: number, at: string): readonly FieldError[] {
  return checkPortNumber(port).map((e) => invalidValue(at, port, e));
}

export function validatePortOrName(port: number | string, at: string): readonly FieldError[] {
  if (typeof port === 'number') return validatePort(port, at);
  return checkPortName(port).map((e) => invalidValue(at, port, e));
}

/** The errors of an address. */
export function checkIp(text: string): readonly string[] {
  const address = parseIp(text);
  return address === undefined ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : strict(address);
}

/** As `checkIp`, and written the one way in which addresses are names. */
export function checkCanonicalIp(text: string): readonly string[] {
  const wrong = checkIp(text);
  if (wrong.length > 0) return wrong;
  const canonical = formatIp(parseIp(text) as IpAddress);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

function strict({ leadingZeros, mapped }: IpAddress): readonly string[] {
  return [
    ...(leadingZeros ? ['must not have leading 0s'] : []),
    ...(mapped ? ['must not be an IPv4-mapped IPv6 address'] : []),
  ];
}

export function validateIp(text: string, at: string): readonly FieldError[] {
  return checkIp(text).map((e) => invalidValue(at, text, e));
}

/** An address that is not only good for one machine. */
export function validatePublicIp(text: string, at: string): readonly FieldError[] {
  const wrong = validateIp(text, at);
  return wrong.length > 0 ? wrong : validateNotSpecial(text, at);
}

export function validateNotSpecial(text: string, at: string): readonly FieldError[] {
  const address = parseIp(text);
  const special = address === undefined ? 'must be a valid IP address' : specialPurpose(address, text);
  return special === undefined ? [] : [invalidValue(at, text, special)];
}

export function checkRange(text: string, range = parseRange(text)): readonly string[] {
  if (range === undefined) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  const { leadingZeros, mapped, value } = range.address;
  if (leadingZeros || /\/0[0-9]/.test(text)) return ['must not have leading 0s in IP or prefix length'];
  if (mapped) return ['must not have an IPv4-mapped IPv6 address'];
  return value === networkOf(range).value ? [] : ['must not have bits set beyond the prefix length'];
}

/** As `checkRange`, and written the one way in which ranges are compared. */
export function checkCanonicalRange(text: string): readonly string[] {
  const range = parseRange(text);
  const wrong = checkRange(text, range);
  if (range === undefined || wrong.length > 0) return wrong;
  const canonical = formatRange(range);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** `range` is the parsed text, if the caller has it. */
export function validateRange(text: string, at: string, range = parseRange(text)): readonly FieldError[] {
  return checkRange(text, range).map((e) => invalidValue(at, text, e));
}

/** An address with the length of its network: `10.0.0.7/24`, in the one way to write it. */
export function validateInterfaceAddress(text: string, at: string): readonly FieldError[] {
  const range = parseRange(text);
  const advice = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
  if (range === undefined) return [invalidValue(at, text, advice)];
  const canonical = `${formatIp(range.address)}/${range.bits}`;
  return canonical === text ? [] : [invalidValue(at, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

const wildcardForm = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const wildcardAdvice =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** A host name, or `*.` before one. */
export function checkHost(host: string): readonly string[] {
  if (!host.includes('*')) return checkSubdomain(host);
  return [
    ...(host.length > 253 ? ['must be no more than 253 bytes'] : []),
    ...(wildcardForm.test(host) ? [] : [wildcardAdvice]),
  ];
}

/** A domain name with at least two labels; a dot at the end is fine. */
export function checkFullDomain(name: string): readonly string[] {
  if (name === '') return ['should not be empty'];
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  const errors = [...checkSubdomain(bare)];
  if (errors.length > 0) return errors;
  const labels = bare.split('.');
  if (labels.length < 2) return ['should be a domain with at least two segments separated by dots'];
  return labels.flatMap((label) => checkLabelName(label));
}
