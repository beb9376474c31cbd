// All certificates that the server shows and trusts, its own and those given by files, followed while it runs.

import { join } from 'node:path';
import { FilePoll } from '../../config/file-poll.ts';
import type { ServerConfig } from '../../config/options.ts';
import { type CertificateSummary, summarize } from '../../pki/certificate-list.ts';
import type { ClientTrust } from '../../pki/client-trust.ts';
import type { FrontProxy } from '../../pki/front-proxy.ts';
import { type Identity, servingHosts } from '../../pki/identity.ts';
import { OwnIdentity } from '../../pki/own-identity.ts';
import type { ServingCertificates } from '../../pki/serving-certificates.ts';
import type { ListenerIdentity } from '../../transport/http/listener.ts';
import { extensionHosts } from '../extension-registration.ts';
import { ownAddress } from '../own/own-objects.ts';

/** Less than this is worth a warning at the start: what the server renews itself has more. */
const warnDays = 30;

interface CertificateParts {
  readonly trust: ClientTrust;
  /** Those given by files. */
  readonly given: ServingCertificates;
  readonly frontProxy: FrontProxy;
}

export class ServerCertificates {
  readonly #config: ServerConfig;
  readonly #trust: ClientTrust;
  readonly #given: ServingCertificates;
  readonly #frontProxy: FrontProxy;
  #made: OwnIdentity | undefined;
  #files: FilePoll | undefined;

  constructor(config: ServerConfig, { trust, given, frontProxy }: CertificateParts) {
    this.#config = config;
    this.#trust = trust;
    this.#given = given;
    this.#frontProxy = frontProxy;
  }

  get identity(): Identity {
    const made = this.#own().current;
    const { main } = this.#given;
    // clients have to trust the CA that signed it
    return main === undefined ? made : { ...made, servingCa: main.certificate, serving: main };
  }

  /** What connections made from now on see. */
  get shown(): ListenerIdentity {
    this.#trust.addOwn(this.identity.ca);
    return { ...this.identity.serving, named: this.#given.named, clientCa: this.#trust.pems };
  }

  /** Empty where the server never needed any. */
  list(): readonly CertificateSummary[] {
    const now = this.#config.clock.now();
    const given = this.#given.files.flatMap(({ file, certificate }) => summarize(file, certificate, now));
    if (this.#made === undefined) return given;
    const { ca, serving, admin } = this.#made.current;
    const own = { ca, apiserver: serving.certificate, admin: admin.certificate };
    return [...Object.entries(own).flatMap(([name, pem]) => summarize(name, pem, now)), ...given];
  }

  /** An operator has to act in time where the server cannot renew a certificate itself. */
  warnOfEnds(): void {
    for (const { name, subject, daysLeft, notAfter } of this.list()) {
      if (daysLeft >= warnDays) continue;
      const end = daysLeft < 0 ? 'has ended' : `ends in ${daysLeft} days`;
      this.#config.log.warn({ certificate: name, subject, notAfter }, `the certificate ${name} ${end}`);
    }
  }

  /** Files may change while the server runs, and certificates come to their end: `look` is called after each look at them. */
  follow(look: (isNew: boolean) => Promise<void>): void {
    const all = [this.#trust, this.#given, this.#own()];
    this.#files = new FilePoll(this.#config.clock, () => {
      this.#reload(this.#frontProxy);
      return look(all.map((files) => this.#reload(files)).includes(true));
    });
  }

  close(): void {
    this.#files?.stop();
  }

  /** Files that are being replaced may not fit together for a moment: the old ones stay until they do. */
  #reload(files: { reload(): boolean }): boolean {
    try {
      return files.reload();
    } catch (error) {
      this.#config.log.warn({ err: error }, 'certificates could not be read again, the old ones stay');
      return false;
    }
  }

  /** Made on first use: a server that does not listen may never. */
  #own(): OwnIdentity {
    const { clock } = this.#config;
    this.#made ??= new OwnIdentity({ folder: pkiFolder(this.#config), hosts: hostsOf(this.#config), clock });
    return this.#made;
  }
}

/** Names and addresses by which clients reach the server. */
export function hostsOf(config: ServerConfig): readonly string[] {
  const { extension, bindAddress, dialect } = config;
  if (extension !== undefined) return extensionHosts(extension, bindAddress);
  return [...new Set([...servingHosts(bindAddress, dialect.vendor), ownAddress(config)])];
}

/** Where the server keeps its own certificates; undefined where it keeps nothing. */
export const pkiFolder = ({ dataDir }: ServerConfig) => (dataDir === undefined ? undefined : join(dataDir, 'pki'));
