// Authenticating proxies: a proxy with the right certificate names the user of a request in headers.

import type { Clock } from '../base/time/clock.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import { authenticated, type UserInfo } from '../meta/user.ts';
import type { Authenticator } from './authenticator.ts';
import { type AuthoritiesNow, trustedName } from './client-certificate.ts';

export interface RequestHeaderConfig {
  /** Who signs the certificates of proxies. */
  readonly authorities: AuthoritiesNow;
  readonly clock: Clock;
  /** Common names of proxies; empty for any. */
  readonly allowedNames: readonly string[];
  /** Names in lower case; the first with a value counts. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** Every value of every header counts. */
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export function requestHeader(config: RequestHeaderConfig): Authenticator {
  return (request) => {
    const { allowedNames, authorities, clock } = config;
    const name = trustedName(request.peer.certificate, authorities(), clock.now());
    if (name === undefined || (allowedNames.length > 0 && !allowedNames.includes(name))) return undefined;
    return userIn(request, config);
  };
}

function userIn(request: ApiRequest, config: RequestHeaderConfig): UserInfo | undefined {
  const name = firstValue(request, config.usernameHeaders);
  if (name === undefined) return undefined;
  const uid = firstValue(request, config.uidHeaders);
  const groups = config.groupHeaders.flatMap((header) => valuesOf(request, header)).filter((group) => group !== '');
  const extra = extraIn(request, config.extraPrefixes);
  return authenticated({
    name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  });
}

function firstValue(request: ApiRequest, headers: readonly string[]): string | undefined {
  for (const header of headers) {
    const [value] = valuesOf(request, header);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Values of a header, sent once or several times. */
export function valuesOf(request: ApiRequest, header: string): string[] {
  return request
    .headers()
    .filter(([name]) => name === header)
    .map(([, value]) => textOf(value));
}

/** Headers come byte by byte; names in them are UTF-8. */
const textOf = (value: string) => (/[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString() : value);

/** Headers with a prefix: what follows is a key, in lower case and percent-decoded. */
export function extraIn(
  request: ApiRequest,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> | undefined {
  const extra = new Map<string, string[]>();
  for (const [name, value] of request.headers()) {
    const prefix = prefixes.find((one) => name.startsWith(one));
    if (prefix === undefined) continue;
    const key = decodeKey(name.slice(prefix.length));
    extra.set(key, [...(extra.get(key) ?? []), textOf(value)]);
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra);
}

/** A key with a broken escape is taken as it stands; escapes that are no UTF-8 are replaced, as kube-apiserver does. */
function decodeKey(text: string): string {
  if (/%(?![0-9a-f]{2})/.test(text)) return text;
  const bytes = text.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
