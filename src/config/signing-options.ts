// Options of the signers of certificates, in the words of kube-controller-manager.

import type { SignerRole } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import type { PairFiles } from './tls-options.ts';

export interface SigningOptions {
  /** PEM files of the CA that signs for all built-in signers; the server's own CA when not given. Read again when they change. */
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
  /** The longest life of certificates that are signed, in seconds; a year when not given. */
  readonly clusterSigningDurationSeconds?: number;
  /** The same files for one signer each, instead of those for all; signers without files sign nothing then. */
  readonly clusterSigningKubeApiserverClientCertFile?: string;
  readonly clusterSigningKubeApiserverClientKeyFile?: string;
  readonly clusterSigningKubeletClientCertFile?: string;
  readonly clusterSigningKubeletClientKeyFile?: string;
  readonly clusterSigningKubeletServingCertFile?: string;
  readonly clusterSigningKubeletServingKeyFile?: string;
  readonly clusterSigningLegacyUnknownCertFile?: string;
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
