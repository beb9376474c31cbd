// The CAs of the built-in signers: one file each, one for all, or the server's own. Files are looked at before each
// signature, so that a CA that was replaced signs nothing more.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { CertificateRequest } from '../codec/pkcs10.ts';
import { blocksOf } from '../config/authentication-options.ts';
import { OptionError } from '../config/option-error.ts';
import type { SigningConfig } from '../config/signing-options.ts';
import type { PairFiles } from '../config/tls-options.ts';
import type { SignerRole } from '../meta/dialect.ts';
import type { KeyPair } from './certificates.ts';
import { issueCertificate, readAuthority, type SigningAuthority } from './issue-certificate.ts';

interface AskedTerms {
  readonly usages: readonly string[];
  readonly expirationSeconds: number | undefined;
  readonly now: number;
}

/** No shorter: a certificate begins five minutes before it is made. */
const shortestMs = 10 * 60_000;

export class SigningAuthorities {
  readonly #config: SigningConfig;
  readonly #followed = new Map<PairFiles, FollowedAuthority>();
  readonly #own = new WeakMap<KeyPair, SigningAuthority>();

  /** Throws an OptionError for files that cannot be used. */
  constructor(config: SigningConfig) {
    this.#config = config;
    for (const { option, files } of config.files.values()) this.#followed.set(files, opened(option, files));
  }

  /** Whether a signer signs here: once there are files for some signers, the others are off. */
  has(role: SignerRole): boolean {
    return this.#config.files.size === 0 || this.#config.files.has(role);
  }

  /** The certificate in PEM. `own` is the server's CA, and `onProblem` is called for files that cannot be used now. */
  async sign(
    role: SignerRole,
    request: CertificateRequest,
    { usages, expirationSeconds, now }: AskedTerms,
    { own, onProblem }: { own(): KeyPair; onProblem(error: unknown): void },
  ): Promise<string> {
    const configuredFiles = this.#config.files.get(role);
    const authority =
      configuredFiles === undefined
        ? this.#ownAuthority(own())
        : await (this.#followed.get(configuredFiles.files) as FollowedAuthority).current(onProblem);
    return issueCertificate(authority, request, { usages, lifetimeMs: this.#lifetime(expirationSeconds), now });
  }

  #lifetime(seconds: number | undefined): number {
    const { lifetimeMs } = this.#config;
    return seconds === undefined ? lifetimeMs : Math.min(Math.max(seconds * 1000, shortestMs), lifetimeMs);
  }

  #ownAuthority(pair: KeyPair): SigningAuthority {
    let authority = this.#own.get(pair);
    if (authority === undefined) {
      authority = readAuthority(pair);
      this.#own.set(pair, authority);
    }
    return authority;
  }
}

/** Two files that belong together and are seldom replaced in the same moment: the old ones count until both fit. */
class FollowedAuthority {
  readonly #files: PairFiles;
  #pair: KeyPair;
  #authority: SigningAuthority;

  constructor(files: PairFiles) {
    this.#files = files;
    this.#pair = { certificate: readFileSync(files.certFile, 'utf8'), privateKey: readFileSync(files.keyFile, 'utf8') };
    this.#authority = readOne(this.#pair);
  }

  async current(onProblem: (error: unknown) => void): Promise<SigningAuthority> {
    try {
      const { certFile, keyFile } = this.#files;
      const [certificate, privateKey] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
      if (certificate !== this.#pair.certificate || privateKey !== this.#pair.privateKey) {
        this.#authority = readOne({ certificate, privateKey });
        this.#pair = { certificate, privateKey };
      }
    } catch (error) {
      onProblem(error);
    }
    return this.#authority;
  }
}

function readOne(pair: KeyPair): SigningAuthority {
  const blocks = blocksOf(pair.certificate).filter((block) => block.startsWith('-----BEGIN CERTIFICATE-----'));
  if (blocks.length !== 1) throw new Error(`expected 1 certificate, found ${blocks.length}`);
  const authority = readAuthority(pair);
  if (authority.isLeaf) throw new Error('the certificate is not that of a CA');
  return authority;
}

function opened(option: string, files: PairFiles): FollowedAuthority {
  try {
    return new FollowedAuthority(files);
  } catch (error) {
    throw new OptionError(`${option}: ${files.certFile}: ${(error as Error).message}`);
  }
}
