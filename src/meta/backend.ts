// Another server that a request is forwarded to.

import type { X509Certificate } from 'node:crypto';
import type { MaybePromise } from '../base/maybe-promise.ts';
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
  /** Its certificate is not looked at, even where there is a CA to check it against. */
  readonly isTrusted?: true;
  /**
   * `relay`: the client speaks to the other server, whose answers are its own. `fetch`: this server asks for the
   * client, and words failures itself. `upgrade`: only another protocol makes sense.
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

/** How the API servers of this cluster are distinguished from other servers. */
export interface OwnServers {
  /** Whether one of them is reached at an address and a port. */
  areReachedAt(address: string, port: number): MaybePromise<boolean>;
  /** Whether one of them serves with a certificate. */
  serveWith(certificate: X509Certificate): boolean;
}

export const notForeign = 'address not allowed';

/** A client that may proxy is not thereby at home on this machine: only addresses that belong to others are fine. */
export function isForeign(ip: string): boolean {
  const address = parseIp(ip);
  return address !== undefined && !address.mapped && !isShared(address) && specialPurpose(address, ip) === undefined;
}
