// Addresses and ranges that are taken as they are and had better be written otherwise.

import { formatIp, formatRange, networkOf, parseIp, parseRange, plainAddress } from '../meta/ip.ts';
import { type Warnings, warnEach } from '../meta/warn-each.ts';

export function addressWarnings(text: string, at: string): readonly string[] {
  const address = parseIp(text);
  if (address === undefined) return [];
  const canonical = formatIp(address);
  if (address.leadingZeros || address.mapped)
    return [
      `${at}: non-standard IP address ${quote(text)} is invalid: use ${quote(formatIp(plainAddress(text) ?? address))}`,
    ];
  if (address.family !== 'IPv6' || canonical === text) return [];
  return [`${at}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/** The same for many fields of one list. */
export function addressListWarnings(texts: readonly string[] | undefined, at: string): Warnings {
  return warnEach(texts ?? [], (text, index) => addressWarnings(text, `${at}[${index}]`));
}

export function rangeWarnings(text: string, at: string): readonly string[] {
  const range = parseRange(text);
  if (range === undefined) return [];
  const isNetwork = networkOf(range).value === range.address.value;
  if (isNetwork && range.address.family === 'IPv4') return [];
  const canonical = formatRange(range);
  if (!isNetwork) {
    const single = `${formatIp(range.address)}/${range.address.family === 'IPv4' ? 32 : 128}`;
    const meant = `${quote(canonical)} or ${quote(single)}`;
    return [`${at}: CIDR value ${quote(text)} is ambiguous in this context (should be ${meant}?)`];
  }
  if (canonical === text) return [];
  return [`${at}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

export function rangeListWarnings(texts: readonly string[] | undefined, at: string): Warnings {
  return warnEach(texts ?? [], (text, index) => rangeWarnings(text, `${at}[${index}]`));
}

const quote = (text: string) => JSON.stringify(text);
