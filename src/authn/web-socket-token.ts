// Tokens of browsers: a WebSocket cannot send an Authorization header, so its list of protocols carries the token.

import { isUtf8 } from 'node:buffer';
import type { Dialect } from '../meta/dialect.ts';
import { unauthorized } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import { type Authenticator, ownerOf } from './authenticator.ts';
import { fromBase64Url } from './jwt.ts';

/** `Sec-WebSocket-Protocol: base64url.bearer.authorization.<domain>.<token>, <another>`; the token is never chosen. */
export function webSocketToken(tokens: Pick<Tokens, 'check' | 'audiences'>, { apiDomain }: Dialect): Authenticator {
  const prefix = `base64url.bearer.authorization.${apiDomain}.`;
  return (request, notes) => {
    if (request.upgrade !== 'websocket') return undefined;
    const offered = (request.header('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
    const carriers = offered.filter((name) => name.startsWith(prefix));
    const [carrier] = carriers;
    if (carrier === undefined) return undefined;
    const token = decode(carrier.slice(prefix.length));
    const others = offered.filter((name) => name !== '' && !name.startsWith(prefix));
    // a browser gives up when the server chooses no protocol, and the token is no protocol
    if (token === undefined || carriers.length > 1 || others.length === 0) throw unauthorized();
    return ownerOf(tokens, token, notes);
  };
}

function decode(text: string): string | undefined {
  const bytes = fromBase64Url(text);
  return bytes !== undefined && bytes.length > 0 && isUtf8(bytes) ? bytes.toString() : undefined;
}
