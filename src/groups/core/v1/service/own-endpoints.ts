// The endpoints of the API servers themselves may be loopback addresses: a server may listen for its own machine only.

import type { Dialect } from '../../../../meta/dialect.ts';
import { isLocal, parseIp } from '../../../../meta/ip.ts';
import { validateNotSpecial } from '../../../../meta/network-names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import type { FieldError } from '../../../../meta/status.ts';

/** Checks an address of an endpoint. */
export type CheckAddress = (text: string, at: string) => readonly FieldError[];

/** How addresses in an object are checked. */
export function addressCheck({ metadata: { namespace, name } }: ApiObject, { vendor }: Dialect): CheckAddress {
  return namespace === 'default' && name === vendor ? validateOwn : validateNotSpecial;
}

function validateOwn(text: string, at: string): readonly FieldError[] {
  const address = parseIp(text);
  return address !== undefined && address.value !== 0n && isLocal(address) ? [] : validateNotSpecial(text, at);
}
