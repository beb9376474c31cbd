// The certificates that the server shows, one for all and others for some names; files are read again when they change.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { OptionError } from '../config/option-error.ts';
import type { NamedFiles, PairFiles } from '../config/tls-options.ts';
import type { NamedPair, ServingPair } from '../transport/http/listener.ts';

export class ServingCertificates {
  readonly #main: FollowedPair | undefined;
  readonly #altNames: readonly { readonly pair: FollowedPair; readonly names: readonly string[] }[];

  /** Throws an OptionError for files that cannot be used. */
  constructor(main: PairFiles | undefined, altNames: readonly NamedFiles[]) {
    this.#main = main && opened('tlsCertFile', main);
    this.#altNames = altNames.map((files) => ({ pair: opened('tlsSniCertKeys', files), names: files.names }));
  }

  /** Each certificate with the file it was read from. */
  get files(): readonly { readonly file: string; readonly certificate: string }[] {
    return this.#all().map(({ file, current }) => ({ file, certificate: current.certificate }));
  }

  /** The pair for names that no other is for; undefined where the server has to make its own. */
  get main(): ServingPair | undefined {
    return this.#main?.current;
  }

  get named(): readonly NamedPair[] {
    // names given by flags count before those that a certificate has
    const withNames = this.#altNames.filter(({ names }) => names.length > 0);
    const withoutNames = this.#altNames.filter(({ names }) => names.length === 0);
    return [
      ...withNames.map(({ pair: { current }, names }) => ({ ...current, names })),
      ...withoutNames.map(({ pair: { current } }) => ({ ...current, names: namesIn(current.certificate) })),
    ];
  }

  /** Reads the files again; true when something is different. Throws for files that cannot be used, and keeps the old. */
  reload(): boolean {
    return this.#all()
      .map((pair) => pair.refresh())
      .includes(true);
  }

  #all(): readonly FollowedPair[] {
    return [...(this.#main === undefined ? [] : [this.#main]), ...this.#altNames.map(({ pair }) => pair)];
  }
}

/** Two files that belong together and are seldom replaced in the same moment. */
class FollowedPair {
  readonly #files: PairFiles;
  current: ServingPair;

  constructor(files: PairFiles) {
    this.#files = files;
    this.current = read(files);
  }

  get file(): string {
    return this.#files.certFile;
  }

  refresh(): boolean {
    const next = read(this.#files);
    if (next.certificate === this.current.certificate && next.privateKey === this.current.privateKey) return false;
    this.current = next;
    return true;
  }
}

/** Throws unless the key belongs to the certificate. */
function read({ certFile, keyFile }: PairFiles): ServingPair {
  const certificate = readFileSync(certFile, 'utf8');
  const privateKey = readFileSync(keyFile, 'utf8');
  createSecureContext({ cert: certificate, key: privateKey });
  return { certificate, privateKey };
}

function opened(option: string, files: PairFiles): FollowedPair {
  try {
    return new FollowedPair(files);
  } catch (error) {
    throw new OptionError(`${option}: ${files.certFile}: ${(error as Error).message}`);
  }
}

/** Names and addresses of a certificate; its common name if it has no alternative names. */
function namesIn(certificate: string): readonly string[] {
  const { subjectAltName = '', subject = '' } = new X509Certificate(certificate);
  const altNames = [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s"]+)/g)].map(([, name]) => name as string);
  const [, common] = /(?:^|\n)CN=(.+)/.exec(subject) ?? [];
  return altNames.length > 0 || common === undefined ? altNames : [common];
}
