// Formats that strings of custom resources may be held to.

import { parseIp, parseRange } from '../../meta/ip.ts';
import { checkLabelName, checkSubdomain } from '../../meta/names.ts';
import { parseQuantity } from '../../meta/quantity.ts';

type Check = (text: string) => boolean;

const like =
  (form: RegExp): Check =>
  (text) =>
    form.test(text);

/** An absolute URI, or a path from the root. */
function isUri(text: string): boolean {
  if (/[\s\p{Cc}]|%(?![0-9a-f]{2})/iu.test(text)) return false;
  return text.startsWith('/') || /^[a-z][-+.a-z0-9]*:./i.test(text);
}

/** An address alone, or in angle brackets after a name. */
function isEmail(text: string): boolean {
  const [, bracketed] = /^[^<>]*<([^<>]+)>$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? text).trim();
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (at < 1 || !isDotted(domain)) return false;
  return /^"[^"\\]*"$/.test(local) || isDotted(local);
}

/** Words of an address with single dots between them. */
const isDotted: Check = (text) => /^[^\s@()<>,;:\\"[\]]+$/.test(text) && !/^\.|\.\.|\.$/.test(text);

const oneLabel = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;
const innerLabel = /^[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const lastLabel = /^[a-zA-Z\p{L}]{2,63}$/u;

/**
 * Labels with dots between them; the last of several is made of letters.
 * compat: a name of one label may have a dash as its second character, and no other
 */
function isHostname(text: string): boolean {
  const labels = text.split('.');
  if (Buffer.byteLength(text) > 255 || labels.some((label) => Buffer.byteLength(label) > 63)) return false;
  if (labels.length === 1) return oneLabel.test(text);
  return lastLabel.test(labels.at(-1) as string) && labels.slice(0, -1).every((label) => innerLabel.test(label));
}

const hasDate: Check = (text) => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return year !== undefined && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
};

const clock = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[-+]([01]\d|2[0-3]):[0-5]\d)$/i;
const isDateTime: Check = (text) =>
  hasDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && clock.test(text.slice(11));

const plainDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const spokenDuration =
  /^\d+\s*(?:ns|nano|nanos|nanosecond|nanoseconds|us|µs|micro|micros|microsecond|microseconds|ms|milli|millis|millisecond|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days|w|week|weeks)$/;
const isDuration: Check = (text) => plainDuration.test(text) || spokenDuration.test(text.trim());

const digitsOf = (text: string) => text.replace(/[- ]/g, '');

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/i.test(digits)) return false;
  const sum = [...digits].reduce((total, one, i) => total + (i + 1) * (/x/i.test(one) ? 10 : Number(one)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, one, i) => total + (i % 2 === 0 ? 1 : 3) * Number(one), 0) % 10 === 0;
}

const card =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const mac = /^(?:[0-9a-f]{2}([-:]))(?:[0-9a-f]{2}\1){4}(?:[0-9a-f]{2}|(?:[0-9a-f]{2}\1){2}[0-9a-f]{2})$/i;
const dottedMac = /^(?:[0-9a-f]{4}\.){2}(?:[0-9a-f]{4}|[0-9a-f]{4}\.[0-9a-f]{4})$/i;
const byte = '(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])';
const rgb = new RegExp(`^rgb\\(\\s*${byte}\\s*,\\s*${byte}\\s*,\\s*${byte}\\s*\\)$`);

/** Names as they are looked up: without dashes. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', like(/^[0-9a-f]{24}$/i)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  // compat: addresses may have needless zeros, or be wrapped in one of version 6
  ['ipv4', (text) => text.includes('.') && parseIp(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && isPlainIp(text)],
  ['cidr', (text) => parseRange(text) !== undefined],
  ['mac', (text) => mac.test(text) || dottedMac.test(text)],
  ['uuid', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', (text) => card.test(text.replace(/\D/g, ''))],
  ['ssn', like(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', like(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', like(rgb)],
  ['byte', like(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', hasDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['quantity', (text) => parseQuantity(text) !== undefined],
  ['k8sshortname', (text) => checkLabelName(text).length === 0],
  ['k8slongname', (text) => checkSubdomain(text).length === 0],
]);

const isPlainIp: Check = (text) => {
  const address = parseIp(text);
  return address !== undefined && address.leadingZeros === undefined;
};

/** Whether a text has a format; undefined where the format is unknown. */
export function hasFormat(text: string, format: string): boolean | undefined {
  return checks.get(format.replaceAll('-', ''))?.(text);
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Whether values of a type can have a format; others are taken as if nothing were said. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === '' || type === 'string') return checks.has(format.replaceAll('-', ''));
  return numberFormats[type]?.includes(format) ?? false;
}
