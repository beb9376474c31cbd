// Tells newcomers where the server is and which CA to trust: by a kubeconfig in the data folder, and in the API.

import { join } from 'node:path';
import { publishClusterInfo } from '../../bootstrap/cluster-info.ts';
import type { Client } from '../../client/client.ts';
import type { ServerConfig } from '../../config/options.ts';
import { runsBootstrapSigner } from '../../controllers/catalog.ts';
import { writeAtomically } from '../../pki/pair-files.ts';
import { ownAddress } from '../own/own-objects.ts';

interface Told {
  readonly port: number;
  readonly kubeconfig: string;
  /** PEM of the CA that clients have to trust. */
  readonly servingCa: string;
}

interface AnnouncementParts {
  readonly config: ServerConfig;
  readonly client: Client;
  /** Called where clients were told of another CA before. */
  onOtherCa(): Promise<void>;
}

export class Announcement {
  readonly #parts: AnnouncementParts;
  /** What was written and published last. */
  #told: Told | undefined;

  constructor(parts: AnnouncementParts) {
    this.#parts = parts;
  }

  get kubeconfigPath(): string | undefined {
    const { dataDir } = this.#parts.config;
    return dataDir === undefined ? undefined : join(dataDir, 'kubeconfig');
  }

  /** Writes and publishes what is not as it was told before. */
  async tell(now: Told): Promise<void> {
    const before = this.#told;
    if (before?.kubeconfig === now.kubeconfig) return;
    if (this.kubeconfigPath !== undefined) writeAtomically(this.kubeconfigPath, now.kubeconfig, 0o600);
    if (before?.servingCa !== now.servingCa) await this.#publish(now);
    if (before !== undefined && before.servingCa !== now.servingCa) await this.#parts.onOtherCa();
    this.#told = now;
  }

  async #publish({ port, servingCa: ca }: Told): Promise<void> {
    const { config, client } = this.#parts;
    const { dialect, controllers, extension } = config;
    const server = `https://${reachable(ownAddress(config))}:${port}`;
    if (extension === undefined && runsBootstrapSigner(controllers.selection))
      await publishClusterInfo(client, dialect, { server, ca });
  }
}

/** An address that a client on this machine can use. */
export function reachable(bindAddress: string): string {
  if (bindAddress === '0.0.0.0' || bindAddress === '::') return '127.0.0.1';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}
