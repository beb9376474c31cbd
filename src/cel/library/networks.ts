// IP addresses and ranges of them.

import {
  formatIp,
  type IpAddress,
  type IpRange,
  networkOf,
  parseIp,
  parseRange,
  rangeContains,
} from '../../meta/ip.ts';
import { addressFault, rangeFault } from '../../wording/address-faults.ts';
import { type Library, member, plain } from '../declarations.ts';
import { bool, int, opaque, string } from '../types.ts';
import { EvaluationError, noSuchOverload, OpaqueValue, type Value } from '../values.ts';

const ipType = opaque('net.IP');
const cidrType = opaque('net.CIDR');

class IpValue extends OpaqueValue {
  readonly type = ipType;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && sameAddress(other.address, this.address);
  }

  override get size(): number {
    return this.address.family === 'IPv4' ? 4 : 16;
  }
}

const sameAddress = (a: IpAddress, b: IpAddress) => a.family === b.family && a.value === b.value;

class CidrValue extends OpaqueValue {
  readonly type = cidrType;
  readonly range: IpRange;

  constructor(range: IpRange) {
    super();
    this.range = range;
  }

  equals(other: OpaqueValue): boolean {
    return (
      other instanceof CidrValue &&
      other.range.bits === this.range.bits &&
      sameAddress(other.range.address, this.range.address)
    );
  }

  override get size(): number {
    return Math.ceil(this.range.bits / 8);
  }
}

/** Undefined for an invalid address, one with leading zeros, and one that only wraps an IPv4 address. */
function strictIp(text: string): IpAddress | undefined {
  const address = parseIp(text);
  return address === undefined || address.leadingZeros || address.mapped ? undefined : address;
}

function strictRange(text: string): IpRange | undefined {
  const range = parseRange(text);
  if (range === undefined || range.address.leadingZeros || range.address.mapped) return undefined;
  return /\/(0|[1-9][0-9]*)$/.test(text) ? range : undefined;
}

const mapped = (text: string): string => `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;

function toIp(text: string): IpValue {
  const address = strictIp(text);
  if (address !== undefined) return new IpValue(address);
  const quotedText = JSON.stringify(text);
  const fault = addressFault(text);
  if (fault !== undefined)
    throw new EvaluationError(`IP Address ${quotedText} parse error during conversion from string: ${fault}`);
  if (text.includes('%')) throw new EvaluationError(`IP address ${quotedText} with zone value is not allowed`);
  throw new EvaluationError(mapped(text));
}

function toCidr(text: string): CidrValue {
  const range = strictRange(text);
  if (range !== undefined) return new CidrValue(range);
  const about = 'network address parse error during conversion from string';
  const fault = rangeFault(text);
  // compat: what is wrong with a range is introduced twice
  const why = fault === undefined ? mapped(text) : `${about}: ${fault}`;
  throw new EvaluationError(`${about}: ${why}`);
}

const within = (text: string) => {
  const range = parseRange(text) as IpRange;
  return (address: IpAddress) => rangeContains(range, address);
};
const isLoopback4 = within('127.0.0.0/8');
const isLocalMulticast4 = within('224.0.0.0/24');
const isLocalUnicast4 = within('169.254.0.0/16');
const isLocalUnicast6 = within('fe80::/10');
const isMulticast4 = within('224.0.0.0/4');
const isMulticast6 = within('ff00::/8');

const isLoopback = (address: IpAddress) => isLoopback4(address) || (address.family === 'IPv6' && address.value === 1n);
const isUnspecified = ({ value }: IpAddress) => value === 0n;
/** The scope of a multicast address of version 6 is in its second byte. */
const isLocalMulticast = (address: IpAddress) =>
  isLocalMulticast4(address) || (isMulticast6(address) && ((address.value >> 112n) & 0xfn) === 2n);
const isLocalUnicast = (address: IpAddress) => isLocalUnicast4(address) || isLocalUnicast6(address);
const isBroadcast = ({ family, value }: IpAddress) => family === 'IPv4' && value === 0xffff_ffffn;
const isGlobalUnicast = (address: IpAddress) =>
  ![isBroadcast, isUnspecified, isLoopback, isMulticast4, isMulticast6, isLocalUnicast].some((test) => test(address));

const ofIp = (id: string, test: (address: IpAddress) => boolean) => [
  member(`ip_${id}`, [ipType], bool, ({ address }: IpValue) => test(address)),
];

/** compat: `containsIP` does not say what is wrong with a text that is no address */
function addressIn(text: string): IpAddress {
  const address = strictIp(text);
  if (address === undefined) throw noSuchOverload();
  return address;
}

const containsRange = (outer: IpRange, inner: IpRange): boolean =>
  inner.bits >= outer.bits && rangeContains(outer, inner.address);

export const networks: Library = {
  types: [ipType, cidrType],
  functions: {
    ip: [
      plain('string_to_ip', [string], ipType, toIp),
      member('cidr_ip', [cidrType], ipType, ({ range }: CidrValue) => new IpValue(range.address)),
    ],
    isIP: [plain('is_ip', [string], bool, (text: string) => strictIp(text) !== undefined)],
    'ip.isCanonical': [
      plain('ip_is_canonical', [string], bool, (text: string) => formatIp(toIp(text).address) === text),
    ],
    family: [member('ip_family', [ipType], int, ({ address }: IpValue) => (address.family === 'IPv4' ? 4n : 6n))],
    isUnspecified: ofIp('is_unspecified', isUnspecified),
    isLoopback: ofIp('is_loopback', isLoopback),
    isLinkLocalMulticast: ofIp('is_link_local_multicast', isLocalMulticast),
    isLinkLocalUnicast: ofIp('is_link_local_unicast', isLocalUnicast),
    isGlobalUnicast: ofIp('is_global_unicast', isGlobalUnicast),
    cidr: [plain('string_to_cidr', [string], cidrType, toCidr)],
    isCIDR: [plain('is_cidr', [string], bool, (text: string) => strictRange(text) !== undefined)],
    containsIP: [
      member('cidr_contains_ip_string', [cidrType, string], bool, ({ range }: CidrValue, text: string) =>
        rangeContains(range, addressIn(text)),
      ),
      member('cidr_contains_ip_ip', [cidrType, ipType], bool, ({ range }: CidrValue, { address }: IpValue) =>
        rangeContains(range, address),
      ),
    ],
    containsCIDR: [
      member('cidr_contains_cidr_string', [cidrType, string], bool, ({ range }: CidrValue, text: string) =>
        containsRange(range, toCidr(text).range),
      ),
      member('cidr_contains_cidr', [cidrType, cidrType], bool, ({ range }: CidrValue, other: CidrValue) =>
        containsRange(range, other.range),
      ),
    ],
    prefixLength: [member('cidr_prefix_length', [cidrType], int, ({ range }: CidrValue) => BigInt(range.bits))],
    masked: [
      member(
        'cidr_masked',
        [cidrType],
        cidrType,
        ({ range }: CidrValue) => new CidrValue({ address: networkOf(range), bits: range.bits }),
      ),
    ],
    string: [
      plain('ip_to_string', [ipType], string, ({ address }: IpValue) => formatIp(address)),
      plain(
        'cidr_to_string',
        [cidrType],
        string,
        ({ range }: CidrValue): Value => `${formatIp(range.address)}/${range.bits}`,
      ),
    ],
  },
};
