// Options of the TLS that the server speaks, in the words of kube-apiserver.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions } from './server-options.ts';

/** Where a certificate and its key are. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface NamedFiles extends PairFiles {
  /** The names it is for; those in the certificate when empty. */
  readonly names: readonly string[];
}

export interface TlsConfig {
  /** Undefined where the server makes its own. */
  readonly main: PairFiles | undefined;
  /** Folder that has no pair yet: the server makes `main` there when it starts. */
  readonly madeIn: string | undefined;
  readonly named: readonly NamedFiles[];
  readonly minVersion: SecureVersion;
  /** In the words of OpenSSL; undefined for those that it thinks good. */
  readonly ciphers: string | undefined;
  /** Groups for key exchange, as OpenSSL names them. */
  readonly curves: string | undefined;
}

const versions = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
} as const satisfies Readonly<Record<string, SecureVersion>>;
type TlsVersionName = keyof typeof versions;
export const tlsVersionNames = Object.keys(versions) as readonly TlsVersionName[];

const modernSuites = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'] as const;

/** IANA names and what OpenSSL calls the same. */
const suites: Readonly<Record<string, string>> = {
  ...Object.fromEntries(modernSuites.map((name) => [name, name])),
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: 'ECDHE-ECDSA-RC4-SHA',
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: 'ECDHE-RSA-DES-CBC3-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: 'ECDHE-RSA-RC4-SHA',
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: 'DES-CBC3-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_RC4_128_SHA: 'RC4-SHA',
};

/** Numbers of groups and what OpenSSL calls them. */
const groups: ReadonlyMap<number, string> = new Map([
  [23, 'P-256'],
  [24, 'P-384'],
  [25, 'P-521'],
  [29, 'X25519'],
]);

export function resolveTls(options: ResolvedOptions): TlsConfig {
  const { tlsSniCertKeys = [], tlsMinVersion, tlsCipherSuites } = options;
  return {
    ...resolveMain(options),
    named: tlsSniCertKeys.map(parseNamed),
    minVersion: versions[tlsMinVersion],
    ciphers: tlsCipherSuites && resolveCiphers(tlsCipherSuites),
    curves: resolveCurves(options.tlsCurvePreferences ?? []),
  };
}

type MainPair = Pick<TlsConfig, 'main' | 'madeIn'>;

function resolveMain({ tlsCertFile, tlsPrivateKeyFile, certDir }: ResolvedOptions): MainPair {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined)
    return certDir === undefined ? { main: undefined, madeIn: undefined } : pairIn(certDir);
  if (tlsCertFile === undefined) throw new OptionError('tlsPrivateKeyFile: needs tlsCertFile as well');
  if (tlsPrivateKeyFile === undefined) throw new OptionError('tlsCertFile: needs tlsPrivateKeyFile as well');
  return { main: { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile }, madeIn: undefined };
}

/** The pair under the names that kube-apiserver has for it. Half of a pair is not replaced: it may be the operator's own. */
function pairIn(folder: string): MainPair {
  const main = { certFile: join(folder, 'apiserver.crt'), keyFile: join(folder, 'apiserver.key') };
  const missing = [main.certFile, main.keyFile].filter((file) => !existsSync(file));
  if (missing.length === 1)
    throw new OptionError(`certDir: error reading ${missing[0]}, certificate and key must be supplied as a pair`);
  return { main, madeIn: missing.length === 2 ? folder : undefined };
}

function resolveCurves(numbers: readonly number[]): string | undefined {
  const unknown = numbers.find((number) => !groups.has(number));
  if (unknown !== undefined)
    throw new OptionError(
      `tlsCurvePreferences: ${unknown} is not one of the groups ${[...groups.keys()].join(', ')} of this server`,
    );
  return numbers.length === 0 ? undefined : numbers.map((number) => groups.get(number)).join(':');
}

/** `cert,key` and, after the last colon, names separated by commas. */
function parseNamed(text: string): NamedFiles {
  const at = text.lastIndexOf(':');
  const files = (at < 0 ? text : text.slice(0, at)).split(',').map((part) => part.trim());
  const names = at < 0 ? [] : text.slice(at + 1).split(',');
  const [certFile = '', keyFile = ''] = files;
  const isPattern = (name: string) => /^(\*\.)*[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
  if (files.length !== 2 || certFile === '' || keyFile === '' || !names.every(isPattern))
    throw new OptionError(
      `tlsSniCertKeys: ${JSON.stringify(text)} is not a pair such as cert.pem,key.pem:*.example.com,example.com`,
    );
  return { certFile, keyFile, names };
}

/** TLS 1.3 has other suites, which cannot be chosen. */
function resolveCiphers(names: readonly string[]): string {
  const unknown = names.find((name) => !Object.hasOwn(suites, name));
  if (unknown !== undefined)
    throw new OptionError(`tlsCipherSuites: ${JSON.stringify(unknown)} is not a cipher suite this server knows`);
  return [...new Set([...modernSuites, ...names.map((name) => suites[name] as string)])].join(':');
}
