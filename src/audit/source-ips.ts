// Where a request came from: what proxies say, and the other end of the connection, which cannot be made up.

import type { ApiRequest } from '../meta/exchange.ts';
import { formatIp, parseIp } from '../meta/ip.ts';

/** Calls that never leave the process come from here. */
const ownAddress = '::1';

export function sourceIps(request: ApiRequest): readonly string[] {
  const forwarded = (request.header('x-forwarded-for') ?? '').split(',').flatMap(canonical);
  const [real] = canonical(request.header('x-real-ip') ?? '');
  const chain = real === undefined || forwarded.includes(real) ? forwarded : [...forwarded, real];
  const { address, trustedUser } = request.peer;
  const [remote] = canonical(trustedUser === undefined ? address : ownAddress);
  return remote === undefined || chain.at(-1) === remote ? chain : [...chain, remote];
}

function canonical(text: string): readonly string[] {
  const address = parseIp(text.trim());
  if (address === undefined) return [];
  if (address.mapped) return [formatIp({ family: 'IPv4', value: address.value & 0xffff_ffffn })];
  return [formatIp(address)];
}
