// Options of the signers of certificates, in the words of kube-controller-manager.

import type { SignerRole } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions } from './server-options.ts';
import type { PairFiles } from './tls-options.ts';

export interface SigningConfig {
  /** By signer; empty where the server's own CA signs. */
  readonly files: ReadonlyMap<SignerRole, { readonly option: string; readonly files: PairFiles }>;
  readonly lifetimeMs: number;
}

const optionOf = {
  client: 'clusterSigningKubeApiserverClient',
  agentClient: 'clusterSigningKubeletClient',
  agentServing: 'clusterSigningKubeletServing',
  legacyUnknown: 'clusterSigningLegacyUnknown',
} as const satisfies Record<SignerRole, string>;
const roles = Object.keys(optionOf) as readonly SignerRole[];

export function resolveSigning(options: ResolvedOptions): SigningConfig {
  const one = pairOf(options, 'clusterSigning');
  const each = roles.flatMap((role) => {
    const pair = pairOf(options, optionOf[role]);
    return pair === undefined ? [] : [[role, pair] as const];
  });
  if (one !== undefined && each.length > 0)
    throw new OptionError('clusterSigningCertFile: give files for all signers, or for single signers, not both');
  const files = new Map(one === undefined ? each : roles.map((role) => [role, one] as const));
  return { files, lifetimeMs: options.clusterSigningDurationSeconds * 1000 };
}

type Prefix = 'clusterSigning' | (typeof optionOf)[SignerRole];

function pairOf(options: ResolvedOptions, prefix: Prefix) {
  const certFile = options[`${prefix}CertFile`];
  const keyFile = options[`${prefix}KeyFile`];
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new OptionError(`${prefix}KeyFile: needs ${prefix}CertFile as well`);
  if (keyFile === undefined) throw new OptionError(`${prefix}CertFile: needs ${prefix}KeyFile as well`);
  return { option: `${prefix}CertFile`, files: { certFile, keyFile } };
}
