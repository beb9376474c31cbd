// Names of a certificate next to its subject (subjectAltName).

import { onlyElement, sequenceOf } from './der.ts';
import { UnusableRequest } from './unusable-request.ts';

export interface AlternativeNames {
  readonly hosts: readonly string[];
  readonly emails: readonly string[];
  /** Four or sixteen bytes each. */
  readonly addresses: readonly Buffer[];
  readonly uris: readonly string[];
}

export const noNames: AlternativeNames = { hosts: [], emails: [], addresses: [], uris: [] };

const tags = { email: 0x81, host: 0x82, uri: 0x86, address: 0x87 } as const;

/** Names of other kinds are left out. Throws for names that are not what their kind says. */
export function readAlternativeNames(der: Buffer): AlternativeNames {
  const elements = sequenceOf(onlyElement(der));
  const of = (tag: number) => elements.filter((element) => element.tag === tag).map(({ content }) => content);
  const uris = of(tags.uri).map((content) => ascii(content, 'uniformResourceIdentifier'));
  for (const uri of uris) checkUri(uri);
  return {
    hosts: of(tags.host).map((content) => ascii(content, 'dNSName')),
    emails: of(tags.email).map((content) => ascii(content, 'rfc822Name')),
    addresses: of(tags.address).map(checkedAddress),
    uris,
  };
}

function ascii(content: Buffer, kind: string): string {
  if (content.some((byte) => byte > 127)) throw new UnusableRequest(`x509: SAN ${kind} is malformed`);
  return content.toString('latin1');
}

function checkUri(uri: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x20\x7f]/.test(uri)) throw new UnusableRequest(`x509: cannot parse URI ${JSON.stringify(uri)}`);
}

/** How an IPv4 address begins that is written as one of IPv6. */
const mapped = Buffer.from('00000000000000000000ffff', 'hex');

function checkedAddress(content: Buffer): Buffer {
  if (content.length !== 4 && content.length !== 16)
    throw new UnusableRequest(`x509: cannot parse IP address of length ${content.length}`);
  if (content.length === 16 && content.subarray(0, mapped.length).equals(mapped))
    throw new UnusableRequest('x509: SAN iPAddress contains IPv4-mapped IPv6 address');
  return content;
}
