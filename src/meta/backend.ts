// Another server that a request goes on to.

import type { ApiResponse } from './exchange.ts';
import { isShared, parseIp, specialPurpose } from './ip.ts';

export interface Backend {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Undefined for the port that the scheme has by default. */
  readonly port: number | undefined;
  /** Path and query. */
  readonly path: string;
  /** Nodes know this server by its certificate; pods and services are strangers. */
  readonly isNode: boolean;
  /** Its certificate is not looked at, even where somebody could say whether it is right. */
  readonly isTrusted?: true;
  /**
   * `relay`: the client speaks to the other server, whose answers are its own. `fetch`: this server asks for the
   * client, and failures are told in its own words. `upgrade`: only another protocol makes sense.
   */
  readonly mode: 'relay' | 'fetch' | 'upgrade';
}

export interface BackendRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array> | undefined;
  /** The protocol that the client wants to go on with. */
  readonly upgrade: string | undefined;
}

/** The other server could not be reached. */
export class BackendUnreachable extends Error {
  override readonly name = 'BackendUnreachable';
}

/** Asks another server. Redirects are answers like any other; no name is looked up twice. */
export interface Backends {
  ask(backend: Backend, request: BackendRequest): Promise<ApiResponse>;
}

export const notForeign = 'address not allowed';

/** A client that may proxy is not thereby at home on this machine: only addresses that belong to others are fine. */
export function isForeign(ip: string): boolean {
  const address = parseIp(ip);
  return address !== undefined && !address.mapped && !isShared(address) && specialPurpose(address, ip) === undefined;
}
