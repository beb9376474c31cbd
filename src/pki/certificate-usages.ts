// What a certificate may be used for, from the words of signing requests to bits and identifiers.

import { bits, type Der, oid, sequence } from './der.ts';

/** Position of each use of the key, from the left. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

const purpose = (last: number) => `1.3.6.1.5.5.7.3.${last}`;

/** Purposes in the order in which they are written. */
const purposes: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': purpose(1),
  'client auth': purpose(2),
  'code signing': purpose(3),
  'email protection': purpose(4),
  's/mime': purpose(4),
  'ipsec end system': purpose(5),
  'ipsec tunnel': purpose(6),
  'ipsec user': purpose(7),
  timestamping: purpose(8),
  'ocsp signing': purpose(9),
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

interface Usages {
  /** Undefined if no usage is requested. */
  readonly keyUsage: Der | undefined;
  readonly extendedKeyUsage: Der | undefined;
}

/** Throws for a word that means nothing. */
export function encodeUsages(usages: readonly string[]): Usages {
  const unknown = usages.filter((usage) => !Object.hasOwn(keyUsages, usage) && !Object.hasOwn(purposes, usage));
  if (unknown.length > 0) throw new Error(`unrecognized usage values: ${JSON.stringify(unknown)}`);
  const requested = new Set(usages);
  const positions = Object.keys(keyUsages).filter((word) => requested.has(word));
  const identifiers = Object.keys(purposes).filter((word) => requested.has(word));
  return {
    keyUsage: positions.length === 0 ? undefined : bitString(positions.map((word) => keyUsages[word] as number)),
    extendedKeyUsage:
      identifiers.length === 0
        ? undefined
        : sequence(...[...new Set(identifiers.map((word) => purposes[word] as string))].map(oid)),
  };
}

/** As short as it can be: bits after the last one that is set are not written. */
function bitString(positions: readonly number[]): Der {
  const last = Math.max(...positions);
  const bytes = new Uint8Array(Math.floor(last / 8) + 1);
  for (const at of positions) bytes[at >> 3] = (bytes[at >> 3] as number) | (128 >> (at & 7));
  return bits(bytes, 7 - (last & 7));
}
