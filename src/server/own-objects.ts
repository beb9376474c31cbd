// Objects by which this server is known in the cluster, kept on every server: what aggregated servers have to trust.

import { type AuthenticationTrust, authenticationTrustRef, publishTrust } from '../bootstrap/authentication-trust.ts';
import { Keeper } from '../bootstrap/keeper.ts';
import { type Client, isConflict } from '../client/client.ts';
import type { ServerConfig } from '../config/options.ts';
import type { ClientTrust } from '../pki/client-trust.ts';
import type { FrontProxy } from '../pki/front-proxy.ts';
import type { Resources } from '../registry/resources.ts';
import type { Store } from '../storage/store.ts';

interface OwnObjectsParts {
  readonly config: ServerConfig;
  readonly store: Store;
  readonly client: Client;
  readonly resources: Resources;
  readonly trust: ClientTrust;
  readonly frontProxy: FrontProxy;
  /** PEM of the server's own CA for clients. */
  ownCa(): string;
}

/** A certificate that is renewed is published within this time, without being told. */
const trustEveryMs = 60_000;

export class OwnObjects {
  readonly #trust: Keeper;

  constructor(parts: OwnObjectsParts) {
    const { config, store, client, resources } = parts;
    const { clock, dialect, log } = config;
    const configMap = resources.find('', 'v1', 'configmaps')?.registry.key(authenticationTrustRef(dialect));
    this.#trust = new Keeper({
      ...{ store, clock, keys: configMap === undefined ? [] : [configMap], everyMs: trustEveryMs },
      reconcile: () => publishTrust(client, dialect, trustOf(parts), clock.now()),
      onError: (error) => {
        // another server writes at the same time: the next look is soon
        if (!isConflict(error))
          log.warn({ err: error }, 'what aggregated servers have to trust could not be published');
      },
    });
  }

  start(): void {
    this.#trust.start();
  }

  /** A file of CAs is another now. */
  trustChanged(): void {
    this.#trust.look();
  }

  async close(): Promise<void> {
    await this.#trust.close();
  }
}

function trustOf({ config, trust, frontProxy, ownCa }: OwnObjectsParts): AuthenticationTrust {
  const { requestHeader } = config.authentication;
  const ca = `${frontProxy.authority ?? ''}${trust.proxiesPem}`;
  return {
    clientCa: `${ownCa()}${trust.usersPem}`,
    proxies: requestHeader && { ...requestHeader.asGiven, ca },
  };
}
