// IP addresses and ranges as numbers: parsing, canonical text, membership.

export type IpFamily = 'IPv4' | 'IPv6';

export interface IpAddress {
  readonly family: IpFamily;
  readonly value: bigint;
  /** Written as IPv6 that only wraps an IPv4 address: `::ffff:1.2.3.4`. */
  readonly mapped?: true;
  /** A part of an IPv4 address began with a needless zero. */
  readonly leadingZeros?: true;
}

/** A range of addresses; `first` may have bits that the prefix does not cover. */
export interface IpRange {
  readonly address: IpAddress;
  readonly bits: number;
}

const width = (family: IpFamily) => (family === 'IPv4' ? 32 : 128);

/** Undefined if the text is no address. Leading zeros are accepted and marked. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 45) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  let value = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  let leadingZeros = false;
  // character by character: lists of addresses are long
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? dot : text.charCodeAt(i);
    if (code === dot) {
      if (digits === 0 || part > 255 || ++dots > 4) return undefined;
      value = value * 256 + part;
      part = 0;
      digits = 0;
    } else {
      if (code < 0x30 || code > 0x39) return undefined;
      if (digits > 0 && part === 0) leadingZeros = true;
      part = part * 10 + code - 0x30;
      digits++;
    }
  }
  if (dots !== 4) return undefined;
  const plain = { family: 'IPv4', value: BigInt(value) } as const;
  return leadingZeros ? { ...plain, leadingZeros } : plain;
}

const dot = 0x2e;

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map(groupsOf);
  const [head, tail] = groups;
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
  const value = all.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
  return { family: 'IPv6', value, ...(value >> 32n === 0xffffn ? { mapped: true } : {}) };
}

/** Groups of sixteen bits; the last two may be an IPv4 address. */
function groupsOf(text: string): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) as string;
  if (last.includes('.')) {
    const v4 = parseIpv4(last);
    if (v4 === undefined || v4.leadingZeros) return undefined;
    parts.splice(-1, 1, (v4.value >> 16n).toString(16), (v4.value & 0xffffn).toString(16));
  }
  return parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part)) ? parts.map((part) => parseInt(part, 16)) : undefined;
}

/** An address as connections see it: without the zone of the link, and IPv4 also where IPv6 wraps it. */
export function plainAddress(text: string): IpAddress | undefined {
  const address = parseIp(text.split('%', 1)[0] as string);
  if (address?.mapped !== true) return address;
  return { family: 'IPv4', value: address.value & 0xffff_ffffn };
}

/** The one way to write an address. */
export function formatIp({ family, value }: Pick<IpAddress, 'family' | 'value'>): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn));
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** `10.0.0.0/24`; undefined when the text is no range. */
export function parseRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const prefix = text.slice(slash + 1);
  if (slash < 0 || !/^[0-9]{1,3}$/.test(prefix)) return undefined;
  const address = parseIp(text.slice(0, slash));
  if (address === undefined) return undefined;
  const bits = Number(prefix);
  return bits <= width(address.family) ? { address, bits } : undefined;
}

const hostBits = ({ address, bits }: IpRange) => BigInt(width(address.family) - bits);

/** The first address of a range. */
export function networkOf(range: IpRange): IpAddress {
  const free = hostBits(range);
  return { family: range.address.family, value: (range.address.value >> free) << free };
}

/** How many addresses a range has. */
export const sizeOfRange = (range: IpRange): bigint => 1n << hostBits(range);

export const formatRange = (range: IpRange): string => `${formatIp(networkOf(range))}/${range.bits}`;

export function rangeContains(range: IpRange, { family, value }: IpAddress): boolean {
  const free = hostBits(range);
  return family === range.address.family && value >> free === range.address.value >> free;
}

const within = (text: string) => {
  const range = parseRange(text) as IpRange;
  return (address: IpAddress) => rangeContains(range, address);
};
const isLoopback4 = within('127.0.0.0/8');
const isLinkLocal4 = within('169.254.0.0/16');
const isLinkLocal6 = within('fe80::/10');
const isMulticast4 = within('224.0.0.0/24');
const isMulticast6 = within('ff02::/16');

const isAnyMulticast4 = within('224.0.0.0/4');
const isAnyMulticast6 = within('ff00::/8');
const isBroadcast = within('255.255.255.255/32');

/** Whether an address stands for many machines at once. */
export const isShared = (address: IpAddress): boolean =>
  isAnyMulticast4(address) || isAnyMulticast6(address) || isBroadcast(address);

/** Whether an address means this machine on every machine; connections to none in particular end up there too. */
export const isLocal = (address: IpAddress): boolean =>
  address.value === 0n || isLoopback4(address) || (address.family === 'IPv6' && address.value === 1n);

/** The error of an address that other machines cannot reach. */
export function specialPurpose(address: IpAddress, text: string): string | undefined {
  if (address.value === 0n) return `may not be unspecified (${text})`;
  if (isLoopback4(address) || (address.family === 'IPv6' && address.value === 1n))
    return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  if (isLinkLocal4(address) || isLinkLocal6(address))
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  if (isMulticast4(address) || isMulticast6(address))
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  return undefined;
}
