// Names in URLs of proxied resources may say scheme and port: `https:name:port`.

import { isForeign, notForeign } from '../../../meta/backend.ts';
import { badRequest } from '../../../meta/status.ts';

interface SchemeNamePort {
  readonly scheme: 'http' | 'https' | undefined;
  readonly name: string;
  readonly port: string;
}

/** `name`, `name:port` or `scheme:name:port`. */
export function splitName(text: string, what: string): SchemeNamePort {
  const parts = text.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1] ?? ''];
  const known = scheme === '' || scheme === 'http' || scheme === 'https';
  // a name with a separator would lead to the key of another object
  if (parts.length > 3 || !known || !name || name.includes('/'))
    throw badRequest(`invalid ${what} request ${JSON.stringify(text)}`);
  return { scheme: scheme === '' ? undefined : (scheme as 'http' | 'https'), name, port: port ?? '' };
}

/** A port number; undefined when none was given. */
export function portNumber(text: string, what: string): number | undefined {
  if (text === '') return undefined;
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw badRequest(`invalid ${what} port ${JSON.stringify(text)}`);
  return port;
}

export function refuseOwnAddress(ip: string): void {
  if (!isForeign(ip)) throw badRequest(notForeign);
}
