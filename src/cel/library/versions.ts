// Semantic versions.

import { type Library, member, plain } from '../declarations.ts';
import { bool, int, string } from '../types.ts';
import { EvaluationError, OpaqueValue } from '../values.ts';
import { vendorType } from './vendor.ts';
import { versionFault } from './version-faults.ts';

const type = vendorType('Semver');

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  /** What follows a minus; a version with it comes before the one without. */
  readonly early: readonly string[];
}

class SemverValue extends OpaqueValue {
  readonly type = type;
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && compareVersions(other.version, this.version) === 0;
  }
}

const part = '(?:0|[1-9][0-9]*)';
const early = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const form = new RegExp(
  `^(${part})\\.(${part})\\.(${part})(?:-(${early}(?:\\.${early})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);
const maxLength = 256;

function read(text: string): Version | undefined {
  const match = text.length > maxLength ? null : form.exec(text);
  if (match === null || versionFault(text) !== undefined) return undefined;
  const [, major = '0', minor = '0', patch = '0', tail] = match;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  return numbers.every((number) => number < 2n ** 64n) ? { numbers, early: tail?.split('.') ?? [] } : undefined;
}

/** Without a leading `v` and needless zeros, and with the parts that are missing. */
function normalized(text: string): string {
  const parts = splitInThree(text.replace(/^v/, '')).map((number) =>
    number.length > 1 ? number.replace(/^0+/, '').replace(/^(?![0-9])/, '0') : number,
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return '';
  return [...parts, '0', '0'].slice(0, 3).join('.');
}

function splitInThree(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.');
  return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
}

const readAny = (text: string, normalize: boolean): Version | undefined => read(normalize ? normalized(text) : text);

/** Where the parts are in order, the whole is too long, or one of its numbers is. */
function faultOf(text: string, normalize: boolean): string {
  const read = normalize ? normalized(text) : text;
  if (normalize && read === '') return 'short version cannot contain PreRelease/Build meta data';
  return versionFault(read) ?? `invalid semantic version ${JSON.stringify(text)}`;
}

function parse(text: string, normalize = false): SemverValue {
  const version = readAny(text, normalize);
  if (version === undefined) throw new EvaluationError(faultOf(text, normalize));
  return new SemverValue(version);
}

function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  for (let index = 0; index < 3; index++) {
    const order = compareSimple(a.numbers[index] as bigint, b.numbers[index] as bigint);
    if (order !== 0) return order;
  }
  if (a.early.length === 0 || b.early.length === 0)
    return compareSimple(a.early.length === 0 ? 1 : 0, b.early.length === 0 ? 1 : 0);
  return compareEarly(a.early, b.early);
}

function compareEarly(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = comparePart(a[index] as string, b[index] as string);
    if (order !== 0) return order;
  }
  return compareSimple(a.length, b.length);
}

/** Numbers come before words. */
function comparePart(a: string, b: string): -1 | 0 | 1 {
  const [first, second] = [a, b].map((text) => /^[0-9]+$/.test(text)) as [boolean, boolean];
  if (first && second) return compareSimple(BigInt(a), BigInt(b));
  return first === second ? compareSimple(a, b) : first ? -1 : 1;
}

const compareSimple = <T extends bigint | number | string>(a: T, b: T): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

const comparing = (test: (order: number) => boolean) => (a: SemverValue, b: SemverValue) =>
  test(compareVersions(a.version, b.version));
// of 64 bits, the highest is the sign
const number = (index: 0 | 1 | 2) => (value: SemverValue) => BigInt.asIntN(64, value.version.numbers[index]);
const isVersion = (text: string, normalize = false): boolean => readAny(text, normalize) !== undefined;

export const versions: Library = {
  functions: {
    semver: [
      plain('string_to_semver', [string], type, parse),
      plain('string_bool_to_semver', [string, bool], type, parse),
    ],
    isSemver: [
      plain('is_semver_string', [string], bool, isVersion),
      plain('is_semver_string_bool', [string, bool], bool, isVersion),
    ],
    isGreaterThan: [
      member(
        'semver_is_greater_than',
        [type, type],
        bool,
        comparing((order) => order > 0),
      ),
    ],
    isLessThan: [
      member(
        'semver_is_less_than',
        [type, type],
        bool,
        comparing((order) => order < 0),
      ),
    ],
    compareTo: [
      member('semver_compare_to', [type, type], int, (a: SemverValue, b: SemverValue) =>
        BigInt(compareVersions(a.version, b.version)),
      ),
    ],
    major: [member('semver_major', [type], int, number(0))],
    minor: [member('semver_minor', [type], int, number(1))],
    patch: [member('semver_patch', [type], int, number(2))],
  },
};
