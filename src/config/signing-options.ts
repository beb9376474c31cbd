// Options of the signers of certificates, in the words of kube-controller-manager.

import type { SignerRole } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import type { PairFiles } from './tls-options.ts';

export interface SigningOptions {
  /** PEM file of the CA that signs for all built-in signers; the server's own CA when not given. Read again when it changes. */
  readonly clusterSigningCertFile?: string;
  /** PEM file of the key of `clusterSigningCertFile`; read again when it changes. */
  readonly clusterSigningKeyFile?: string;
  /** The longest life of certificates that are signed, in seconds; a year when not given. */
  readonly clusterSigningDurationSeconds?: number;
  /** PEM file of a CA for client certificates of users only, instead of `clusterSigningCertFile`; signers without files then sign nothing. */
  readonly clusterSigningKubeApiserverClientCertFile?: string;
  /** PEM file of the key of `clusterSigningKubeApiserverClientCertFile`. */
  readonly clusterSigningKubeApiserverClientKeyFile?: string;
  /** PEM file of a CA for client certificates of node agents only, instead of `clusterSigningCertFile`; signers without files then sign nothing. */
  readonly clusterSigningKubeletClientCertFile?: string;
  /** PEM file of the key of `clusterSigningKubeletClientCertFile`. */
  readonly clusterSigningKubeletClientKeyFile?: string;
  /** PEM file of a CA for serving certificates of node agents only, instead of `clusterSigningCertFile`; signers without files then sign nothing. */
  readonly clusterSigningKubeletServingCertFile?: string;
  /** PEM file of the key of `clusterSigningKubeletServingCertFile`. */
  readonly clusterSigningKubeletServingKeyFile?: string;
  /** PEM file of a CA for the signer `legacy-unknown` only, instead of `clusterSigningCertFile`; signers without files then sign nothing. */
  readonly clusterSigningLegacyUnknownCertFile?: string;
  /** PEM file of the key of `clusterSigningLegacyUnknownCertFile`. */
  readonly clusterSigningLegacyUnknownKeyFile?: string;
}

export interface SigningConfig {
  /** By signer; empty where the server's own CA signs. */
  readonly files: ReadonlyMap<SignerRole, { readonly option: string; readonly files: PairFiles }>;
  readonly lifetimeMs: number;
}

const yearSeconds = 365 * 24 * 3600;

const optionOf = {
  client: 'clusterSigningKubeApiserverClient',
  agentClient: 'clusterSigningKubeletClient',
  agentServing: 'clusterSigningKubeletServing',
  legacyUnknown: 'clusterSigningLegacyUnknown',
} as const satisfies Record<SignerRole, string>;
const roles = Object.keys(optionOf) as readonly SignerRole[];

export function resolveSigning(options: SigningOptions): SigningConfig {
  const { clusterSigningDurationSeconds: seconds = yearSeconds } = options;
  if (!(seconds > 0) || !Number.isFinite(seconds))
    throw new OptionError(`clusterSigningDurationSeconds: ${seconds} is not a positive number of seconds`);
  const one = pairOf(options, 'clusterSigning');
  const each = roles.flatMap((role) => {
    const pair = pairOf(options, optionOf[role]);
    return pair === undefined ? [] : [[role, pair] as const];
  });
  if (one !== undefined && each.length > 0)
    throw new OptionError('clusterSigningCertFile: give files for all signers, or for single signers, not both');
  const files = new Map(one === undefined ? each : roles.map((role) => [role, one] as const));
  return { files, lifetimeMs: seconds * 1000 };
}

type Prefix = 'clusterSigning' | (typeof optionOf)[SignerRole];

function pairOf(options: SigningOptions, prefix: Prefix) {
  const certFile = options[`${prefix}CertFile`];
  const keyFile = options[`${prefix}KeyFile`];
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new OptionError(`${prefix}KeyFile: needs ${prefix}CertFile as well`);
  if (keyFile === undefined) throw new OptionError(`${prefix}CertFile: needs ${prefix}KeyFile as well`);
  return { option: `${prefix}CertFile`, files: { certFile, keyFile } };
}
