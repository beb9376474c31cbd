// The server behind one APIService: where it is, whether it is the right one, and the connections to it.

import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { OwnServers } from '../meta/backend.ts';
import type { UserInfo } from '../meta/user.ts';
import { type CertificateFlaw, type FlawObserver, flawsOf } from '../webhooks/certificate-flaws.ts';
import { connectChecked } from '../webhooks/checked-socket.ts';
import type { Destination } from '../webhooks/service-destination.ts';
import { BackendHost } from './backend-host.ts';
import { type RemoteApi, serverNameOf, trustedCas } from './remote-api.ts';
import type { Locate } from './service-location.ts';

/** PEM of a client certificate by which other servers know this one, and of its key. */
interface ProxyIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface BackendDeps {
  readonly locate: Locate;
  readonly own: OwnServers;
  readonly onFlaw: FlawObserver;
  /** The user of the requests that the server itself sends. */
  readonly user: UserInfo;
  /** As what this server asks; may change. Undefined where it has no certificate for that. */
  identity(): ProxyIdentity | undefined;
}

/** Addresses of one service that connections are kept to; the one that was not used for longest makes place. */
const maxHosts = 64;

export class RemoteBackend {
  readonly #api: RemoteApi;
  readonly #deps: BackendDeps;
  readonly #hosts = new Map<string, BackendHost>();
  /** Of the certificate that was seen last. */
  #flaws: readonly CertificateFlaw[] = [];
  #context: { readonly cert: string; readonly secure: SecureContext } | undefined;

  constructor(api: RemoteApi, deps: BackendDeps) {
    this.#api = api;
    this.#deps = deps;
  }

  /** The user of the requests that the server itself sends. */
  get user(): UserInfo {
    return this.#deps.user;
  }

  /** Where the service is right now; throws where it cannot be reached. */
  locate(): MaybePromise<Destination> {
    return this.#deps.locate(this.#api.service);
  }

  /** Throws where the trust that the APIService names makes no sense. */
  hostAt(to: Destination): BackendHost {
    const context = this.#secureContext();
    const key = authorityOf(to);
    const cachedHost = this.#hosts.get(key);
    if (cachedHost !== undefined && this.#hosts.size === 1) return cachedHost;
    const host = cachedHost ?? new BackendHost((protocols) => this.#dial(to, protocols, context), this.#countFlaws);
    this.#hosts.delete(key);
    this.#hosts.set(key, host);
    if (this.#hosts.size > maxHosts) this.#dropOldest();
    return host;
  }

  /** Requests under way may finish. */
  retire(): void {
    for (const host of this.#hosts.values()) host.retire();
    this.#hosts.clear();
  }

  #dropOldest(): void {
    for (const [key, host] of this.#hosts) {
      this.#hosts.delete(key);
      host.retire();
      return;
    }
  }

  readonly #countFlaws = () => {
    for (const flaw of this.#flaws) this.#deps.onFlaw(flaw);
  };

  async #dial(to: Destination, protocols: readonly string[], context: SecureContext): Promise<TLSSocket> {
    const { service, isInsecure } = this.#api;
    const { own, onFlaw } = this.#deps;
    const socket = await connectChecked(to, {
      own,
      onFlaw,
      context,
      serverName: serverNameOf(service),
      protocols,
      isInsecure,
    });
    this.#flaws = flawsOf(socket);
    return socket;
  }

  /** Connections made with a certificate that was replaced are not used any more. */
  #secureContext(): SecureContext {
    const identity = this.#deps.identity();
    const cert = identity?.certificate ?? '';
    if (this.#context?.cert !== cert) {
      const ca = trustedCas(this.#api);
      const pair = identity === undefined ? {} : { cert, key: identity.privateKey };
      this.retire();
      this.#context = { cert, secure: createSecureContext({ ...(ca === undefined ? {} : { ca }), ...pair }) };
    }
    return this.#context.secure;
  }
}

export const authorityOf = ({ host, port }: Destination): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
